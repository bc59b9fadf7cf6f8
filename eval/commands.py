"""``memgym bench``: compare agents on an environment, honestly, from one command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from memgym.settings import parse_settings

from .bench import AllFailed, bench_config, run_bench
from .config import JudgeConfig, RunConfig


def bench(
    context: typer.Context,
    env: Annotated[str | None, typer.Option(help="An environment (default: the embedded synthetic world).")] = None,
    agent: Annotated[list[str] | None, typer.Option(help="An agent; may be given several times.")] = None,
    model: Annotated[str | None, typer.Option(help="Chat model: rules, none, openai:NAME, transformers:PATH.")] = None,
    episodes: Annotated[int, typer.Option(min=1, help="Episodes an agent.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="The one seed of the run.")] = 0,
    workers: Annotated[str, typer.Option(help="Processes, or ray, or ray:N. Records do not depend on it.")] = "1",
    concurrency: Annotated[int, typer.Option(min=1, help="Episodes at once in one process.")] = 8,
    data: Annotated[Path | None, typer.Option(help="Where a real benchmark's files are.")] = None,
    encoder: Annotated[str | None, typer.Option(help="Encoder of dense reads: minilm, hashing, openai:NAME.")] = None,
    settings: Annotated[list[str] | None, typer.Option("--set", help="Environment option: name=value.")] = None,
    model_settings: Annotated[list[str] | None, typer.Option("--model-set", help="Model option: name=value.")] = None,
    protocol: Annotated[str | None, typer.Option(help="When memory is formed and used (default: isolated).")] = None,
    protocol_settings: Annotated[
        list[str] | None, typer.Option("--protocol-set", help="Knob of the protocol: name=value.")
    ] = None,
    bounds: Annotated[
        bool, typer.Option(help="Add rows that show the scale: no-memory, random, full-context (costly), oracle.")
    ] = True,
    judge: Annotated[str | None, typer.Option(help="Chat model that judges the answers: openai:NAME.")] = None,
    judge_settings: Annotated[
        list[str] | None, typer.Option("--judge-set", help="Option of the judge's model: name=value.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the run (default: the next free one in runs/).")] = None,
    config_file: Annotated[
        Path | None, typer.Option("--config", help="A run as YAML (see docs/bench.md); in place of the options above.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Go on with the run in this folder; failed episodes again.")
    ] = None,
) -> None:
    """Compare agents on an environment; without options on the embedded world, with no model and no download."""
    if config_file is not None or resume is not None:
        _refuse_ignored(context, "--config" if config_file is not None else "--resume")
    options: dict[str, Any] = parse_settings(settings or ())
    if data is not None:
        options["data"] = str(data)
    if encoder is not None:
        options["encoder"] = encoder
    config = None
    if config_file is not None:
        config = RunConfig.load(config_file)
    elif resume is None:
        config = bench_config(
            env=env, agents=agent, model=model, env_options=options, model_options=parse_settings(model_settings or ()),
            episodes=episodes, seed=seed, workers=workers, concurrency=concurrency, bounds=bounds,
            protocol={**parse_settings(protocol_settings or ()), "name": protocol or "isolated"},
            judge=None if judge is None else JudgeConfig(model=judge, options=parse_settings(judge_settings or ())),
        )  # fmt: skip
    try:
        run_bench(config, out=out, resume=resume)
    except AllFailed as failed:
        typer.echo(str(failed), err=True)
        raise typer.Exit(1) from None


def _refuse_ignored(context: typer.Context, whole: str) -> None:
    """Raise where options were given beside one that says the whole run: they would say nothing."""
    heard = {"--config": ("--config", "--out"), "--resume": ("--resume",)}[whole]
    flags = {one.name: one.opts[0] for one in context.command.params}
    given = [flag for name, flag in flags.items() if flag not in heard and _said(context, str(name))]
    if given:
        resumed = whole == "--resume"
        told = "the folder's config.yaml says all of the run" if resumed else "write what is to change into the file"
        raise typer.BadParameter(f"{whole} leaves no room for {', '.join(given)}: {told}.")


def _said(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
