"""``memgym match --protocols``: which evaluation protocol can be played on which benchmark, and what the others lack.

Separate from the matching of components: here a whole schedule meets the fields of samples.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from memgym import registry
from memgym.contracts import lacking
from memgym.extras import require

_YES, _NO = "#0072b2", "#f0e6d2"
"""Told apart by colour-blind readers, and by the mark in each cell."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One protocol on one benchmark: the fields that are missing; none where it can be played."""

    protocol: str
    benchmark: str
    missing: tuple[str, ...]


def cells(benchmark: str | None = None) -> list[Cell]:
    """Return every protocol on every benchmark, or on one; benchmarks that are asked come before worlds to act in.

    An unknown benchmark is an UnknownName error.
    """
    provided = _provided(benchmark)
    return [
        Cell(protocol, name, lacking(registry.load("protocol", protocol).requires, keys))
        for protocol in registry.names("protocol")
        for name, keys in provided.items()
    ]


def _provided(benchmark: str | None) -> Mapping[str, frozenset[str]]:
    names = registry.names("benchmark")
    if benchmark is not None:
        folded = {name.casefold(): name for name in names}
        names = [folded.get(benchmark.casefold(), benchmark)]
    found = {name: frozenset(registry.load("benchmark", name).provides) for name in names}
    return dict(sorted(found.items(), key=lambda pair: ("question" not in pair[1], pair[0])))


def to_json(found: list[Cell]) -> list[dict[str, Any]]:
    return [{**asdict(cell), "missing": list(cell.missing)} for cell in found]


def show(found: list[Cell]) -> None:
    """Print for each protocol the benchmarks on which it can be played, and what the others lack."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, soft_wrap=True)
    table = Table("protocol", "can be played on", "lacks", box=None, pad_edge=False)
    for protocol in dict.fromkeys(cell.protocol for cell in found):
        row = [cell for cell in found if cell.protocol == protocol]
        fits = [cell.benchmark for cell in row if not cell.missing]
        table.add_row(protocol, "all" if len(fits) == len(row) > 1 else ", ".join(fits) or "-", _lacks(row))
    console.print(table)
    fitting = sum(not cell.missing for cell in found)
    console.print(f"{fitting} of {len(found)} pairs can be played.")


def _lacks(row: list[Cell]) -> str:
    """Return the benchmarks that lack something, gathered by what it is."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for cell in row:
        if cell.missing:
            groups.setdefault(cell.missing, []).append(cell.benchmark)
    return "; ".join(f"{', '.join(missing)}: {', '.join(names)}" for missing, names in groups.items()) or "-"


def draw(found: list[Cell], path: Path) -> None:
    """Draw protocols by benchmarks (MemTools, Figure 5); needs the extra "plot"."""
    require("matplotlib", "plot", "A figure")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure

    protocols = list(dict.fromkeys(cell.protocol for cell in found))
    benchmarks = list(dict.fromkeys(cell.benchmark for cell in found))
    fits = {(cell.protocol, cell.benchmark): not cell.missing for cell in found}
    drawing = Figure(figsize=(2.6 + 0.42 * len(benchmarks), 1.8 + 0.36 * len(protocols)), layout="constrained")
    FigureCanvasAgg(drawing)
    axes = drawing.add_subplot()
    grid = [[int(fits[protocol, benchmark]) for benchmark in benchmarks] for protocol in protocols]
    axes.imshow(grid, cmap=ListedColormap([_NO, _YES]), vmin=0, vmax=1, aspect="auto")
    for y, row in enumerate(grid):
        for x, fit in enumerate(row):
            axes.text(x, y, "✓" if fit else "·", ha="center", va="center", color="white" if fit else "#555555")
    axes.set_xticks(range(len(benchmarks)), benchmarks, rotation=60, ha="right", fontsize=8)
    axes.set_yticks(range(len(protocols)), protocols, fontsize=8)
    asked = sum("question" in registry.load("benchmark", name).provides for name in benchmarks)
    if 0 < asked < len(benchmarks):
        axes.axvline(asked - 0.5, color="#d55e00", linewidth=2)
    axes.set_title("Protocols by benchmarks: asked on the left, acted in on the right", fontsize=9)
    path.parent.mkdir(parents=True, exist_ok=True)
    drawing.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=150)
