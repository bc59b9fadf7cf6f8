"""Rows that must not be compared stand apart and say why: other judge, other data, other questions. On real folders."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from memgym.cli import app
from memgym.eval.bench import run_bench
from memgym.eval.config import AgentConfig, RunConfig
from memgym.eval.report.comparing import differences, groups
from memgym.eval.report.report_page import compared_lines, report
from memgym.eval.report.runs import Run, read_run, read_runs

ENV = "MemGym/SyntheticDialogue-5sessions"


def played(folder: Path, agent: str = "bm25-rag", **changes: Any) -> Path:
    chosen = {"env": ENV, "episodes": 2, "bounds": False, **changes}
    run_bench(RunConfig(agents=[AgentConfig(agent=agent)], **chosen), out=folder)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(tmp_path_factory.mktemp("comparability") / "first")


def changed(folder: Path, into: Path, **setting: Any) -> Path:
    """Copy a run, with something else in the settings under which its records were made."""
    shutil.copytree(folder, into)
    path = into / "records.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        line["setting"].update(setting)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return into


def forbidden(runs: list[Run]) -> set[str]:
    return {one.what for one in differences(runs) if one.forbids}


def page_of(*folders: Path) -> str:
    out = folders[0].parent / "page.html"
    result = CliRunner().invoke(app, ["report", *map(str, folders), "--out", str(out)])
    assert result.exit_code == 0, result.output
    return out.read_text("utf-8")


def test_another_judge_is_said(folder: Path, tmp_path: Path) -> None:
    judges = [
        {"model": name, "prompt": "judge", "digest": "d", "temperature": 0.0} for name in ("openai:a", "openai:b")
    ]
    first, other = (changed(folder, tmp_path / f"j{at}", judge=one) for at, one in enumerate(judges))
    runs = read_runs([first, other])
    assert (forbidden(runs), len(groups(runs))) == ({"judge"}, 2)
    page = page_of(first, other)
    assert "must not be compared" in page
    assert "openai:b" in page


def test_another_revision_of_the_data_is_said(folder: Path, tmp_path: Path) -> None:
    data = read_run(folder).settings[0]["benchmark"]
    other = changed(folder, tmp_path / "other", benchmark={**data, "revision": "a-later-one"})
    runs = read_runs([folder, other])
    assert (forbidden(runs), len(groups(runs))) == ({"data"}, 2)
    assert "a-later-one" in page_of(folder, other)


def test_another_set_of_categories_is_said(folder: Path, tmp_path: Path) -> None:
    other = played(tmp_path / "other", env_options={"categories": ["temporal"]})
    runs = read_runs([folder, other])
    assert (forbidden(runs), len(groups(runs))) == ({"options", "data"}, 2)
    assert "temporal" in page_of(folder, other)


def test_another_set_of_categories_of_a_published_benchmark_is_said(shared_data: Path, tmp_path: Path) -> None:
    found = sorted(shared_data.rglob("locomo10.json"))
    if not found:
        pytest.skip("locomo10.json is not among the shared data")
    options = {"data": str(found[0]), "questions": 1}
    runs = read_runs(
        [
            played(tmp_path / name, "oracle", env=f"MemGym/LoCoMo-{name}", env_options=options, episodes=1)
            for name in ("temporal", "multi_hop")
        ]
    )
    assert {"environment", "data"} <= forbidden(runs)


def test_rows_of_comparable_runs_are_paired_and_tested(folder: Path, tmp_path: Path) -> None:
    other = played(tmp_path / "other", "full-context")
    [group] = report(read_runs([folder, other]))[1]
    [one] = group.comparisons
    assert (one.difference.n, {one.first, one.second}) == (2, {"bm25-rag · first", "full-context · other"})
    assert "Which rows can be told apart" in page_of(folder, other)


def test_rows_on_other_samples_are_in_one_table_but_not_paired(folder: Path, tmp_path: Path) -> None:
    other = played(tmp_path / "other", "full-context", seed=9)
    page, [group] = report(read_runs([folder, other]))
    assert group.comparisons == ()
    assert compared_lines(group.lines) == []
    assert "no pairs of episodes" in page
