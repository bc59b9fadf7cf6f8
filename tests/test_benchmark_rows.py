"""The benchmarks' table: what a bound means, and that an absent peer is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import PARTS, machine
from benchmarks.figure import bars
from benchmarks.rows import Row, absent, against, limited, load, save, show


def test_a_ratio_is_the_median_of_the_rounds_ratios() -> None:
    row = against("work", [1.0, 2.0, 30.0], "peer", [2.0, 4.0, 10.0], at_most=0.6)
    assert (row.ratio, row.held) == (0.5, True)


def test_the_spread_is_between_the_quartiles() -> None:
    assert against("work", [1.0, 2.0, 3.0, 4.0, 5.0], "peer", [1.0] * 5).spread == 3.0
    assert against("work", [1.0, 2.0], "peer", [1.0] * 2).spread is None


@pytest.mark.parametrize(("at_least", "held"), [(3.9, True), (4.1, False)])
def test_at_least_is_how_many_times_as_fast_ours_is(at_least: float, held: bool) -> None:
    assert against("work", [1.0], "peer", [4.0], at_least=at_least).held is held


@pytest.mark.parametrize(("ours", "held"), [(19.0, True), (21.0, False)])
def test_a_limit_is_not_passed(ours: float, held: bool) -> None:
    assert limited("work", [ours], 20.0).held is held


def test_an_absent_peer_is_a_line_that_says_how_to_get_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert show([absent("mix", "chromadb")])
    told = " ".join(capsys.readouterr().out.split())
    assert "chromadb" in told
    assert "pip install memgym[bench]" in told


def test_a_bound_that_does_not_hold_is_said_and_returned(capsys: pytest.CaptureFixture[str]) -> None:
    assert not show([limited("step", [30.0], 20.0)])
    assert "NOT HELD" in capsys.readouterr().out


def test_saved_rows_are_read_back(tmp_path: Path) -> None:
    rows = [limited("step", [30.0], 20.0), absent("mix", "chromadb"), Row("size", 1.2, "raw", 1.0, 1.3, unit="bytes")]
    save(tmp_path / "results.json", rows, machine.describe())
    again, told = load(tmp_path / "results.json")
    assert again == rows
    assert told["versions"]["memgym"]
    assert told["cores"] >= 1


def test_the_figure_shows_what_has_a_peer() -> None:
    rows = [limited("step", [30.0], 20.0), absent("mix", "chromadb"), against("mix", [1.0], "faiss", [4.0], at_least=5)]
    assert bars(rows) == [("faiss: mix", 4.0, False)]


@pytest.mark.parametrize("part", PARTS)
def test_every_part_has_rows(part: str) -> None:
    module = __import__(f"benchmarks.{part}", fromlist=["rows"])
    assert callable(module.rows)
