"""A run as a picture: reward with its interval beside what memory showed, one line an agent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from memgym.extras import require

from .config import RunConfig
from .folder import METRICS, RunFolder
from .table import title

_REWARD, _SHOWN = "#0072b2", "#e69f00"
"""Two colours of Okabe and Ito's palette, told apart by colour-blind readers; the markers differ too."""


def figure(
    run: Annotated[Path, typer.Argument(help="The folder of a run.")],
    out: Annotated[Path | None, typer.Option(help="The file to write, .svg or .png (default: in the folder).")] = None,
) -> None:
    """Draw a run: reward with its 95 % interval, and the share of evidence that memory showed."""
    folder = RunFolder.resume(run)
    metrics = folder.path / METRICS
    if not metrics.is_file():
        raise FileNotFoundError(f"{run} holds no {METRICS}: finish the run first with memgym bench --resume {run}")
    path = out or folder.path / "figure.svg"
    draw(json.loads(metrics.read_text(encoding="utf-8")), path)
    typer.echo(str(path))


def draw(metrics: dict[str, Any], path: Path) -> None:
    """Draw the rows of a metrics.json; needs the extra "plot"."""
    require("matplotlib", "plot", "A figure")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    rows = sorted(metrics["rows"], key=lambda row: (row["reward"]["mean"], row["agent"]))
    drawing = Figure(figsize=(8, 0.45 * len(rows) + 1.6), layout="constrained")
    FigureCanvasAgg(drawing)
    axes = drawing.add_subplot()
    _points(axes, rows)
    axes.set_title(title(RunConfig.model_validate(metrics["config"])), fontsize=9)
    path.parent.mkdir(parents=True, exist_ok=True)
    drawing.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=150)


def _points(axes: Any, rows: list[dict[str, Any]]) -> None:
    places = range(len(rows))
    scores = [row["reward"] for row in rows]
    below = [score["mean"] - score["low"] for score in scores]
    above = [score["high"] - score["mean"] for score in scores]
    means = [score["mean"] for score in scores]
    axes.errorbar(means, places, xerr=[below, above], fmt="o", color=_REWARD, capsize=3, label="reward, 95 % interval")
    shown = [(place, row["metrics"]["evidence_shown"]["mean"]) for place, row in zip(places, rows, strict=True)
             if "evidence_shown" in row["metrics"]]  # fmt: skip
    axes.plot(
        [x for _, x in shown], [y for y, _ in shown], "D", color=_SHOWN, mfc="none", label="evidence that memory showed"
    )
    axes.set_yticks(list(places), [row["agent"] + (" *" if row["privileged"] else "") for row in rows])
    axes.set_xlim(-0.03, 1.03)
    axes.set_xlabel("mean an episode (* sees the answer key: an upper bound)")
    axes.grid(axis="x", alpha=0.3)
    axes.legend(loc="lower right", fontsize=8)
