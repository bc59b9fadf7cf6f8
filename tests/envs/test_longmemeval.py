"""LongMemEval: one record is one question over dated sessions, in three layouts of one shape."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memgym.envs.files import DataNotFound
from memgym.envs.formats import BrokenData
from memgym.envs.longmemeval import LongMemEval
from memgym.operations import Answer
from memgym.registry import UnknownName
from memgym.task import Sample

RNG = np.random.default_rng(0)


def record(id: str = "q1", **more: Any) -> dict[str, Any]:
    return {
        "question_id": id,
        "question_type": "multi-session",
        "question": "How many cafés?",
        "question_date": "2023/05/30 (Tue) 23:40",
        "answer": 2,
        "answer_session_ids": ["b"],
        "haystack_dates": ["2023/05/21 (Sun) 10:00", "2023/05/20 (Sat) 02:21"],
        "haystack_session_ids": ["b", "a"],
        "haystack_sessions": [
            [{"role": "user", "content": "Two cafés 🦊.\n\n- 林", "has_answer": True}],
            [{"role": "user", "content": "Hi", "has_answer": False}, {"role": "assistant", "content": "Hello"}],
        ],
        **more,
    }


def load(folder: Path, *records: dict[str, Any], name: str = "longmemeval_s.json", **options: Any) -> LongMemEval:
    (folder / name).write_text(json.dumps(records), "utf-8")
    return LongMemEval(data=str(folder), **options)


def reward(benchmark: LongMemEval, sample: Sample, said: str) -> float:
    task = benchmark.task(sample, RNG)
    while task.view.phase == "read":
        task.take(task.cheat())
    task.take(Answer(said))
    return task.outcome().reward


def test_sessions_come_in_the_order_of_time_with_their_dates(tmp_path: Path) -> None:
    [first, second] = load(tmp_path, record()).sample("q1").documents
    assert first.render() == "Session 1 (2023/05/20 (Sat) 02:21) with user, assistant:\nuser: Hi\nassistant: Hello"
    assert second.title == "Session 2 (2023/05/21 (Sun) 10:00) with user:"


def test_the_date_of_the_question_is_told_with_it(tmp_path: Path) -> None:
    [question] = load(tmp_path, record()).sample("q1").questions
    assert question.text == "How many cafés? (asked on 2023/05/30 (Tue) 23:40)"


def test_marked_turns_are_evidence_as_they_stand_in_the_text(tmp_path: Path) -> None:
    sample = load(tmp_path, record()).sample("q1")
    assert sample.questions[0].evidence == ("user: Two cafés 🦊.\n\n- 林",)
    assert sample.questions[0].evidence[0] in sample.documents[1].text


def test_an_answer_that_is_a_number_is_read_as_text(tmp_path: Path) -> None:
    benchmark = load(tmp_path, record())
    assert reward(benchmark, benchmark.sample("q1"), "2") == 1.0
    assert benchmark.describe()["notes"] == {"answers_not_text": 1}


def test_an_id_with_abs_is_right_to_abstain_and_wrong_to_guess(tmp_path: Path) -> None:
    benchmark = load(tmp_path, record("q2_abs", answer="You did not mention it."))
    sample = benchmark.sample("q2_abs")
    assert sample.questions[0].category == "abstention"
    assert [reward(benchmark, sample, said) for said in ("unknown", "You did not mention that.", "2")] == [
        1.0,
        1.0,
        0.0,
    ]


@pytest.mark.parametrize(
    ("categories", "kept"),
    [
        ("abstention", ["q_abs"]),
        ("multi-session", ["q"]),
        ("multi_session_reasoning", ["q"]),
        ("information_extraction", ["u"]),
    ],
)
def test_an_ability_is_chosen_by_name(tmp_path: Path, categories: str, kept: list[str]) -> None:
    rows = [record("q"), record("q_abs"), record("u", question_type="single-session-user")]
    assert load(tmp_path, *rows, categories=categories).schedule(RNG, 1) == kept


@pytest.mark.parametrize(
    ("name", "layout"),
    [("longmemeval_oracle", "oracle"), ("longmemeval_s_cleaned.json", "S"), ("longmemeval_m.json", "m")],
)
def test_a_layout_is_found_by_its_file_names_and_never_stands_in_for_another(
    tmp_path: Path, name: str, layout: str
) -> None:
    assert load(tmp_path, record(), name=name, layout=layout).sample("q1").id == "q1"
    other = "s" if layout == "oracle" else "oracle"
    with pytest.raises(DataNotFound, match="longmemeval-cleaned"):
        LongMemEval(data=str(tmp_path), layout=other).draw(RNG)


def test_sessions_after_the_question_are_read_and_counted(tmp_path: Path) -> None:
    benchmark = load(tmp_path, record(question_date="2023/05/20 (Sat) 12:00"))
    assert len(benchmark.sample("q1").documents) == 2
    assert benchmark.describe()["notes"]["sessions_after_the_question"] == 1


@pytest.mark.parametrize(
    "broken",
    [{"haystack_sessions": None}, {"haystack_dates": ["2023/05/21 (Sun) 10:00"]}, {"question_date": "30 May"},
     {"haystack_sessions": [[], []]}, {"haystack_sessions": [["x"], []]}, {"question_type": "other"}, {"answer": None},
     {"haystack_sessions": [[{"role": "user"}], []]}],
)  # fmt: skip
def test_a_broken_record_is_an_error_that_names_its_place(tmp_path: Path, broken: dict[str, Any]) -> None:
    with pytest.raises(BrokenData, match="record 0"):
        load(tmp_path, record(**broken)).draw(RNG)


def test_names_that_do_not_exist_are_errors() -> None:
    with pytest.raises(UnknownName, match="oracle, s, m"):
        LongMemEval(layout="xl")
    with pytest.raises(UnknownName, match="'multi-session'"):
        LongMemEval(categories="multi_session")


@pytest.mark.parametrize(("layout", "count", "without"), [("oracle", 137, 0), ("s", 1, 0)])
def test_the_shared_files_are_read_and_every_key_wins(shared_data: Path, layout: str, count: int, without: int) -> None:
    benchmark = LongMemEval(data=str(shared_data), layout=layout)
    try:
        told = benchmark.describe()
    except FileNotFoundError as absent:
        pytest.skip(str(absent).splitlines()[0])
    assert (sum(told["counts"].values()), told["notes"].get("records_without_evidence", 0)) == (count, without)
    for id in benchmark.schedule(RNG, count):
        sample = benchmark.sample(id)
        assert reward(benchmark, sample, sample.questions[0].answers[0]) == 1.0
        whole = "\n\n".join(document.render() for document in sample.documents)
        assert all(piece in whole for piece in sample.questions[0].evidence)
