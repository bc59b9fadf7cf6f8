"""``memgym data get`` writes what it fetched whole or not at all; ``memgym data status`` shows what is there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from memgym.envs import hub
from memgym.envs.commands import data
from memgym.envs.files import DataNotFound, digest
from memgym.envs.formats import BrokenData
from memgym.envs.hotpotqa import HotpotQA
from memgym.registry import UnknownName

ROW: dict[str, Any] = {
    "id": "q1",
    "question": "Where is the mill 🏠?",
    "answer": "Tolm \ud800",
    "type": "bridge",
    "level": "hard",
    "supporting_facts": {"title": ["Mill"], "sent_id": [0]},
    "context": {"title": ["Mill"], "sentences": [["The mill is in Tolm."]]},
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMGYM_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(hub, "installed", lambda: False)
    return tmp_path / "data" / "hotpotqa"


def answer_with(monkeypatch: pytest.MonkeyPatch, rows: Any) -> None:
    monkeypatch.setattr(hub, "load_split", lambda at, split: rows)


def run(*words: str) -> Result:
    return CliRunner().invoke(data, list(words), env={"COLUMNS": "250"})


def test_get_writes_the_split_with_its_checksum_and_the_benchmark_finds_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_with(monkeypatch, [ROW, {**ROW, "id": "q2"}])
    result = run("get", "hotpotqa")
    assert result.exit_code == 0
    assert "HotpotQA validation: 2 records" in result.output
    assert (folder / "SHA256SUMS").read_text() == f"{digest(folder / 'validation.jsonl')}  validation.jsonl\n"
    assert [sample.id for sample in HotpotQA().records()] == ["q1", "q2"]


def test_get_of_two_splits_keeps_both_checksums(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer_with(monkeypatch, [ROW])
    assert run("get", "HotpotQA", "--split", "train", "--split", "validation").exit_code == 0
    assert [line.split()[1] for line in (folder / "SHA256SUMS").read_text().splitlines()] == [
        "train.jsonl",
        "validation.jsonl",
    ]


def test_get_into_another_folder_says_how_to_use_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer_with(monkeypatch, [ROW])
    result = run("get", "hotpotqa", "--out", str(tmp_path / "else"))
    assert (tmp_path / "else" / "hotpotqa" / "validation.jsonl").is_file()
    assert f"MEMGYM_DATA={tmp_path / 'else'}" in result.output


def test_get_keeps_nothing_of_records_that_the_benchmark_cannot_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_with(monkeypatch, [ROW, {**ROW, "id": "q2", "context": None}])
    assert isinstance(run("get", "hotpotqa").exception, BrokenData)
    assert list(folder.iterdir()) == []


def test_an_interrupted_get_leaves_the_earlier_file_as_it_was(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Iterator[dict[str, Any]]:
        yield ROW
        raise KeyboardInterrupt

    answer_with(monkeypatch, [ROW])
    run("get", "hotpotqa")
    before = (folder / "validation.jsonl").read_bytes()
    answer_with(monkeypatch, broken())
    run("get", "hotpotqa")
    assert (folder / "validation.jsonl").read_bytes() == before
    assert sorted(path.name for path in folder.iterdir()) == ["SHA256SUMS", "validation.jsonl"]


def test_get_without_an_answering_hub_says_why_and_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(at: hub.Hub, split: str) -> Any:
        raise hub.HubError("ConnectionError: no route")

    monkeypatch.setattr(hub, "load_split", refuse)
    error = run("get", "hotpotqa").exception
    assert isinstance(error, DataNotFound)
    assert "could not be fetched: ConnectionError: no route" in str(error)
    assert "hotpot_dev_distractor_v1.json" in str(error)


def test_get_without_the_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "datasets", None)
    error = run("get", "hotpotqa").exception
    assert isinstance(error, ImportError)
    assert 'pip install "memgym[data]"' in str(error)


def test_get_of_an_unknown_benchmark_names_the_nearest() -> None:
    error = run("get", "HotpotQ").exception
    assert isinstance(error, UnknownName)
    assert "Did you mean 'HotpotQA'" in str(error)


def test_get_through_the_real_package_from_a_local_copy(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("datasets")
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "validation.jsonl").write_text(json.dumps({**ROW, "answer": "Tolm"}) + "\n")
    real, local = hub.load_split, hub.Hub(str(tmp_path / "copy"), None, "main")
    monkeypatch.setattr(hub, "load_split", lambda at, split: real(local, split))
    assert run("get", "hotpotqa").exit_code == 0
    assert HotpotQA().records()[0].questions[0].evidence == ("The mill is in Tolm.",)


def test_status_shows_origin_count_checksum_and_licence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer_with(monkeypatch, [ROW])
    run("get", "hotpotqa")
    line = next(line for line in run("status").output.splitlines() if "HotpotQA" in line and "validation" in line)
    assert str(folder / "validation.jsonl") in line
    assert digest(folder / "validation.jsonl")[:12] in line
    assert " 1 " in line
    assert "CC BY-SA 4.0" in line


def test_status_says_what_is_missing_broken_or_only_on_the_hub(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "nowhere: memgym data get musique" in run("status").output
    monkeypatch.setattr(hub, "installed", lambda: True)
    assert "the hub: dgslibisey/MuSiQue (not fetched)" in run("status").output
    folder.mkdir(parents=True)
    (folder / "validation.jsonl").write_text('{"id": "q1"')
    assert "broken: validation.jsonl, record 0 (line 1)" in run("status").output


def test_status_marks_the_synthetic_world_as_generated() -> None:
    line = next(line for line in run("status").output.splitlines() if "Synthetic" in line)
    assert "generated by memgym, synthetic" in line
