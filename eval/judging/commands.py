"""``memgym judge``: have a chat model say of each answer of a run whether it is correct."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memgym.settings import parse_settings

from ..config import JudgeConfig
from ..folder import RunFolder
from ..scored import score
from ..table import show
from .progress import judge_with_progress
from .verdicts import VERDICTS, with_verdicts


def judge(
    run: Annotated[Path, typer.Argument(help="The folder of a run.")],
    model: Annotated[
        str | None, typer.Option(help="The judge: openai:NAME, transformers:PATH (default: that of the run's config).")
    ] = None,
    endpoint: Annotated[str | None, typer.Option(help="Where an openai:NAME is served, as http://.../v1.")] = None,
    model_settings: Annotated[list[str] | None, typer.Option("--model-set", help="Model option: name=value.")] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Answers that are judged at once.")] = 16,
    anew: Annotated[bool, typer.Option("--anew", help="Drop the verdicts that are there.")] = False,
) -> None:
    """Judge the answers of a run that have no verdict yet; ends with 1 if some could not be judged."""
    folder = RunFolder.resume(run)
    config = _config(folder, model, {**parse_settings(model_settings or ()), **_at(endpoint)}, concurrency)
    records = list(folder.records().values())
    try:
        file = judge_with_progress(run, records, config, anew=anew)
    except KeyboardInterrupt:
        typer.echo(f"Stopped; what was judged is kept. Go on with: memgym judge {run}", err=True)
        raise
    scored = score(folder.config, with_verdicts(records, run))
    folder.save_metrics(scored.to_json())
    show(scored)
    typer.echo(f"{len(file.verdicts):,} verdicts: {run / VERDICTS}")
    if any(one.correct is None for one in file.verdicts.values()):
        raise typer.Exit(1)


def _at(endpoint: str | None) -> dict[str, str]:
    return {} if endpoint is None else {"base_url": endpoint}


def _config(folder: RunFolder, model: str | None, options: dict[str, object], concurrency: int) -> JudgeConfig:
    """Return who judges: what is said here, else what the run's config says."""
    if model is not None:
        return JudgeConfig(model=model, options=options, concurrency=concurrency)
    said = folder.config.judge
    if said is None:
        raise ValueError("Who judges? Give --model, for instance --model openai:NAME; this run's config names nobody.")
    return said.model_copy(update={"options": {**said.options, **options}})
