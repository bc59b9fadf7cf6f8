"""``memgym report`` of training runs: curves of reward, operations, memory and tokens, and the comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import yaml

from memgym.seeds import Interval, over_seeds

from .curves import Curve, curves
from .figures import Figure
from .svg import standalone
from .texts import number, render
from .training_run import TrainingRun, read_training

KINDS = ("create", "read", "update", "delete", "scratchpad", "link", "evolve")
_REWARD = "episode/reward"
AFTER = "policy, after GRPO"
"""The label of the trained policy in the training wing's comparison."""
By = Callable[[TrainingRun], Mapping[int, float]]


@dataclass(frozen=True, slots=True)
class Seeds:
    """Training runs that differ by their seed at most: one curve with a band."""

    label: str
    runs: tuple[TrainingRun, ...]

    def curve(self, label: str, by: By) -> Curve | None:
        """Return the mean over runs at the steps that all have, with lowest and highest; None if there are none."""
        found = [by(run) for run in self.runs]
        steps = sorted(set(found[0]).intersection(*found[1:]))
        if not steps:
            return None
        values = [[one[step] for one in found] for step in steps]
        band = (tuple(map(min, values)), tuple(map(max, values))) if len(found) > 1 else ((), ())
        return Curve(label, tuple(map(float, steps)), tuple(map(fmean, values)), *band)


@dataclass(frozen=True, slots=True)
class Compared:
    """A row of the comparison over the seeds of a training: the mean reward with its 95 % interval over seeds.

    Of a single run the interval is that over episodes. ``behind`` is how much less it earned than the trained policy in
    the same setting (a mask: than without the mask), run by run; None for what it is compared with, and of one run.
    """

    setting: str
    agent: str
    runs: int
    n: int
    mean: float
    low: float
    high: float
    operations: float
    tokens: float
    behind: Interval | None = None


def training_page(paths: Sequence[Path]) -> tuple[str, list[Figure], str]:
    """Return the page of these training runs, its figures, and the comparison as a table in Markdown ("": none yet)."""
    runs = [read_training(path) for path in paths]
    grouped = seeds_of(runs)
    figures = figures_of(grouped)
    page = render(
        "training.html",
        heading=f"Training: {', '.join(one.label for one in grouped)}",
        groups=grouped,
        runs=runs,
        figures=figures,
        compared={one.label: compared(one) for one in grouped},
        config=lambda run: yaml.safe_dump(dict(run.recipe), sort_keys=False, allow_unicode=True),
    )
    return page, figures, "\n".join(filter(None, map(markdown, grouped)))


def save_figures(figures: Sequence[Figure], table: str, folder: Path) -> list[Path]:
    """Write every figure as an SVG file of its own, and the table as ``comparison.md``."""
    texts = {f"{figure.name}.svg": standalone(figure.svg) for figure in figures}
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (texts | ({"comparison.md": table} if table else {})).items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]


def markdown(group: Seeds) -> str:
    """Return the comparison of a training as a table for a document; "" where there is none yet."""
    rows = compared(group)
    if not rows:
        return ""
    several = len(group.runs) > 1
    over = "seeds" if several else "episodes"
    head = [f"{group.label}: setting", "agent", "n", "reward", f"95 % interval over {over}", "operations a step"]
    cells = [
        [
            row.setting or "own", row.agent, str(row.n), number(row.mean), f"{number(row.low)} to {number(row.high)}",
            number(row.operations, 2),
        ]
        for row in rows
    ]  # fmt: skip
    if several:
        head.append("less than the trained policy by")
        cells = [[*line, _told(row.behind)] for line, row in zip(cells, rows, strict=True)]
    lines = [head, ["---"] * len(head), *cells]
    return "\n".join([*(f"| {' | '.join(line)} |" for line in lines), ""])


def _told(found: Interval | None) -> str:
    return "" if found is None else f"{number(found.mean)} ({number(found.low)} to {number(found.high)})"


def seeds_of(runs: Sequence[TrainingRun]) -> list[Seeds]:
    """Return the runs grouped by recipe; two recipes of one name are told apart by their folders."""
    groups: dict[str, list[TrainingRun]] = {}
    for run in runs:
        groups.setdefault(run.likeness, []).append(run)
    names = [str(group[0].recipe["name"]) for group in groups.values()]
    return [
        Seeds(name if names.count(name) == 1 else f"{name} · {group[0].name}", tuple(group))
        for name, group in zip(names, groups.values(), strict=True)
    ]


def figures_of(groups: Sequence[Seeds]) -> list[Figure]:
    """Return the figures that these runs have numbers for."""
    return [*_reward(groups), *_operations(groups), *(figure for chart in _CHARTS for figure in _chart(groups, chart))]


def _of(name: str) -> By:
    return lambda run: {step: data[name] for step, data in run.metrics.items() if name in data}


def _drawn(groups: Sequence[Seeds], series: Mapping[str, By]) -> list[Curve]:
    """Return one curve for each series of each group, as far as there are numbers."""
    found = []
    for group in groups:
        for name, by in series.items():
            label = name if len(groups) == 1 else f"{group.label}, {name}" if len(series) > 1 else group.label
            found.append(group.curve(label, by))
    return [one for one in found if one is not None]


def _reward(groups: Sequence[Seeds]) -> Iterator[Figure]:
    series: dict[str, By] = {"training, sampled": _of(_REWARD), "validation": lambda run: run.validation}
    if drawn := _drawn(groups, series):
        yield Figure(
            "reward",
            "Reward",
            "The mean reward of a step's rollouts, and that of the validation samples, which are not trained on. "
            "A band goes from the lowest to the highest seed.",
            curves("Reward", drawn, y_label="reward"),
        )


def _operations(groups: Sequence[Seeds]) -> Iterator[Figure]:
    for at, group in enumerate(groups):
        drawn = _drawn([group], {kind: _of(f"episode/operations/{kind}") for kind in KINDS})
        drawn = [one for one in drawn if max(one.y) > 0]
        if drawn:
            named = "" if len(groups) == 1 else f": {group.label}"
            yield Figure(
                "operations" if len(groups) == 1 else f"operations-{at + 1}",
                f"Memory operations a step{named}",
                "How often each operation is written in a step of an episode, refused ones too (AtomMem, Figure 3).",
                curves(f"Operations a step{named}", drawn, y_label="operations a step"),
            )


@dataclass(frozen=True, slots=True)
class _Chart:
    name: str
    title: str
    reading: str
    label: str
    series: Mapping[str, str]


_CHARTS = (
    _Chart(
        "memory",
        "Entries in memory",
        "Mean over the steps of an episode, and after its last step.",
        "entries",
        {"mean": "episode/memory/size", "at the end": "episode/memory/final"},
    ),
    _Chart(
        "shares",
        "Malformed, read, without spread",
        "Of all operations the share that could not be read as one, and that of reads; of all groups the share whose "
        "rollouts earned the same, from which nothing is learned.",
        "share",
        {
            "malformed": "episode/malformed_share",
            "reads": "episode/read_share",
            "groups without spread": "group/without_spread",
        },
    ),
    _Chart(
        "tokens",
        "Tokens a call",
        "The policy's own prompts and replies.",
        "tokens",
        {"prompt": "episode/tokens/prompt", "reply": "episode/tokens/response"},
    ),
    _Chart(
        "failures",
        "Failed, cut and unfinished",
        "Episodes that failed, and calls an episode whose prompt was cut or whose reply ran into its limit.",
        "an episode",
        {"failed": "episode/failed", "prompts cut": "episode/truncated", "replies cut": "episode/unfinished"},
    ),
    _Chart("kl", "Divergence from the first policy", "The loss term of the reference.", "KL", {"KL": "actor/kl_loss"}),
)


def _chart(groups: Sequence[Seeds], chart: _Chart) -> Iterator[Figure]:
    if drawn := _drawn(groups, {name: _of(metric) for name, metric in chart.series.items()}):
        yield Figure(chart.name, chart.title, chart.reading, curves(chart.title, drawn, y_label=chart.label))


def compared(group: Seeds) -> list[Compared]:
    """Return the rows of the comparison, setting by setting, best mean first."""
    rows: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for run in group.runs:
        for row in run.table:
            rows.setdefault((row["setting"], row["agent"]), []).append(row)
    settings = list(dict.fromkeys(setting for setting, _ in rows))
    found = [_compared(rows, key) for key in rows]
    return sorted(found, key=lambda row: (settings.index(row.setting), -row.mean, row.agent))


def _compared(table: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]], key: tuple[str, str]) -> Compared:
    rows = table[key]
    means = [row["reward"]["mean"] for row in rows]
    mean, low, high = over_seeds(means)
    if len(rows) == 1:
        low, high = rows[0]["reward"]["low"], rows[0]["reward"]["high"]
    return Compared(
        *key, len(rows), sum(row["n"] for row in rows), mean, max(0.0, low), min(1.0, high),
        fmean(row["operations"] for row in rows), fmean(row["tokens"] for row in rows), _behind(table, key),
    )  # fmt: skip


def _behind(table: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]], key: tuple[str, str]) -> Interval | None:
    """Return how much less a row earned than the trained policy, paired by run."""
    reference = (key[0] if key[1] != AFTER else "", AFTER)
    if reference == key or reference not in table or not len(table[reference]) == len(table[key]) > 1:
        return None
    pairs = zip(table[reference], table[key], strict=True)
    return over_seeds([one["reward"]["mean"] - other["reward"]["mean"] for one, other in pairs])
