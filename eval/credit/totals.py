"""What kinds of parts earned over several episodes, with intervals; the file that keeps it; both as tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from rich.table import Table

import memgym
from memgym.files import write_whole

from ..metrics.intervals import Estimate, estimate
from ..report.texts import number, shortened
from .crediting import Credited, Wanted
from .parts import BY
from .playing import Credit


@dataclass(frozen=True, slots=True)
class Total:
    """What the parts of one kind earned one agent. ``a_part`` and ``shown`` are means over episodes of the mean of a
    part's difference in reward and in evidence shown; parts of one episode depend on each other, episodes do not.

    ``earned``, ``cost`` and ``nothing`` count the parts without which the reward is lower, higher, the same.
    """

    row: str
    kind: str
    episodes: int
    parts: int
    failed: int
    a_part: Estimate
    shown: Estimate
    earned: int
    cost: int
    nothing: int


def totals(found: Sequence[Credited]) -> list[Total]:
    """Return totals by agent and kind, in the order in which they first occur."""
    groups: dict[tuple[str, str], dict[str, list[Credit]]] = {}
    for episode in found:
        for one in episode.credits:
            groups.setdefault((episode.row, one.part.kind), {}).setdefault(episode.episode, []).append(one)
    return [_total(row, kind, list(episodes.values())) for (row, kind), episodes in groups.items()]


def _total(row: str, kind: str, episodes: Sequence[Sequence[Credit]]) -> Total:
    values = [[one.difference for one in credits if one.difference is not None] for credits in episodes]
    shown = [[one.shown for one in credits if one.shown is not None] for credits in episodes]
    flat = [value for one in values for value in one]
    parts = sum(len(credits) for credits in episodes)
    return Total(
        row, kind, len(episodes), parts, parts - len(flat),
        estimate([fmean(one) for one in values if one]), estimate([fmean(one) for one in shown if one]),
        sum(one > 0 for one in flat), sum(one < 0 for one in flat), sum(one == 0 for one in flat),
    )  # fmt: skip


def file_of(folder: Path, by: str) -> Path:
    """Return where the folder of a run keeps its credit by entry or by operation."""
    return folder / f"credit-{by}.json"


def save(path: Path, found: Sequence[Credited], wanted: Wanted, *, complete: bool) -> None:
    """Write credits and totals; how many processes made them makes no difference."""
    data = {
        "memgym": memgym.__version__,
        "by": wanted.by,
        "mode": wanted.mode,
        "model": wanted.model,
        "limit": wanted.limit,
        "complete": complete,
        "episodes": [one.to_json() for one in found],
        "totals": [asdict(one) for one in totals(found)],
    }
    write_whole(path, json.dumps(data, indent=1) + "\n")


def credits_of(folder: Path, episode: str) -> list[dict[str, Any]]:
    """Return what the folder of a run says of an episode's credit, as plain data: by entry, by operation, or neither.

    A file that is no such file is a ValueError.
    """
    found = []
    for by in BY:
        path = file_of(folder, by)
        if path.is_file():
            try:
                data = json.loads(path.read_text(encoding="utf-8"))
                found += [{**one, "by": by} for one in data["episodes"] if one["episode"] == episode]
            except (ValueError, LookupError, TypeError) as broken:
                raise ValueError(f"{path} is not what memgym credit writes: {broken!r}") from None
    return found


def changed(one: Credit) -> bool:
    """Return whether anything that is scored differs without a part, or it could not be played."""
    return bool(one.error or one.difference or one.stored or one.shown or one.questions)


def episode_table(found: Credited, by: str, top: int) -> Table:
    """Return the parts of an episode without which something is different, greatest difference of reward first."""
    rows = sorted(filter(changed, found.credits), key=lambda one: (-abs(one.difference or 0), -abs(one.shown or 0)))
    table = Table(title=f"{found.episode}: reward {number(found.reward)}, without one {by} at a time ({found.mode})")
    for name in (by, "kind", "step", "text", "with", "without", "difference", "evidence\nshown", "questions"):
        table.add_column(name, justify="left" if name in (by, "kind", "text", "questions") else "right")
    for one in rows[:top]:
        table.add_row(*_cells(one))
    left, same = len(rows) - len(rows[:top]), len(found.credits) - len(rows)
    table.caption = "; ".join(
        [
            *([f"{left} more in the file"] if left else []),
            f"{same} of {len(found.credits)} change nothing",
            *([f"{found.parts} parts in all"] if found.parts != len(found.credits) else []),
        ]
    )
    return table


def _cells(one: Credit) -> list[str]:
    part = one.part
    head = [part.name, part.kind, str(part.step) if part.step else "start", shortened(part.text, 60)]
    if one.error:
        return [*head, number(one.with_), "-", "-", "-", one.error]
    asked = ", ".join(str(change.question) for change in one.questions if change.score[0] != change.score[1])
    return [*head, number(one.with_), number(one.without), _signed(one.difference), _signed(one.shown), asked]


def _signed(value: float | None) -> str:
    return "-" if value is None else f"{value:+.3f}"


_TOTALS = ("agent", "kind", "episodes", "parts", "reward a part", "95 % interval", "evidence\nshown", "earn", "cost",
           "nothing", "failed")  # fmt: skip


def totals_table(found: Sequence[Total], by: str) -> Table:
    """Return totals as a table."""
    table = Table(title=f"Credit of one {by}, by the kind of operation")
    for name in _TOTALS:
        table.add_column(name, justify="left" if name in ("agent", "kind") else "right")
    for one in found:
        table.add_row(
            one.row, one.kind, str(one.episodes), str(one.parts), number(one.a_part.mean, 4),
            f"[{number(one.a_part.low, 4)}, {number(one.a_part.high, 4)}]", number(one.shown.mean, 4), str(one.earned),
            str(one.cost), str(one.nothing), str(one.failed),
        )  # fmt: skip
    return table


def notes(found: Sequence[Credited]) -> list[str]:
    """Return what a reader must know below the tables."""
    lines = []
    if any(one.mode == "replay" and not one.failed for one in found):
        lines.append(
            "replay: actions and answers are fixed as they were recorded, so rewards do not react; what changes is the "
            "evidence that memory stored and showed."
        )
    lines.append(
        "One part is left out at a time: what two parts hold earns nothing for either, and credits do not add up."
    )
    said: dict[str, list[str]] = {}
    for one in found:
        if one.note:
            said.setdefault(one.note, []).append(one.episode)
    return lines + [
        f"{ids[0]}{f' and {len(ids) - 1} more' if len(ids) > 1 else ''}: {note}" for note, ids in said.items()
    ]
