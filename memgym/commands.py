"""Two commands that need nothing but the hall: ``memgym list`` and ``memgym replay``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from inspect import getdoc
from pathlib import Path
from typing import Annotated, Any

import typer

from memgym import registry
from memgym.cli import command_help

PLURALS = {"envs": "environment", **{f"{kind}s": kind for kind in registry.KINDS}}


@dataclass(frozen=True, slots=True)
class Row:
    """One listed name. ``about`` is its first line of documentation or its options; ``marks`` are what to beware of."""

    kind: str
    name: str
    about: str
    marks: tuple[str, ...] = ()


def list_names(
    kind: Annotated[str, typer.Argument(help=f"What to list: {', '.join(PLURALS)}, all.")] = "all",
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list instead of a table.")] = False,
) -> None:
    """List names with a line about each; generated data is marked synthetic, agents that see answers privileged."""
    if kind != "all" and kind not in PLURALS:
        raise registry.unknown("kind of thing", kind, [*PLURALS, "all"])
    kinds = PLURALS.values() if kind == "all" else [PLURALS[kind]]
    rows = [row for one in kinds for row in rows_of(one)]
    if as_json:
        typer.echo(json.dumps([asdict(row) for row in rows], ensure_ascii=False, indent=1))
    else:
        _print_table(rows)


def rows_of(kind: str) -> Iterator[Row]:
    """Yield a row for each name of a kind, sorted as a person counts: 50doc before 100doc."""
    told = command_help() if kind == "command" else {}
    for name in sorted(registry.names(kind), key=_by_number):
        if kind == "environment":
            yield _environment(name)
        elif name in told:
            yield Row(kind, name, told[name])
        else:
            yield _thing(kind, name)


def _by_number(name: str) -> list[tuple[str, int]]:
    return [(text, int(number or 0)) for text, number in re.findall(r"(\D*)(\d*)", name)]


def _environment(name: str) -> Row:
    options = registry.environment(name)
    about = " ".join(f"{option}={value}" for option, value in options.items())
    return Row("environment", name, about, _thing("benchmark", options["benchmark"]).marks)


def _thing(kind: str, name: str) -> Row:
    """Import one thing for its first line; a plug-in that cannot be imported is listed with the reason."""
    try:
        thing = registry.load(kind, name)
    except ImportError as error:
        return Row(kind, name, str(error), ("not importable",))
    marks = tuple(mark for mark in ("synthetic", "privileged") if getattr(thing, mark, False) is True)
    return Row(kind, name, _first_line(thing), marks)


def _first_line(thing: Any) -> str:
    return (getdoc(thing) or "").partition("\n")[0]


def _print_table(rows: list[Row]) -> None:
    from rich.table import Table
    from rich.text import Text

    from memgym.printing import print_table

    table = Table(box=None, pad_edge=False)
    for column in ("kind", "name"):
        table.add_column(column, no_wrap=True)
    table.add_column("about")
    for row in rows:
        marks = "".join(f" [{mark}]" for mark in row.marks)
        table.add_row(row.kind, row.name, Text(row.about).append(marks, style="yellow"))
    print_table(table)


def replay(
    file: Annotated[Path, typer.Argument(help="A file of records (JSON Lines), as `memgym bench` writes it.")],
) -> None:
    """Run recorded episodes again; the exit status is 1 if one of them differs in a single byte."""
    from memgym.replay import replay as replay_records

    if file.is_dir():
        raise IsADirectoryError(f"{file} is a folder; a run's records are in {file / 'records.jsonl'}.")
    played = equal = 0
    for episode in replay_records(file):
        played += 1
        equal += episode.equal
        typer.echo(f"equal    {episode.id}" if episode.equal else f"DIFFERS  {episode.id}: {episode.difference}")
    if not played:
        raise ValueError(f"{file} holds no whole record: nothing was compared.")
    typer.echo(f"{equal} of {played} episodes are equal byte for byte.")
    if equal != played:
        raise typer.Exit(1)
