"""One line of a report: an agent of a run with its row of scores, and what a reader must know before comparing it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from memgym.records import EpisodeRecord

from ..metrics.growth import Growth, growth
from ..metrics.rows import Row, groups_of, is_scored, rows
from .rescoring import categories_of, question_scores
from .runs import Run

Table = list[list[float | None]]


@dataclass(frozen=True, slots=True)
class Line:
    """An agent of a run. ``bound`` says what kind of bound it is ("": a competitor), ``scored`` whether it answered."""

    label: str
    run: str
    protocol: str
    row: Row
    bound: str
    scored: bool
    records: tuple[EpisodeRecord, ...]


def lines_of(runs: Sequence[Run]) -> list[Line]:
    """Return every agent of every run, best reward first; with several runs the label names the run too."""
    found = [line for run in runs for line in _lines(run, named=len(runs) > 1)]
    return sorted(found, key=lambda line: (not line.scored, -line.row.reward.mean, line.label))


def _lines(run: Run, *, named: bool) -> list[Line]:
    groups = groups_of(run.records)
    made = []
    for row in rows(run.records):
        records = tuple(groups[row.agent])
        label = f"{row.agent} · {run.name}" if named else row.agent
        scored = is_scored(row, run.config.model)
        made.append(Line(label, run.name, run.config.protocol["name"], row, row.bound, scored, records))
    return made


def by_category(line: Line) -> dict[str, list[float]]:
    """Return the scores of a line's questions by category; empty where questions have none. A failed episode has none.

    A record that names no metric (from an earlier version) has no score of a single question, and is left out.
    """
    found: dict[str, list[float]] = {}
    for record in line.records:
        if record.outcome is None or not record.outcome.categories:
            continue
        for category, score in zip(categories_of(record.outcome), question_scores(record.outcome), strict=True):
            found.setdefault(category, []).append(score)
    return found


def sizes(line: Line, most: int = 240) -> Growth:
    """Return step numbers and the mean number of entries after each; an episode that is over keeps its last size."""
    return growth(line.records, most)


def kinds_of(lines: Sequence[Line]) -> list[str]:
    """Return the kinds of memory operations that occur, in the order of the alphabet."""
    return sorted({kind for line in lines for kind in line.row.kinds})


def values(lines: Sequence[Line], columns: Sequence[str], of: Callable[[Row], Mapping[str, float]]) -> Table:
    """Return what ``of`` gives for each line, by column; None where a line has no such value."""
    return [[of(line.row).get(column) for column in columns] for line in lines]


def means(row: Row) -> dict[str, float]:
    """Return the means of a row's metrics."""
    return {name: one.mean for name, one in row.metrics.items()}
