"""The before/after table of a training run, as it is printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_COLUMNS = ("setting", "agent", "n", "reward", "95 % interval", "ops/step", "tokens/episode")


def show_table(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print the rows of a comparison, setting by setting, best reward first."""
    from rich.table import Table

    from memgym.printing import console_for

    table = Table(title="Held-out samples; who reads and answers is the policy before GRPO, but for the policy itself")
    for column in _COLUMNS:
        table.add_column(column, justify="left" if column in _COLUMNS[:2] else "right", no_wrap=True)
    for row in ordered(rows):
        table.add_row(*_cells(row))
    console_for(table).print(table)


def ordered(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the rows by setting, in the order in which settings first appear, best reward first."""
    settings = list(dict.fromkeys(row["setting"] for row in rows))
    return sorted(rows, key=lambda row: (settings.index(row["setting"]), -row["reward"]["mean"], row["agent"]))


def _cells(row: Mapping[str, Any]) -> list[str]:
    reward = row["reward"]
    return [
        row["setting"] or "own", row["agent"] + ("*" if row["privileged"] else ""), str(row["n"]),
        f"{reward['mean']:.3f}", f"[{reward['low']:.3f}, {reward['high']:.3f}]", f"{row['operations']:.2f}",
        f"{row['tokens']:,.0f}",
    ]  # fmt: skip
