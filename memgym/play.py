"""``memgym play``: a person is the agent, in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memgym.agent import Observation
from memgym.env import MemoryEnv
from memgym.rollout import make_env
from memgym.settings import parse_settings

_HELP = """You are the agent. Each line you type is one action; several operations may stand on it. An empty line is an
empty action, ? shows this again, Ctrl-D gives up. What you write is read as follows.
"""


def play(
    env: Annotated[str, typer.Argument(help="An environment, as `memgym list envs` shows it.")],
    seed: Annotated[int, typer.Option(help="Seed of the episode.")] = 0,
    data: Annotated[Path | None, typer.Option(help="Where a real benchmark's files are.")] = None,
    sample: Annotated[str | None, typer.Option(help="Play this sample.")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="An option of the environment: name=value.")
    ] = None,
) -> None:
    """Play an episode yourself: you write the operations and the answers."""
    options = parse_settings(settings or ())
    if data is not None:
        options["data"] = str(data)
    game = make_env(env, **options)
    game.reset(seed=seed, options={} if sample is None else {"sample": sample})
    typer.echo(_HELP + _instructions(game))
    while not game.pomdp.over:
        typer.echo("\n" + game.screen())
        line = _ask()
        if line is None:
            typer.echo("\nGiven up; no score.")
            return
        if line.strip() == "?":
            typer.echo(_HELP + _instructions(game))
        else:
            game.step(line)
    _show_outcome(game)


def _ask() -> str | None:
    try:
        return input("> ")
    except EOFError:
        return None


def _instructions(game: MemoryEnv) -> str:
    seen: Observation = game.pomdp.seen
    return game.dialect.instructions(game.options.allowed, ("answer", "act", "advance"))[: 1 << 20] + (
        f"\nYou have {seen.remaining} steps."
    )


def _show_outcome(game: MemoryEnv) -> None:
    outcome = game.pomdp.outcome
    assert outcome is not None
    typer.echo(f"\nThe episode is over: reward {outcome.reward:.3f}.")
    for number, (said, wanted) in enumerate(zip(outcome.predictions, outcome.references, strict=True), 1):
        typer.echo(f"{number}. you: {said!r}; accepted: {' | '.join(wanted)}")
    for name, value in outcome.metrics.items():
        typer.echo(f"{name}: {value:.3f}")
