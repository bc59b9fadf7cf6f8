"""The picture of a run of ``memgym ppo``: how every seed learned, and where the scripts stand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memgym.extras import require

_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")
"""Okabe and Ito's palette, told apart by colour-blind readers; the dashes differ too."""
_DASHES = ("-", "--", "-.", ":", (0, (1, 1)), (0, (5, 1)))


def draw(results: dict[str, Any], path: Path) -> None:
    """Draw the results as SVG or PNG by the ending of ``path``; needs the extra "plot"."""
    require("matplotlib", "plot", "A figure")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    drawing = Figure(figsize=(8, 4.2), layout="constrained")
    FigureCanvasAgg(drawing)
    axes = drawing.add_subplot()
    for at, (seed, points) in enumerate(results["curves"].items()):
        look: dict[str, Any] = {"color": _COLOURS[at % len(_COLOURS)], "ls": _DASHES[at % len(_DASHES)]}
        axes.plot([x for x, _ in points], [y for _, y in points], label=f"PPO, seed {seed}", **look)
    for row in results["rows"]:
        if not row["name"].startswith("PPO"):
            axes.axhspan(row["low"], row["high"], color="#999999", alpha=0.25, lw=0)
            axes.axhline(row["mean"], color="#555555", lw=0.8)
            axes.annotate(row["name"], (0.01, row["mean"]), xycoords=("axes fraction", "data"), fontsize=8, va="bottom")
    axes.set(xlabel="training episodes", ylabel="EM", ylim=(-0.03, 1.08), xlim=(0, None))
    axes.set_title(
        "Structured view: EM of the last 200 training episodes (the policy sees hand-made features)", fontsize=9
    )
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right", fontsize=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    drawing.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=150)
