"""One measured line, and the table of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True, slots=True)
class Row:
    """CPU microseconds of ours and of a peer (or a floor, or a limit); ``at_most`` is the ratio that must hold."""

    work: str
    ours: float
    peer: str
    theirs: float
    at_most: float | None = None

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs

    @property
    def held(self) -> bool:
        return self.at_most is None or self.ratio <= self.at_most


def show(rows: Iterable[Row]) -> bool:
    """Print the rows; return whether every bound held."""
    table = Table("work", "ours, us", "peer", "peer, us", "ratio", "must be")
    held = True
    for row in rows:
        held &= row.held
        bound = "" if row.at_most is None else f"<= {row.at_most:g}{'' if row.held else '  NOT HELD'}"
        table.add_row(row.work, f"{row.ours:.2f}", row.peer, f"{row.theirs:.2f}", f"{row.ratio:.2f}", bound)
    Console(width=140, highlight=False).print(table)
    return held
