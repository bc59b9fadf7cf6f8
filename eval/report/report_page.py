"""``memgym report``: everything that one or more runs say, as one page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from ..judging.agreement import Judgement, judgements
from ..metrics.diagnosis import ANSWERLESS
from ..metrics.paired import Comparison, compare
from ..metrics.rows import groups_of
from ..protocols.protocol import Measure
from ..table import notes, title, told_apart
from .comparing import differences, groups, samples, unlike, within
from .figures import Figure, figures_of
from .lines import Line, lines_of
from .runs import Run
from .svg import standalone
from .texts import render

COLUMNS = {
    "judge": "judge",
    "em": "EM",
    "f1": "F1",
    "success": "success",
    "evidence_stored": "evidence stored",
    "evidence_shown": "evidence shown",
    "evidence_precision": "evidence precision",
    "evidence_used": "evidence used",
}
"""Metrics that have a column of the leaderboard; the rest is in the table of all metrics."""


@dataclass(frozen=True, slots=True)
class Group:
    """Runs whose rows can be compared, with their lines and figures."""

    title: str
    runs: tuple[Run, ...]
    lines: tuple[Line, ...]
    figures: tuple[Figure, ...]
    notes: tuple[str, ...]
    measures: tuple[tuple[str, Measure], ...]
    comparisons: tuple[Comparison, ...]
    judgements: tuple[tuple[str, Judgement], ...] = ()

    @property
    def columns(self) -> dict[str, str]:
        """The metrics of the leaderboard that occur, with their headings."""
        there = {name for line in self.lines for name in line.row.metrics}
        return {name: heading for name, heading in COLUMNS.items() if name in there}

    @property
    def failed(self) -> int:
        """How many episodes failed, over all lines."""
        return sum(line.row.failed for line in self.lines)


def group_of(runs: Sequence[Run]) -> Group:
    """Return one group of a report."""
    lines = lines_of(runs)
    told = [note for run in runs for note in notes([line.row for line in lines if line.run == run.name], run.config)]
    compared = compared_lines(lines)
    told += told_apart([replace(line.row, agent=line.label) for line in lines], runs[0].config, compared)
    measures = tuple((run.name, one) for run in runs for one in run.config.scheduler.measures(run.records))
    said = tuple(dict.fromkeys(one for one in told if not one.startswith("*")))
    figures = tuple(figures_of(lines))
    judged = tuple((run.name, one) for run in runs for one in judgements(groups_of(run.records)))
    return Group(title(runs[0].config), tuple(runs), tuple(lines), figures, said, measures, tuple(compared), judged)


def compared_lines(lines: Sequence[Line]) -> list[Comparison]:
    """Return every pair of lines, over runs too, whose rewards say something and that share episodes."""
    scored = [line for line in lines if line.scored]
    bounds = frozenset(line.label for line in scored if line.bound)
    return compare({line.label: line.records for line in scored}, bounds)


def report(runs: Sequence[Run]) -> tuple[str, list[Group]]:
    """Return the page of these runs, and its groups (for the figures)."""
    made = [group_of(group) for group in groups(runs)]
    found = differences(runs)
    page = render(
        "report.html",
        heading="Comparison of agents" if len(runs) == 1 else f"Comparison of {len(runs)} runs",
        groups=made,
        forbidding=[one for one in found if one.forbids],
        other=[one for one in found if not one.forbids],
        warnings=[
            *(run.cut for run in runs if run.cut),
            *(said for run in runs for said in within(run)),
            *unlike(runs),
        ],
        runs=runs,
        samples=samples,
        answerless=ANSWERLESS,
        config=lambda run: yaml.safe_dump(run.config.model_dump(), sort_keys=False, allow_unicode=True),
        as_yaml=lambda value: yaml.safe_dump(value, sort_keys=True, allow_unicode=True),
    )
    return page, made


def save_figures(made: Sequence[Group], folder: Path) -> list[Path]:
    """Write every figure as an SVG file of its own; with several groups their numbers are in the names."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for number, group in enumerate(made, 1):
        for figure in group.figures:
            path = folder / (f"{figure.name}.svg" if len(made) == 1 else f"{number}-{figure.name}.svg")
            path.write_text(standalone(figure.svg), encoding="utf-8")
            written.append(path)
    return written
