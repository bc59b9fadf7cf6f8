"""One measured line, the table of them, and the same as JSON with the machine that they were measured on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from rich.markup import escape
from rich.table import Table

from benchmarks.timing import spread
from memgym.printing import console_for

INSTALL = "pip install memgym[bench]"
UNITS = {"us": 1.0, "ms": 1e3, "s": 1e6}


@dataclass(frozen=True, slots=True)
class Row:
    """CPU microseconds of ours and of a peer (or a floor, or a limit), and the bound that must hold, if there is one.

    ``at_most`` bounds ours / theirs, ``at_least`` theirs / ours (how many times as fast we are). ``spread`` is the
    distance of the quartiles of that ratio over the rounds, ``best`` our least round. ``unit`` is "us" for times;
    anything else ("bytes", "recall") is shown as it is. ``absent`` says why there is no figure of the peer.
    ``size`` is the number of entries, where a row is one of several sizes.
    """

    work: str
    ours: float
    peer: str = ""
    theirs: float | None = None
    at_most: float | None = None
    at_least: float | None = None
    spread: float | None = None
    best: float | None = None
    unit: str = "us"
    absent: str = ""
    group: str = ""
    size: int | None = None

    @property
    def ratio(self) -> float | None:
        """Ours / theirs; None where there is no peer's figure."""
        return self.ours / self.theirs if self.theirs else None

    @property
    def held(self) -> bool:
        """Whether the bound holds; without a bound, or without the peer, nothing is broken."""
        ratio = self.ratio
        if ratio is None:
            return True
        fits = self.at_most is None or ratio <= self.at_most
        return fits and (self.at_least is None or 1 / ratio >= self.at_least)


def against(
    work: str,
    ours: Sequence[float],
    peer: str,
    theirs: Sequence[float],
    *,
    at_most: float | None = None,
    at_least: float | None = None,
    size: int | None = None,
) -> Row:
    """Return the row of two timings of ``timing.interleaved``: medians, and the spread of the rounds' ratios."""
    ratios = [one / other for one, other in zip(ours, theirs, strict=True)]
    apart = spread(ratios if at_least is None else [1 / ratio for ratio in ratios])
    middle = median(theirs)
    return Row(work, median(ratios) * middle, peer, middle, at_most, at_least, apart, min(ours), size=size)


def limited(work: str, ours: Sequence[float], limit: float, *, size: int | None = None) -> Row:
    """Return the row of a timing that must stay under a limit in CPU microseconds."""
    apart = spread([one / limit for one in ours])
    return Row(work, median(ours), f"limit {_figure(limit, 'us')}", limit, 1.0, None, apart, min(ours), size=size)


def absent(work: str, peer: str, why: str = "", ours: float = 0.0) -> Row:
    """Return the row of a peer that is not there: ``why``, or that it is not installed."""
    return Row(work, ours, peer, absent=why or f"not installed: {INSTALL}")


def show(rows: Iterable[Row]) -> bool:
    """Print the rows; return whether every bound held."""
    table = Table("work", "ours", "peer, floor or limit", "theirs", "ratio", "spread", "must be", "")
    held = True
    for row in rows:
        held &= row.held
        verdict = "" if _bound(row) == "" or row.absent else "held" if row.held else "NOT HELD"
        table.add_row(*map(escape, (_work(row), *_figures(row), _bound(row), verdict)))
    console_for(table).print(table)
    return held


def _work(row: Row) -> str:
    """Return what was measured, with its size where the words do not say it."""
    told = row.size is None or f"{row.size}" in row.work.replace(",", "")
    return row.work if told else f"{row.work}, {row.size:,} entries"


def _figures(row: Row) -> tuple[str, str, str, str, str]:
    ours = _figure(row.ours, row.unit) if row.ours else ""
    if row.absent or row.theirs is None:
        return ours, row.peer, row.absent, "", ""
    ratio = row.ratio or 0.0
    if row.at_least is not None:
        ratio = 1 / ratio
    apart = "" if row.spread is None else f"{row.spread:.2g}"
    return ours, row.peer, _figure(row.theirs, row.unit), f"{_short(ratio)}{'x faster' if row.at_least else ''}", apart


def _bound(row: Row) -> str:
    if row.at_least is not None:
        return f">= {row.at_least:g}x faster"
    return "" if row.at_most is None else f"<= {row.at_most:g}"


def _figure(value: float, unit: str) -> str:
    """Return a figure with its unit; microseconds as the unit that suits them."""
    if unit != "us":
        return f"{_short(value)} {unit}"
    name = next((name for name in ("s", "ms") if value >= UNITS[name]), "us")
    return f"{_short(value / UNITS[name])} {name}"


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def save(path: Path, rows: Sequence[Row], machine: Mapping[str, Any]) -> None:
    """Write the rows and the machine's description as JSON; ``load`` reads it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    told = {"machine": dict(machine), "rows": [{**asdict(row), "ratio": row.ratio, "held": row.held} for row in rows]}
    path.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def load(path: Path) -> tuple[list[Row], dict[str, Any]]:
    """Return what ``save`` wrote: the rows, and the machine."""
    told = json.loads(path.read_text(encoding="utf-8"))
    names = Row.__slots__
    return [Row(**{name: row[name] for name in names}) for row in told["rows"]], told["machine"]
