"""The table that `memgym bench` prints, with everything that a reader needs in order to doubt it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from .config import RunConfig
from .metrics.intervals import Estimate
from .metrics.rows import Row
from .protocols.protocol import Measure

_COLUMNS = ("agent", "n", "reward", "95 % interval", "F1", "evidence\nshown", "evidence\nstored", "ops/\nstep",
            "tokens/\nepisode", "calls/\nepisode", "model tokens/\nepisode")  # fmt: skip


def table(rows: Sequence[Row], config: RunConfig) -> Table:
    """Return the rows, best reward first, as a rich table."""
    shown = Table(title=title(config))
    for column in _COLUMNS:
        shown.add_column(column, justify="left" if column == "agent" else "right", no_wrap=True)
    unscored = config.model == "none"
    for row in sorted(rows, key=lambda row: (-row.reward.mean, row.agent)):
        shown.add_row(*_cells(row, scored=not (unscored and row.asked) or row.privileged))
    return shown


def title(config: RunConfig) -> str:
    """Return what was played in one line; a data path is left to the saved config."""
    options = [f"{name}={value}" for name, value in config.env_options.items() if name != "data"]
    played = [
        config.env,
        *options,
        f"{config.episodes} episodes an agent",
        f"seed {config.seed}",
        f"model {config.model}",
        *([] if config.protocol["name"] == "isolated" else [f"protocol {config.protocol['name']}"]),
    ]
    return ", ".join(played)


def _cells(row: Row, *, scored: bool) -> list[str]:
    played = f"{row.n}" if not row.failed else f"{row.n} ({row.failed} failed)"
    score = [_number(row.reward.mean), _interval(row.reward), _mean(row, "f1")] if scored else ["-", "-", "-"]
    return [
        row.agent + ("*" if row.privileged else ""), played, *score, _mean(row, "evidence_shown"),
        _mean(row, "evidence_stored"), f"{row.operations:.2f}", f"{row.tokens:,.0f}", f"{row.calls:.1f}",
        f"{row.model_tokens:,.0f}",
    ]  # fmt: skip


def _mean(row: Row, name: str) -> str:
    return _number(row.metrics[name].mean) if name in row.metrics else "-"


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.3f}"


def _interval(estimate: Estimate) -> str:
    return f"[{_number(estimate.low)}, {_number(estimate.high)}]"


def notes(rows: Sequence[Row], config: RunConfig) -> list[str]:
    """Return the lines below the table: what was played, what read, what failed."""
    lines = ["Reward is the mean over all episodes, a failed one counting 0; the interval is a 95 % bootstrap."]
    if any(row.privileged for row in rows):
        lines.append("* sees the answer key: an upper bound, not a competitor.")
    if config.model == "rules":
        lines.append("rules is a deterministic reader of the synthetic world's sentences, not a language model.")
    if config.model == "none" and any(row.asked for row in rows):
        lines.append("No language model was given: answers are not scored, only what memory stored and showed.")
    encoder = config.env_options.get("encoder")
    if encoder and str(encoder).startswith("hashing"):
        lines.append("Dense reads used the hashing encoder, which is meant for tests: --encoder minilm is a real one.")
    for row in rows:
        lines += [f"{row.agent}: {error}" for error in row.errors[:3]]
        if row.degraded:
            lines.append(f"{row.agent}: {row.degraded} model replies could not be parsed even after retries.")
        if row.truncated:
            lines.append(f"{row.agent}: {row.truncated} episodes ran out of steps.")
    return lines


def measured(measures: Sequence[Measure], *, scored: bool) -> Table:
    """Return what a protocol measured, as a table; what is made of rewards is left open where they say nothing."""
    shown = Table("row", "measure", "n", "mean", "95 % interval", title="What the protocol measures")
    for one in measures:
        value = one.value
        said = (_number(value.mean), _interval(value)) if scored or not one.rewarded else ("-", "-")
        shown.add_row(one.row, one.name, str(value.n), *said)
    return shown


def show(rows: Sequence[Row], config: RunConfig, measures: Sequence[Measure] = ()) -> None:
    """Print the table, what the protocol measured, and the notes.

    Without a terminal the width is what the table needs, not 80 columns.
    """
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=160)
    console.print(table(rows, config))
    if measures:
        console.print(measured(measures, scored=config.model != "none" or not any(row.asked for row in rows)))
    for line in notes(rows, config):
        console.print(line, style="dim", markup=False)
