"""``memgym replay``: says of each recorded episode whether it comes out again byte for byte."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from memgym.cli import main
from memgym.records import Episode
from memgym.rollout import rollout


@pytest.fixture(scope="module")
def line() -> str:
    """One recorded episode, as a line of a file."""
    episode = Episode(id="random-0", env="MemGym/Synthetic-50doc", agent="random", seed=0)
    return asyncio.run(rollout(episode)).line()


def replay(path: Path) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["replay", str(path)])
    return int(ended.value.code or 0)


def test_equal_episodes_succeed(line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "records.jsonl").write_text(line + "\n", "utf-8")
    assert replay(tmp_path / "records.jsonl") == 0
    assert capsys.readouterr().out == "equal    random-0\n1 of 1 episodes are equal byte for byte.\n"


def test_a_changed_record_fails_and_its_first_difference_is_named(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = json.loads(line)
    record["steps"][0]["size"] += 1
    (tmp_path / "records.jsonl").write_text(f"{line}\n{json.dumps(record)}\n", "utf-8")
    assert replay(tmp_path / "records.jsonl") == 1
    said = capsys.readouterr().out
    assert "DIFFERS  random-0: step 1, size" in said
    assert "1 of 2 episodes are equal" in said


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert replay(tmp_path / "none.jsonl") == 2
    assert "none.jsonl" in capsys.readouterr().err


def test_a_file_that_holds_no_records_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "other.jsonl").write_text('{"a": 1}\n', "utf-8")
    assert replay(tmp_path / "other.jsonl") == 2
    assert "line 1 is not a record" in capsys.readouterr().err


def test_a_folder_is_refused_and_the_file_in_it_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert replay(tmp_path) == 2
    assert "records.jsonl" in capsys.readouterr().err


def test_a_file_without_a_whole_record_is_no_success(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "records.jsonl").write_text(line[:100], "utf-8")
    assert replay(tmp_path / "records.jsonl") == 2
    assert "no whole record" in capsys.readouterr().err
