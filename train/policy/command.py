"""``memgym new-model``, which is also ``memgym new model``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def new_model(
    folder: Annotated[Path, typer.Argument(help="The folder of the new policy.")],
    seed: Annotated[int, typer.Option(help="Seed of its weights and of its tokenizer's text.")] = 0,
    env: Annotated[str, typer.Option(help="The environment on whose text the tokenizer is trained.")] = (
        "MemGym/Whereabouts"
    ),
) -> None:
    """Make a tiny language model to train, from a seed and without a download."""
    from .making import make_policy

    if folder.exists():
        raise FileExistsError(f"{folder} exists already; give another folder.")
    make_policy(folder, seed=seed, env=env)
    typer.echo(f"Wrote {folder}. Next: memgym sft synthetic-cpu --model {folder}")
