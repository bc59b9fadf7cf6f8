"""One line of a report: an agent of a run with its row of scores, and what a reader must know before comparing it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from memgym.records import EpisodeRecord

from ..metrics.rows import Row, rows
from ..metrics.scores import is_score
from .rescoring import categories_of, question_scores
from .runs import Run

Table = list[list[float | None]]

BOUNDS = {
    "no-memory": "lower bound: no memory",
    "random": "lower bound: random",
    "full-context": "the whole text in the prompt",
    "oracle": "upper bound: sees the answers",
}
"""Agents that stand in a table to show where the scale begins and ends."""


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
    groups: dict[str, list[EpisodeRecord]] = {}
    for record in filter(is_score, run.records):
        groups.setdefault(row_of(record), []).append(record)
    made = []
    for row in rows(run.records):
        records = tuple(groups[row.agent])
        silent = run.config.model == "none" and row.asked and not row.privileged
        label = f"{row.agent} · {run.name}" if named else row.agent
        made.append(Line(label, run.name, run.config.protocol["name"], row, _bound(row, records), not silent, records))
    return made


def row_of(record: EpisodeRecord) -> str:
    """Return the name of the row to which a record belongs."""
    return record.episode.tags.get("row", record.episode.agent)


def _bound(row: Row, records: Sequence[EpisodeRecord]) -> str:
    if row.privileged:
        return BOUNDS["oracle"]
    return BOUNDS.get(records[0].episode.agent, "")


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


def sizes(line: Line, most: int = 240) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return step numbers and the mean number of entries after each; an episode that is over keeps its last size."""
    played = [[step.size for step in record.steps] for record in line.records if record.steps]
    longest = max((len(one) for one in played), default=0)
    every = max(1, -(-longest // most))
    steps = [*range(0, longest, every)] if longest else []
    if steps and steps[-1] != longest - 1:
        steps.append(longest - 1)
    means = [fmean(one[min(at, len(one) - 1)] for one in played) for at in steps]
    return tuple(float(at + 1) for at in steps), tuple(means)


def kinds_of(lines: Sequence[Line]) -> list[str]:
    """Return the kinds of memory operations that occur, in the order of the alphabet."""
    return sorted({kind for line in lines for kind in line.row.kinds})


def values(lines: Sequence[Line], columns: Sequence[str], of: Callable[[Row], Mapping[str, float]]) -> Table:
    """Return what ``of`` gives for each line, by column; None where a line has no such value."""
    return [[of(line.row).get(column) for column in columns] for line in lines]


def means(row: Row) -> dict[str, float]:
    """Return the means of a row's metrics."""
    return {name: one.mean for name, one in row.metrics.items()}
