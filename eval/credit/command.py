"""``memgym credit``: which entry, or which operation, earned the reward of an episode."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memgym.printing import console_for
from memgym.records import EpisodeRecord
from memgym.registry import unknown
from memgym.settings import parse_settings

from ..leavings import Leavings
from ..metrics.rows import row_of
from ..metrics.scores import is_score
from ..progress import bar
from ..report.playback import find_record
from ..report.runs import Run, read_run
from .crediting import Credited, Wanted
from .crediting import credit as credited
from .parts import BY
from .totals import episode_table, file_of, notes, save, totals, totals_table


def credit(
    run: Annotated[Path, typer.Argument(help="The folder of a run.")],
    episode: Annotated[
        str | None, typer.Option(help="An episode's id, or its place in the records (default: all that are scores).")
    ] = None,
    agent: Annotated[str | None, typer.Option(help="Only the episodes of this row of the table.")] = None,
    by: Annotated[str, typer.Option(help="What is left out, one at a time: entry or operation.")] = "entry",
    mode: Annotated[
        str | None, typer.Option(help="react: the agent plays again; replay: its actions are fixed.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="The chat model that plays again; it may cost calls.")] = None,
    model_settings: Annotated[list[str] | None, typer.Option("--model-set", help="Model option: name=value.")] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Parts of an episode that are left out: those shown most.")
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="Rows of a table.")] = 10,
    workers: Annotated[int, typer.Option(min=1, help="Processes. The result does not depend on it.")] = 1,
    concurrency: Annotated[int, typer.Option(min=1, help="Episodes at once in one process.")] = 8,
    out: Annotated[Path | None, typer.Option(help="The file (default: credit-<by>.json in the folder).")] = None,
) -> None:
    """Play episodes again without one entry, or one operation, at a time, and say what each earned."""
    if by not in BY:
        raise unknown("kind of part", by, BY)
    read = read_run(run)
    wanted = Wanted(by, mode, model, parse_settings(model_settings or ()), limit, workers, concurrency)
    found, complete = _credited(read, chosen(read, episode, agent), wanted)
    path = out or file_of(run, by)
    save(path, found, wanted, complete=complete)
    _show(found, by, top)
    if read.cut:
        typer.echo(read.cut)
    done = sum(len(one.credits) for one in found)
    typer.echo(f"{'Written' if complete else f'Stopped after {done} parts; written'}: {path}")
    if not complete:
        raise KeyboardInterrupt
    if found and all(one.failed for one in found):
        raise typer.Exit(1)


def chosen(run: Run, episode: str | None, agent: str | None) -> list[EpisodeRecord]:
    """Return the records asked for: one, or all of a row that are scores; a run without any is a ValueError."""
    if episode is not None:
        return [find_record(run.records, episode)]
    records = [record for record in run.records if is_score(record)]
    rows = dict.fromkeys(row_of(record) for record in records)
    if agent is not None and agent not in rows:
        raise unknown("agent of this run", agent, rows)
    if not records:
        raise ValueError(f"{run.path} has no episode that is a score; name one by --episode.")
    return [record for record in records if agent in (None, row_of(record))]


def _credited(run: Run, records: list[EpisodeRecord], wanted: Wanted) -> tuple[list[Credited], bool]:
    leavings = Leavings(run.path / "memories", {record.episode.id: record for record in run.records})
    with bar("parts") as watch:
        return credited(records, lambda record: leavings.before(record.episode), wanted, watch)


def _show(found: list[Credited], by: str, top: int) -> None:
    tables = [episode_table(one, by, top) for one in found if one.credits]
    if tables:
        tables.append(totals_table(totals(found), by))
    console = console_for(*tables)
    for table in tables:
        console.print(table, markup=False)
    for line in notes(found):
        console.print(line, style="dim", markup=False, soft_wrap=True)
