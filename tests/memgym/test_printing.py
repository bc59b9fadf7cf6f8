"""Tables are whole wherever they go."""

from __future__ import annotations

import pytest
from rich.table import Table

from memgym.printing import print_table

LONG = "a-name-without-any-blank-" * 12


def table() -> Table:
    made = Table("name", "about")
    made.add_row(LONG, "x " * 200)
    return made


def test_without_a_terminal_a_row_is_one_line_and_nothing_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(table())
    lines = capsys.readouterr().out.splitlines()
    assert any(LONG in line and "x " * 199 in line for line in lines)


def test_on_a_narrow_terminal_cells_go_on_in_the_next_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "60")
    print_table(table())
    said = capsys.readouterr().out
    assert "…" not in said
    assert said.count("a") >= LONG.count("a")
