"""``memgym new-model``, which is also ``memgym new model``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .makers import MAKERS, make


def new_model(
    folder: Annotated[Path, typer.Argument(help="The folder of the new policy.")],
    source: Annotated[str, typer.Option("--from", help=f"What it is made from: {', '.join(MAKERS)}.")] = "tiny",
    seed: Annotated[int | None, typer.Option(help="Seed of a tiny one's weights and of its tokenizer's text.")] = None,
    env: Annotated[
        str | None,
        typer.Option(help="The environment on whose text a tiny one's tokenizer is trained (MemGym/Whereabouts)."),
    ] = None,
) -> None:
    """Make a small language model to train: a tiny one from a seed, or a real one from an installed package."""
    if folder.exists():
        raise FileExistsError(f"{folder} exists already; give another folder.")
    given = {"seed": seed, "env": env}
    make(source, folder, **{name: value for name, value in given.items() if value is not None})
    typer.echo(f"Wrote {folder}. Next: memgym sft {MAKERS[source].recipe} --model {folder}")
