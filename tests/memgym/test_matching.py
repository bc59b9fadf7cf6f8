"""``memgym match`` and ``memgym show`` on the registered components."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from memgym.cli import app


def said(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    return result.output


def test_the_shares_of_failures_add_up_to_one():
    found = json.loads(said("match", "--benchmark", "hotpotqa", "--json"))
    assert sum(found["shares"].values()) == pytest.approx(1.0)
    assert found["valid"] + sum(found["causes"].values()) == found["pipelines"]


def test_a_pipeline_that_does_not_fit_is_explained_with_a_provider():
    parts = [f"--explain={name}" for name in ("passage.formation", "text.backend", "dense.retrieval")]
    assert "vector.backend would provide it" in said("match", "--benchmark", "HotpotQA", *parts)


def test_a_pipeline_that_fits_is_told_so():
    parts = [f"--explain={name}" for name in ("passage.formation", "text.backend", "text.retrieval")]
    assert "fit" in said("match", *parts)


def test_two_parts_of_one_stage_cannot_be_explained():
    result = CliRunner().invoke(app, ["match", "--explain=text.retrieval", "--explain=dense.retrieval"])
    assert result.exit_code == 2
    assert "one part a stage" in result.output


def test_the_causes_can_be_drawn(tmp_path):
    pytest.importorskip("matplotlib", reason='needs pip install "memgym[plot]"')
    said("match", "--figure", str(tmp_path / "causes.svg"))
    assert "<svg" in (tmp_path / "causes.svg").read_text()


def test_a_component_is_shown_with_its_contract():
    shown = said("show", "component", "dense.retrieval")
    assert "requires: text_content, text_embedding_index" in shown
    assert "provides: retrieved" in shown


def test_parts_are_explained_whether_the_option_is_said_once_or_again():
    names = ("passage.formation", "text.backend", "dense.retrieval")
    once = said("match", "--explain", *names, "--json")
    assert [row["component"] for row in json.loads(once)] == ["dense.retrieval"]
    assert said("match", *names, "--json") == once == said("match", *(f"--explain={name}" for name in names), "--json")


def test_the_systems_that_fit_are_named_and_the_others_say_what_they_lack() -> None:
    lines = said("match", "--benchmark", "Synthetic").splitlines()
    fit, awm = (next(line for line in lines if line.startswith(one)) for one in ("Systems that fit", "awm"))
    assert "a-mem" in fit
    assert "awm" not in fit
    assert awm == "awm does not: formation requires steps, success, task_spec."


def test_a_benchmark_in_the_place_of_a_component_is_told_its_option() -> None:
    result = CliRunner().invoke(app, ["match", "hotpotqa"])
    assert result.exit_code == 2
    assert "memgym match --benchmark HotpotQA" in result.output
