"""Reading the folder of a run: what is whole is kept, what was cut is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from memgym.cli import app
from memgym.eval.bench import run_bench
from memgym.eval.config import AgentConfig, RunConfig
from memgym.eval.report.runs import read_run, read_runs


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    config = RunConfig(env="MemGym/Synthetic-50doc", agents=[AgentConfig(agent="no-memory")], episodes=3, bounds=False)
    run_bench(config, out=tmp_path / "run")
    return tmp_path / "run"


def cut(folder: Path, size: int) -> None:
    path = folder / "records.jsonl"
    path.write_bytes(path.read_bytes()[:-size])


def test_a_whole_file_has_no_cut_line(folder: Path) -> None:
    run = read_run(folder)
    assert (len(run.records), run.cut) == (3, "")


def test_a_file_without_its_last_newline_is_whole(folder: Path) -> None:
    cut(folder, 1)
    run = read_run(folder)
    assert (len(run.records), run.cut) == (3, "")


def test_the_whole_part_of_a_cut_file_is_kept_and_the_line_is_said(folder: Path) -> None:
    cut(folder, 100)
    run = read_run(folder)
    assert len(run.records) == 2
    assert run.cut.startswith("Line 3 of records.jsonl was cut off after")


@pytest.mark.parametrize("command", [["rescore"], ["report"], ["view", "--episode", "0"]])
def test_every_command_says_which_line_was_cut(folder: Path, command: list[str]) -> None:
    cut(folder, 100)
    result = CliRunner().invoke(app, [command[0], str(folder), *command[1:]])
    assert result.exit_code == 0, result.output
    assert "Line 3 of records.jsonl was cut off" in result.output


def test_a_broken_line_in_the_middle_is_an_error_with_its_number(folder: Path) -> None:
    path = folder / "records.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text(lines[0] + "{}\n" + lines[2])
    result = CliRunner().invoke(app, ["report", str(folder)])
    assert result.exit_code == 2
    assert "line 2 is not a record" in result.output


def test_a_folder_without_records_is_told(folder: Path) -> None:
    (folder / "records.jsonl").unlink()
    with pytest.raises(FileNotFoundError, match=r"records\.jsonl"):
        read_run(folder)


def test_runs_of_one_name_are_told_apart(folder: Path) -> None:
    assert [run.name for run in read_runs([folder, folder])] == ["run (1)", "run (2)"]
