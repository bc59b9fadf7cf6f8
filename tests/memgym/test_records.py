"""Records as lines of JSON: nothing of an episode is lost in them, and what is no record is said so."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgym.model import Usage
from memgym.operations import Result, Status
from memgym.records import SCHEMA, Episode, EpisodeRecord, StepRecord, digest, read_records
from memgym.task import Outcome

STEP = StepRecord(
    "<create_memory>記憶 \ud800\x00</create_memory>",
    (Result("create", Status.OK, ("m1",)), Result("delete", Status.UNKNOWN_ID, reason="no entry")),
    ("m1",), "ab", 0.5, 1, (10, 20), Usage(calls=2, prompt_tokens=7),
)  # fmt: skip
RECORD = EpisodeRecord(
    Episode("e1", "MemGym/X", "agent", 3, "s1", {"k": 2}, {"a": 1}, "rules", {"b": 2}, {"entries": []}, True, {"phase": "test"}),
    "s1", "s1@3@empty", "ab", 12, (STEP, STEP), Outcome(0.5, {"em": 0.5}, ("x", None), (("x", "y"), ("z",))),
    True, False, "cd", {"options": {"k": 2}}, True,
)  # fmt: skip


def lines(path: Path, *texts: str) -> Path:
    path.write_text("".join(texts), "utf-8")
    return path


def changed(**fields: Any) -> str:
    return json.dumps({**json.loads(RECORD.line()), **fields}) + "\n"


def test_a_line_and_back_is_the_identity() -> None:
    assert EpisodeRecord.from_json(json.loads(RECORD.line())) == RECORD


def test_a_line_of_a_record_that_was_read_is_the_same_line() -> None:
    assert EpisodeRecord.from_json(json.loads(RECORD.line())).line() == RECORD.line()


def test_a_failed_episode_keeps_its_error_and_has_no_outcome() -> None:
    failed = EpisodeRecord(
        Episode("e1", "MemGym/X", "agent", 3),
        "s1",
        "g",
        "ab",
        1,
        (),
        None,
        False,
        False,
        "cd",
        {},
        error="ValueError: no",
    )
    assert EpisodeRecord.from_json(json.loads(failed.line())) == failed


def test_a_line_is_one_line_of_ascii() -> None:
    assert RECORD.line().isascii()
    assert "\n" not in RECORD.line()


def test_statuses_that_were_read_are_statuses() -> None:
    results = EpisodeRecord.from_json(json.loads(RECORD.line())).steps[0].results
    assert [result.ok for result in results] == [True, False]


def test_the_usage_of_an_episode_is_that_of_its_steps_together() -> None:
    assert RECORD.usage == Usage(calls=4, prompt_tokens=14)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), st.sampled_from(list(Status)), st.floats(0, 1))
def test_any_step_survives_its_line(text: str, status: Status, reward: float) -> None:
    step = StepRecord(text, (Result("read", status, (text,), text),), (text,), "ab", reward, 0, (1, 2))
    assert StepRecord.from_json(json.loads(json.dumps(step.to_json()))) == step


# -------------------------------------------------------------------- files


def test_a_file_gives_its_records_in_order(tmp_path: Path) -> None:
    other = changed(sample="s2")
    path = lines(tmp_path / "r.jsonl", RECORD.line() + "\n", other)
    assert [record.sample for record in read_records(path)] == ["s1", "s2"]


def test_an_empty_file_has_no_records(tmp_path: Path) -> None:
    assert list(read_records(lines(tmp_path / "r.jsonl"))) == []


def test_a_last_line_without_its_end_is_a_record_if_it_is_whole(tmp_path: Path) -> None:
    assert list(read_records(lines(tmp_path / "r.jsonl", RECORD.line()))) == [RECORD]


@pytest.mark.parametrize("cut", range(1, len(RECORD.line()), 97))
def test_a_last_line_that_was_cut_off_is_left_out(tmp_path: Path, cut: int) -> None:
    path = lines(tmp_path / "r.jsonl", RECORD.line() + "\n", RECORD.line()[:cut])
    assert list(read_records(path)) == [RECORD]


def test_a_broken_line_before_the_last_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = lines(tmp_path / "r.jsonl", RECORD.line() + "\n", RECORD.line()[:50] + "\n", RECORD.line() + "\n")
    with pytest.raises(ValueError, match=r"r\.jsonl, line 2 is not a record"):
        list(read_records(path))


@pytest.mark.parametrize(
    "line",
    [
        "{}\n", "[]\n", "3\n", "null\n", "\n", "not json\n", '{"a": 1}\n', '{"a": 1}',
        changed(schema=SCHEMA + 1), changed(steps=[{}]), changed(steps=3), changed(episode={"new": 1}), changed(episode=None),
        changed(outcome=[]), changed(steps=[{**STEP.to_json(), "results": [{"operation": "x", "status": "new"}]}]),
        changed(steps=[{**STEP.to_json(), "usage": {"new": 1}}]), changed(steps=[{**STEP.to_json(), "tokens": []}]),
    ],
)  # fmt: skip
def test_a_line_that_is_no_record_is_an_error_that_names_it(tmp_path: Path, line: str) -> None:
    with pytest.raises(ValueError, match=r"r\.jsonl, line 1 is not a record"):
        list(read_records(lines(tmp_path / "r.jsonl", line)))


def test_a_record_of_another_schema_says_which_one_is_read(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"schema {SCHEMA + 1}; this version reads {SCHEMA}"):
        list(read_records(lines(tmp_path / "r.jsonl", changed(schema=SCHEMA + 1))))


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(read_records(tmp_path / "none.jsonl"))


# -------------------------------------------------------------------- digests


def test_equal_texts_have_equal_digests() -> None:
    assert digest({"a": "x", "b": ""}) == digest({"a": "x", "b": ""})


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ({"a": "x", "b": ""}, {"a": "", "b": "x"}),
        ({"a": "xb:0:"}, {"a": "x", "b": ""}),
        ({"a": "\U0001f600"}, {"a": "\ud83d\ude00"}),
        ({"a": "\ud800"}, {"a": "\ud801"}),
        ({"a": "x"}, {"a": "x\x00"}),
    ],
)
def test_different_texts_have_different_digests(one: dict[str, str], two: dict[str, str]) -> None:
    assert digest(one) != digest(two)


@given(st.lists(st.dictionaries(st.sampled_from("ab"), st.text(max_size=3)), min_size=2, max_size=2))
def test_a_digest_tells_observations_apart(texts: list[dict[str, str]]) -> None:
    same = list(texts[0].items()) == list(texts[1].items())
    assert (digest(texts[0]) == digest(texts[1])) is same


def test_categories_and_the_metric_of_each_question_survive_a_record():
    outcome = Outcome(0.5, {}, ("x", None), (("x",), ("z",)), ("em", "abstention"), ("time", "none"))
    assert EpisodeRecord.from_json(json.loads(replace(RECORD, outcome=outcome).line())).outcome == outcome


def test_an_outcome_without_categories_is_written_as_before():
    assert set(RECORD.to_json()["outcome"]) == {"reward", "metrics", "predictions", "references"}
