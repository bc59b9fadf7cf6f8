"""The figures of a report: which numbers of its lines go into which chart, under which name."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from markupsafe import Markup

from ..metrics.diagnosis import ANSWERLESS
from .charts import Scored, Series, intervals, matrix, scatter
from .charts import lines as line_chart
from .lines import Line, by_category, kinds_of, means, sizes, values
from .texts import compact, number

MEMORY_METRICS = {
    "evidence_stored": "evidence stored",
    "evidence_shown": "evidence shown",
    "answer_shown": "answer shown",
    "evidence_precision": "evidence precision",
    "evidence_used": "used when shown",
}

COSTS = {
    "tokens": "tokens observed and written an episode",
    "model_tokens": "model tokens an episode",
    "calls": "model calls an episode",
}


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with its heading, how to read it, and the name of its file; ``small`` ones stand side by side."""

    name: str
    title: str
    reading: str
    svg: Markup
    small: bool = False


def figures_of(lines: Sequence[Line]) -> list[Figure]:
    """Return the figures that these lines have numbers for."""
    makers = (_scores, _protocols, _memory, _categories, _operations, _statuses, _sizes, _costs)
    return [figure for maker in makers for figure in maker(lines)]


def _scores(lines: Sequence[Line]) -> Iterator[Figure]:
    rows = [_scored(line) for line in lines]
    second = "evidence that memory showed" if any(row.second is not None for row in rows) else ""
    yield Figure(
        "scores",
        "Reward",
        "A failed episode counts 0. Where intervals overlap, only a test on pairs of the same samples tells more.",
        intervals("Reward by agent", rows, second=second),
    )


def _scored(line: Line) -> Scored:
    shown = line.row.metrics.get("evidence_shown")
    reward, nan = line.row.reward, math.nan
    mean, low, high = (reward.mean, reward.low, reward.high) if line.scored else (nan, nan, nan)
    return Scored(line.label, mean, low, high, line.bound, None if shown is None else shown.mean)


def _protocols(lines: Sequence[Line]) -> Iterator[Figure]:
    names = list(dict.fromkeys(line.protocol for line in lines))
    if len(names) > 1:
        agents = list(dict.fromkeys(line.row.agent for line in lines))
        found = {(line.row.agent, line.protocol): line.row.reward.mean for line in lines if line.scored}
        yield Figure(
            "protocols",
            "Reward by protocol",
            "The same agents under several protocols: what differs in a row is the timing, not the memory.",
            matrix(
                "Reward by protocol", agents, names, [[found.get((a, p)) for p in names] for a in agents], common=1.0
            ),
        )


def _memory(lines: Sequence[Line]) -> Iterator[Figure]:
    names = [name for name in MEMORY_METRICS if any(name in line.row.metrics for line in lines)]
    if names:
        table = values(lines, names, means)
        for row, line in zip(table, lines, strict=True):
            row[:] = [one if line.scored or name in ANSWERLESS else None for one, name in zip(row, names, strict=True)]
        for row, line in zip(table, lines, strict=True):
            row.append(line.row.reward.mean if line.scored else None)
        columns = [*(MEMORY_METRICS[name] for name in names), "reward"]
        yield Figure(
            "memory",
            "Written, read, used",
            "Was the evidence of a question in memory when it was answered, was it shown, was it used (the score of "
            "questions whose evidence was shown whole)? The first column that drops is where an agent loses. Precision "
            "is the share of shown entries that carry evidence. Evidence counts word for word: paraphrases score low.",
            matrix("What memory held and showed", _labels(lines), columns, table, common=1.0),
        )


def _categories(lines: Sequence[Line]) -> Iterator[Figure]:
    scores = [by_category(line) for line in lines]
    names = sorted({name for one in scores for name in one})
    if names:
        counts = {name: max(len(one.get(name, ())) for one in scores) for name in names}
        table = [[fmean(one[name]) if name in one else None for name in names] for one in scores]
        table = [row if line.scored else [None] * len(names) for row, line in zip(table, lines, strict=True)]
        yield Figure(
            "categories",
            "Score by category of question",
            "The mean score of the questions of each category, over episodes that were played to the end.",
            matrix(
                "Score by category", _labels(lines), [f"{one} (n = {counts[one]})" for one in names], table, common=1.0
            ),
        )


def _operations(lines: Sequence[Line]) -> Iterator[Figure]:
    names = kinds_of(lines)
    if names:
        full = max(value for line in lines for value in line.row.kinds.values())
        yield Figure(
            "operations",
            "Memory operations a step",
            "How often each operation is written in a step, refused ones too. All columns have one scale.",
            matrix(
                "Operations a step",
                _labels(lines),
                names,
                values(lines, names, lambda row: row.kinds),
                show=_rate,
                common=full,
            ),
        )


def _rate(value: float | None) -> str:
    return number(value, 2) if value is None or value >= 0.01 or value == 0 else "<0.01"


def _statuses(lines: Sequence[Line]) -> Iterator[Figure]:
    names = sorted({name for line in lines for name in line.row.statuses}, key=lambda name: (name != "ok", name))
    if names:
        table = values(lines, names, lambda row: row.statuses)
        yield Figure(
            "statuses",
            "How operations and commands ended",
            "Counts over all episodes; each column has a scale of its own.",
            matrix("Statuses", _labels(lines), names, table, show=compact),
        )


def _sizes(lines: Sequence[Line]) -> Iterator[Figure]:
    series = [Series(line.label, *sizes(line)) for line in lines]
    series = [one for one in series if one.y and max(one.y) > 0]
    if series:
        yield Figure(
            "size",
            "Entries in memory over the steps of an episode",
            "Means over episodes; one that is over keeps its last size. Agents that store nothing are left out.",
            line_chart("Memory size", series, x_label="step", y_label="entries"),
        )


def _costs(lines: Sequence[Line]) -> Iterator[Figure]:
    for name, said in COSTS.items():
        points = [_cost(line, getattr(line.row, name)) for line in lines if line.scored]
        points = [point for point in points if point.x[0] > 0]
        if points:
            yield Figure(
                f"cost-{name.replace('_', '-')}",
                f"Reward by {said}",
                "Up and to the left is better. The scale of cost is logarithmic; who has no such cost is left out.",
                scatter(f"Reward by {said}", points, x_label=said),
                small=True,
            )


def _cost(line: Line, cost: float) -> Series:
    reward = line.row.reward
    return Series(line.label, (cost,), (reward.mean,), reward.low, reward.high, line.bound)


def _labels(lines: Sequence[Line]) -> list[str]:
    return [line.label for line in lines]
