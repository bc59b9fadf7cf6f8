"""``python -m benchmarks.figure RESULTS.json FIGURE.svg``: how many times as fast ours is as each peer."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from benchmarks.machine import line
from benchmarks.rows import Row, load
from memgym.extras import require


def bars(rows: list[Row]) -> list[tuple[str, float, bool]]:
    """Return what is drawn, slowest first: peer and work, how many times as fast ours is, whether its bound held."""
    found = [
        (f"{row.peer}: {row.work}", 1 / row.ratio, row.held)
        for row in rows
        if row.ratio and not row.absent and row.unit == "us" and not row.peer.startswith("limit")
    ]
    return sorted(found, key=lambda one: one[1])


def draw(rows: list[Row], machine: dict[str, Any], path: Path) -> None:
    """Draw the bars on a logarithmic scale; the figure's format is its file name's ending."""
    require("matplotlib", "plot", "A figure")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    shown = bars(rows)
    drawing = Figure(figsize=(9.5, 1.4 + 0.24 * len(shown)), layout="constrained")
    FigureCanvasAgg(drawing)
    axes: Any = drawing.add_subplot()
    colours = ["#3b6ea5" if held else "#c0504d" for _, _, held in shown]
    axes.barh(range(len(shown)), [times - 1 for _, times, _ in shown], left=1, color=colours)
    axes.set_xscale("log")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_yticks(range(len(shown)), [name for name, _, _ in shown], fontsize=7)
    for at, (_, times, _) in enumerate(shown):
        axes.text(max(times, 1) * 1.05, at, f"{times:,.3g}", va="center", fontsize=7)
    axes.set_xlabel("times as fast as the peer or floor (CPU time; red: its bound did not hold)", fontsize=8)
    drawing.suptitle(line(machine), fontsize=7)
    drawing.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.figure", description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("figure", type=Path)
    options = parser.parse_args()
    rows, machine = load(options.results)
    draw(rows, machine, options.figure)
    print(f"Drew {len(bars(rows))} of {len(rows)} rows in {options.figure}.")


if __name__ == "__main__":
    main()
