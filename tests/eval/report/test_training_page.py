"""The page of training runs: what is drawn from which numbers, over seeds, and of a run that goes on or was killed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from memgym.eval.report.commands import report
from memgym.eval.report.curves import Curve, curves
from memgym.eval.report.training_page import AFTER, compared, seeds_of, training_page
from memgym.eval.report.training_run import read_training

RECIPE: dict[str, Any] = {
    "name": "mine",
    "seed": 0,
    "env": {"id": "MemGym/X"},
    "model": {"path": "tiny"},
    "grpo": {"lr": 1},
}
ROW = {"operations": 1.5, "tokens": 100.0, "n": 10, "privileged": False}


def step(number: int, reward: float, **more: float) -> dict[str, Any]:
    data = {"episode/reward": reward, "episode/operations/create": 1.0, "episode/operations/link": 0.0, **more}
    return {"step": number, "data": {**data, "text": "no number"}}


def folder(path: Path, steps: list[dict[str, Any]], rows: list[dict[str, Any]] | None = None, **changes: Any) -> Path:
    (path / "test").mkdir(parents=True)
    (path / "recipe.yaml").write_text(yaml.safe_dump({**RECIPE, **changes}), "utf-8")
    (path / "metrics.jsonl").write_text("".join(json.dumps(one) + "\n" for one in steps), "utf-8")
    if rows is not None:
        (path / "test" / "table.json").write_text(json.dumps(rows), "utf-8")
    return path


def row(agent: str, mean: float, setting: str = "") -> dict[str, Any]:
    return {**ROW, "agent": agent, "setting": setting, "reward": {"mean": mean, "low": mean - 0.1, "high": mean + 0.1}}


def test_a_page_has_the_figures_that_there_are_numbers_for(tmp_path: Path) -> None:
    steps = [step(0, 0.1, **{"val-core/MemGym/X/reward/mean@1": 0.2}), step(1, 0.2)]
    page, figures, _ = training_page([folder(tmp_path / "a", steps)])
    assert [one.name for one in figures] == ["reward", "operations"]
    assert all(f'id="{one.name}"' in page for one in figures)
    assert "no comparison yet" in page


def test_an_operation_that_is_never_written_has_no_curve(tmp_path: Path) -> None:
    _, figures, _ = training_page([folder(tmp_path / "a", [step(1, 0.1), step(2, 0.2)])])
    assert "create" in figures[1].svg
    assert "link" not in figures[1].svg


def test_seeds_of_one_recipe_are_one_curve_between_the_lowest_and_the_highest(tmp_path: Path) -> None:
    runs = [
        read_training(folder(tmp_path / f"{seed}", [step(1, low), step(2, high)], seed=seed))
        for seed, (low, high) in enumerate(((0.1, 0.3), (0.3, 0.4)))
    ]
    [group] = seeds_of(runs)
    drawn = group.curve("reward", lambda run: {at: data["episode/reward"] for at, data in run.metrics.items()})
    assert drawn == Curve("reward", (1.0, 2.0), (0.2, 0.35), (0.1, 0.3), (0.3, 0.4))


def test_two_recipes_are_two_curves(tmp_path: Path) -> None:
    runs = [
        read_training(folder(tmp_path / name, [step(1, 0.1)], grpo={"lr": lr})) for name, lr in (("a", 1), ("b", 2))
    ]
    assert [group.label for group in seeds_of(runs)] == ["mine · a", "mine · b"]


def test_a_step_that_only_some_seeds_have_is_not_drawn(tmp_path: Path) -> None:
    paths = [folder(tmp_path / "0", [step(1, 0.1), step(2, 0.2)]), folder(tmp_path / "1", [step(1, 0.3)], seed=1)]
    [group] = seeds_of([read_training(path) for path in paths])
    drawn = group.curve("r", lambda run: {at: data["episode/reward"] for at, data in run.metrics.items()})
    assert drawn is not None
    assert drawn.x == (1.0,)


def test_a_single_run_is_compared_with_its_intervals(tmp_path: Path) -> None:
    run = read_training(folder(tmp_path / "a", [step(1, 0.1)], [row("llm", 0.5), row("rag", 0.7)]))
    assert [(one.agent, one.mean, one.low, one.high) for one in compared(seeds_of([run])[0])] == [
        ("rag", 0.7, pytest.approx(0.6), pytest.approx(0.8)),
        ("llm", 0.5, pytest.approx(0.4), pytest.approx(0.6)),
    ]


def test_seeds_are_compared_by_their_means(tmp_path: Path) -> None:
    runs = [
        read_training(
            folder(tmp_path / f"{seed}", [step(1, 0.1)], [row("llm", mean), row("llm", 0.1, "mask")], seed=seed)
        )
        for seed, mean in enumerate((0.4, 0.6))
    ]
    first, second = compared(seeds_of(runs)[0])
    assert (first.runs, first.n, first.mean, first.low, first.high) == (2, 20, 0.5, 0.0, 1.0)
    assert second.setting == "mask"


def test_rows_are_told_from_the_trained_policy_seed_by_seed(tmp_path: Path) -> None:
    def table(mean: float) -> list[dict[str, Any]]:
        return [row(AFTER, mean), row("rag", mean - 0.2), row(AFTER, mean - 0.1, "w/o update")]

    paths = [folder(tmp_path / f"{seed}", [step(1, 0.1)], table(0.5 + seed / 10), seed=seed) for seed in range(3)]
    own, rag, masked = compared(seeds_of([read_training(path) for path in paths])[0])
    assert own.behind is None
    assert rag.behind == pytest.approx((0.2, 0.2, 0.2))
    assert masked.behind == pytest.approx((0.1, 0.1, 0.1))
    assert "0.200 (0.200 to 0.200)" in training_page(paths)[-1]


def test_the_comparison_is_a_table_for_a_document_too(tmp_path: Path) -> None:
    *_, table = training_page([folder(tmp_path / "a", [step(1, 0.1)], [row("llm", 0.5, "mask")])])
    assert table.splitlines()[2] == "| mask | llm | 10 | 0.500 | 0.400 to 0.600 | 1.50 |"


def test_half_a_last_line_is_left_out(tmp_path: Path) -> None:
    path = folder(tmp_path / "a", [step(1, 0.1)])
    with open(path / "metrics.jsonl", "a", encoding="utf-8") as file:
        file.write('{"step": 2, "da')
    assert list(read_training(path).metrics) == [1]


def test_a_broken_line_before_the_last_is_named(tmp_path: Path) -> None:
    path = folder(tmp_path / "a", [step(1, 0.1)])
    (path / "metrics.jsonl").write_text('nonsense\n{"step": 1, "data": {}}\n', "utf-8")
    with pytest.raises(ValueError, match="line 1"):
        read_training(path)


def test_a_step_that_was_done_again_replaces_the_first(tmp_path: Path) -> None:
    path = folder(tmp_path / "a", [step(1, 0.1), step(2, 0.2), step(2, 0.4)])
    assert read_training(path).metrics[2]["episode/reward"] == 0.4


def test_training_without_a_step_is_nothing_to_draw(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no step yet"):
        read_training(folder(tmp_path / "a", []))


def test_the_command_knows_the_folder_of_a_training(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder(tmp_path / "a", [step(1, 0.1), step(2, 0.2)], [row("llm", 0.5)])
    report([path], figures=tmp_path / "figures")
    assert (path / "report.html").read_text("utf-8").startswith("<!doctype html>")
    assert sorted(one.name for one in (tmp_path / "figures").iterdir()) == [
        "comparison.md",
        "operations.svg",
        "reward.svg",
    ]
    assert "2 figures" in capsys.readouterr().out


def test_runs_of_agents_and_of_training_are_not_mixed(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="apart"):
        report([folder(tmp_path / "a", [step(1, 0.1)]), tmp_path])


@pytest.mark.parametrize("said", ["<script>alert(1)</script>", "\u202eabc", "記憶", ""])
def test_what_a_recipe_says_is_shown_and_never_run(tmp_path: Path, said: str) -> None:
    page, _, _ = training_page([folder(tmp_path / "a", [step(1, 0.1)], [row(said, 0.5, said)], name=said or "x")])
    assert "<script>alert" not in page
    page.encode("utf-8")


def test_a_chart_shows_what_is_below_zero() -> None:
    drawn = curves("t", [Curve("a", (0.0, 1.0), (-0.5, 0.5))], y_label="reward")
    assert "−0.4" in drawn


def test_a_chart_of_one_point_and_of_nothing_but_zeros_is_a_chart() -> None:
    for curve in (Curve("a", (3.0,), (1.0,)), Curve("b", (0.0, 1.0), (0.0, 0.0))):
        assert curves("t", [curve], y_label="y").startswith("<svg")
