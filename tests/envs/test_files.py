"""Data is found by the option, then in the data folder, then on the hub; and what is missing is said with all three ways."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memgym.envs import files, hub
from memgym.envs.files import DataNotFound, corpora, digest, find
from memgym.envs.formats import BrokenData
from memgym.envs.sources import SOURCES, check_split, source
from memgym.registry import UnknownName

HOTPOT = SOURCES["HotpotQA"]
WIKI = SOURCES["2WikiMultihopQA"]
MUSIQUE = SOURCES["MuSiQue"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder, and no package that could ask the hub."""
    monkeypatch.setenv("MEMGYM_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(hub, "installed", lambda: False)
    return tmp_path / "data"


def put(path: Path, text: str = '[{"id": "a"}]') -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_a_given_file_is_used_whatever_its_name(tmp_path: Path) -> None:
    path = put(tmp_path / "mine.txt")
    assert find(HOTPOT, "validation", path).files == (path,)


def test_a_given_folder_wins_over_the_data_folder(tmp_path: Path, folder: Path) -> None:
    put(folder / "hotpotqa" / "validation.jsonl")
    mine = put(tmp_path / "mine" / "hotpot_dev_distractor_sample.json")
    found = find(HOTPOT, "validation", str(tmp_path / "mine"))
    assert (found.files, found.origin) == ((mine,), "option")


def test_the_data_folder_is_used_when_nothing_is_given(folder: Path) -> None:
    path = put(folder / "musique" / "musique_ans_v1.0_dev.jsonl")
    found = find(MUSIQUE, "validation")
    assert (found.files, found.origin) == ((path,), "folder")


def test_the_data_folder_has_a_default_in_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMGYM_DATA")
    monkeypatch.setenv("HOME", str(tmp_path))
    path = put(tmp_path / ".cache" / "memgym" / "2wikimultihopqa" / "dev.json")
    assert find(WIKI, "validation").files == (path,)


def test_a_folder_of_benchmark_folders_works(tmp_path: Path) -> None:
    path = put(tmp_path / "all" / "HotpotQA" / "hotpot_train_v1.1.json")
    assert find(HOTPOT, "train", tmp_path / "all").files == (path,)


def test_the_upstream_file_is_preferred_to_a_sample_and_to_a_fetched_copy(tmp_path: Path) -> None:
    for name in ("validation.jsonl", "hotpot_dev_distractor_sample.json", "hotpot_dev_distractor_v1.json"):
        put(tmp_path / name)
    assert find(HOTPOT, "validation", tmp_path).files == (tmp_path / "hotpot_dev_distractor_v1.json",)


def test_a_fullwiki_file_is_not_taken_for_the_distractor_setting(tmp_path: Path) -> None:
    put(tmp_path / "hotpot_dev_fullwiki_v1.json")
    with pytest.raises(DataNotFound):
        find(HOTPOT, "validation", tmp_path)


def test_a_checkout_of_the_hub_is_read_with_all_its_shards(tmp_path: Path) -> None:
    parts = tuple(put(tmp_path / "hotpotqa" / "distractor" / f"train-0000{n}-of-00002.parquet") for n in range(2))
    assert find(HOTPOT, "train", tmp_path).files == parts


def test_a_missing_shard_is_broken(tmp_path: Path) -> None:
    put(tmp_path / "train-00000-of-00002.parquet")
    with pytest.raises(BrokenData, match=r"train-00001-of-00002.parquet is missing"):
        find(HOTPOT, "train", tmp_path)


@pytest.mark.parametrize(
    ("row", "split", "place"),
    [
        (HOTPOT, "validation", "hotpotqa/hotpot_dev_distractor_sample.json"),
        (HOTPOT, "train", "hotpotqa/hotpot_train_sample.json"),
        (WIKI, "validation", "2wikimultihopqa/dev_sample.json"),
        (WIKI, "train", "2wikimultihopqa/train_sample.json"),
        (MUSIQUE, "validation", "musique/musique_ans_v1.0_dev_sample.jsonl"),
        (MUSIQUE, "train", "musique/musique_ans_v1.0_train_sample.jsonl"),
    ],
)
def test_the_real_samples_are_found_from_both_folders(shared_data: Path, row: Any, split: str, place: str) -> None:
    path = shared_data / place
    assert find(row, split, shared_data).files == (path,)
    assert find(row, split, path.parent).files == (path,)


def test_no_data_anywhere_names_all_three_ways_and_the_command(folder: Path) -> None:
    with pytest.raises(DataNotFound) as error:
        find(HOTPOT, "validation")
    told = str(error.value)
    assert "data=FILE or FOLDER: not given" in told
    assert f"{folder / 'hotpotqa'} (MEMGYM_DATA is set): {folder / 'hotpotqa'} does not exist" in told
    assert 'pip install "memgym[data]"' in told
    assert "memgym data get hotpotqa" in told


def test_a_given_folder_without_the_data_says_what_it_holds_and_what_was_expected(tmp_path: Path) -> None:
    put(tmp_path / "mine" / "notes.json")
    with pytest.raises(DataNotFound, match=r"holds none of hotpot_dev_distractor_v1.json.*it holds: notes.json"):
        find(HOTPOT, "validation", tmp_path / "mine")


def test_given_data_that_is_missing_is_not_replaced_by_another_place(tmp_path: Path, folder: Path) -> None:
    put(folder / "hotpotqa" / "validation.jsonl")
    with pytest.raises(DataNotFound, match="nowhere does not exist"):
        find(HOTPOT, "validation", tmp_path / "nowhere")


def test_the_hub_is_the_last_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "installed", lambda: True)
    monkeypatch.setattr(hub, "load_split", lambda at, split: [{"id": at.id, "split": split}])
    found = find(HOTPOT, "validation")
    assert found.describe() == {
        "origin": "hub",
        "hub": "hotpotqa/hotpot_qa",
        "config": "distractor",
        "revision": HOTPOT.hub.revision,
    }
    assert [row.values for row in found.rows()] == [{"id": "hotpotqa/hotpot_qa", "split": "validation"}]


def test_a_hub_that_does_not_answer_is_no_data_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(at: hub.Hub, split: str) -> Any:
        raise hub.HubError("ConnectionError: no route")

    monkeypatch.setattr(hub, "installed", lambda: True)
    monkeypatch.setattr(hub, "load_split", refuse)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(DataNotFound, match=r"did not answer \(ConnectionError: no route\); HF_HUB_OFFLINE"):
        list(find(HOTPOT, "validation").rows())


def test_the_hub_package_is_asked_with_the_pinned_revision_and_its_errors_are_wrapped(tmp_path: Path) -> None:
    pytest.importorskip("datasets")
    with pytest.raises(hub.HubError, match=r"\w+: "):
        hub.load_split(hub.Hub(str(tmp_path / "absent"), None, "main"), "validation")


def test_the_hub_package_reads_a_local_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("datasets")
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    put(tmp_path / "copy" / "validation.jsonl", json.dumps({"id": "a", "question": "Who?"}) + "\n")
    rows = hub.load_split(hub.Hub(str(tmp_path / "copy"), None, "main"), "validation")
    assert [dict(row) for row in rows] == [{"id": "a", "question": "Who?"}]


def test_a_file_that_differs_from_its_recorded_checksum_is_broken(folder: Path) -> None:
    path = put(folder / "hotpotqa" / "validation.jsonl")
    put(path.parent / "SHA256SUMS", f"{digest(path)}  validation.jsonl\n")
    assert find(HOTPOT, "validation").files == (path,)
    put(path, '[{"id": "b"}]')
    with pytest.raises(BrokenData, match=r"validation.jsonl differs from its checksum"):
        find(HOTPOT, "validation")


def test_files_are_described_by_name_and_checksum_without_their_folder(tmp_path: Path) -> None:
    path = put(tmp_path / "dev.json", "[]")
    told = find(WIKI, "validation", tmp_path).describe()
    assert told == {
        "origin": "option",
        "files": [{"name": "dev.json", "sha256": "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"}],
    }
    assert str(path.parent) not in json.dumps(told)


def test_corpora_beside_the_data_are_used_but_not_those_of_another_benchmark(tmp_path: Path) -> None:
    for name in ("corpus.json", "hotpotqa_train_corpus.json", "musique_train_corpus.json", "hotpot_train_v1.1.json"):
        put(tmp_path / name)
    assert [path.name for path in corpora(HOTPOT, tmp_path)] == ["corpus.json", "hotpotqa_train_corpus.json"]


def test_a_corpus_is_never_taken_for_a_split(tmp_path: Path) -> None:
    put(tmp_path / "dev_corpus.json")
    assert files.lookup(WIKI, "validation", tmp_path) == ()


@pytest.mark.parametrize(
    ("split", "why"),
    [("dev", "called 'validation' here"), ("test", "without answers"), ("tran", "Did you mean 'train'")],
)
def test_a_split_without_answers_or_of_another_name_is_refused(split: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        check_split("HotpotQA", split)


def test_a_benchmark_is_known_by_its_name_or_folder_and_else_the_nearest_is_named() -> None:
    assert source("hotpotqa") is source("HOTPOTQA") is source("HotpotQA") is HOTPOT
    with pytest.raises(UnknownName, match="Did you mean 'MuSiQue'"):
        source("MusiQ")
