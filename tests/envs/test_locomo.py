"""LoCoMo: conversations as they stand in the file, with its oddities, and questions by their own rules."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memgym.env import MemoryEnv
from memgym.envs.files import DataNotFound
from memgym.envs.formats import BrokenData
from memgym.envs.locomo import LoCoMo
from memgym.operations import Answer
from memgym.records import Episode
from memgym.registry import UnknownName
from memgym.rollout import play
from memgym.task import Question, Sample

COUNTS = {"multi_hop": 172, "temporal": 180, "open_domain": 53, "single_hop": 480, "adversarial": 272}
WRITTEN = "Zoë 🦊 met 林小雨 — ไทย, naïve café"


def turn(place: str, speaker: str, text: str, **more: Any) -> dict[str, Any]:
    return {"dia_id": place, "speaker": speaker, "text": text, **more}


def record(qa: Sequence[dict[str, Any]]) -> dict[str, Any]:
    conversation = {
        "speaker_a": "Ana", "speaker_b": "林",
        "session_10_date_time": "9:00 am on 2 June, 2023", "session_10": [turn("D10:1", "Ana", "The tenth.")],
        "session_2_date_time": "1:56 pm on 8 May, 2023",
        "session_2": [
            turn("D2:1", "Ana", f"{WRITTEN}\n"),
            turn("D2:2", "林", "Look!", blip_caption="a photo of a dog", img_url=["u"]),
        ],
        "session_11_date_time": "a date without a session",
    }  # fmt: skip
    return {"sample_id": "conv-1", "conversation": conversation, "qa": list(qa)}


def asked(category: int, text: str = "Who?", evidence: Any = (), **more: Any) -> dict[str, Any]:
    given = {"adversarial_answer": "wrong"} if category == 5 else {"answer": "Ana"}
    return {"question": text, "category": category, "evidence": list(evidence), **given, **more}


def write(folder: Path, *records: dict[str, Any]) -> str:
    path = folder / "locomo10.json"
    path.write_text(json.dumps(records), "utf-8")
    return str(path)


def only(folder: Path, question: dict[str, Any], **options: Any) -> tuple[Question, dict[str, int]]:
    benchmark = LoCoMo(data=write(folder, record([question])), **options)
    return benchmark.sample("conv-1").questions[0], benchmark.describe()["notes"]


def test_sessions_come_by_their_number_and_dates_without_a_session_are_skipped(tmp_path: Path) -> None:
    benchmark = LoCoMo(data=write(tmp_path, record([asked(4)])))
    assert [session.number for session in benchmark.sample("conv-1").data["sessions"]] == [2, 10]
    assert benchmark.describe()["notes"]["dates_without_session"] == 1


def test_a_chunk_shows_date_speakers_turns_and_captions(tmp_path: Path) -> None:
    env = MemoryEnv(LoCoMo(data=write(tmp_path, record([asked(4)]))))
    texts, _ = env.reset(seed=0)
    assert texts["observation"] == (
        f"Session 2 (1:56 pm on 8 May, 2023) with Ana, 林:\nAna: {WRITTEN}\n林: Look! [shares a photo of a dog]"
    )
    assert "Who?" not in "".join(texts.values())


@pytest.mark.parametrize(
    ("evidence", "turns", "notes"),
    [
        (["D2:1"], [f"Ana: {WRITTEN}"], {}),
        (["D2:2; D10:1"], ["林: Look! [shares a photo of a dog]", "Ana: The tenth."], {"evidence_malformed": 1}),
        (["D2:1 D10:1 D99:1"], [f"Ana: {WRITTEN}", "Ana: The tenth."], {"evidence_malformed": 1, "evidence_unreadable": 1}),
        (["D"], [], {"evidence_malformed": 1, "evidence_unreadable": 1, "questions_without_evidence": 1}),
        (["D:10:1"], ["Ana: The tenth."], {"evidence_malformed": 1}),
        (["D10:01"], ["Ana: The tenth."], {"evidence_malformed": 1}),
        (["D2:7"], [], {"evidence_unreadable": 1, "questions_without_evidence": 1}),
        ([], [], {"questions_without_evidence": 1}),
    ],
)  # fmt: skip
def test_every_id_that_can_be_read_is_evidence_and_the_rest_is_counted(
    tmp_path: Path, evidence: list[str], turns: list[str], notes: dict[str, int]
) -> None:
    question, found = only(tmp_path, asked(4, evidence=evidence))
    assert list(question.evidence) == turns
    assert found == {"dates_without_session": 1, **notes}


def test_an_answer_that_is_a_number_is_read_as_text(tmp_path: Path) -> None:
    question, notes = only(tmp_path, asked(2, answer=2022))
    assert (question.answers, notes["answers_not_text"]) == (("2022",), 1)


def test_the_key_of_category_three_ends_before_the_semicolon(tmp_path: Path) -> None:
    assert only(tmp_path, asked(3, answer="No; why"))[0].answers[0] == "No"


def test_an_adversarial_question_is_answered_by_not_mentioned_even_where_the_file_has_an_answer(tmp_path: Path) -> None:
    assert only(tmp_path, asked(5, answer="No"))[0].answers == ("not mentioned",)
    assert only(tmp_path, asked(5), scoring="a-mem-legacy")[0].answers == ("wrong",)


@pytest.mark.parametrize(("said", "reward"), [("Not mentioned in the text", 1.0), ("unknown", 1.0), ("wrong", 0.0)])
def test_an_adversarial_question_is_scored_by_the_official_rule(tmp_path: Path, said: str, reward: float) -> None:
    benchmark = LoCoMo(data=write(tmp_path, record([asked(5)])))
    task = benchmark.task(benchmark.sample("conv-1"), np.random.default_rng(0))
    while task.view.phase == "read":
        task.take(task.cheat())
    task.take(Answer(said))
    assert task.outcome().reward == reward


def test_questions_of_one_category_are_chosen_by_name_with_the_right_mapping(tmp_path: Path) -> None:
    data = write(tmp_path, record([asked(number, f"{number}?") for number in range(1, 6)]))
    chosen = {name: LoCoMo(data=data, categories=name).sample("conv-1").questions for name in COUNTS}
    assert {name: [one.text for one in found] for name, found in chosen.items()} == {
        "multi_hop": ["1?"], "temporal": ["2?"], "open_domain": ["3?"], "single_hop": ["4?"], "adversarial": ["5?"],
    }  # fmt: skip


def test_a_number_of_questions_deals_them_into_samples_each_once(tmp_path: Path) -> None:
    benchmark = LoCoMo(data=write(tmp_path, record([asked(4, f"{at}?") for at in range(7)])), questions=3)
    ids = sorted(benchmark.schedule(np.random.default_rng(0), 3))
    assert ids == ["conv-1/0", "conv-1/1", "conv-1/2"]
    texts = [question.text for id in ids for question in benchmark.sample(id).questions]
    assert sorted(texts) == [f"{at}?" for at in range(7)]
    assert texts != sorted(texts)


@pytest.mark.parametrize(
    "broken",
    [{"conversation": None}, {"qa": None}, {"sample_id": ""}, {"qa": [{"question": "x", "category": 6}]},
     {"qa": [{"question": "x", "category": 4}]}, {"qa": [{"question": "x", "category": 5}]}, {"conversation": {}}],
)  # fmt: skip
def test_a_broken_record_is_an_error_that_names_its_place(tmp_path: Path, broken: dict[str, Any]) -> None:
    with pytest.raises(BrokenData, match="record 0"):
        LoCoMo(data=write(tmp_path, {**record([asked(4)]), **broken})).draw(np.random.default_rng(0))


def test_names_that_do_not_exist_are_errors_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="'multi_hop'"):
        LoCoMo(categories="multi-hop")
    with pytest.raises(UnknownName, match="'a-mem-legacy'"):
        LoCoMo(scoring="a-mem")
    with pytest.raises(DataNotFound, match="conv-1"):
        LoCoMo(data=write(tmp_path, record([asked(4)])), conversation="conv-2").draw(np.random.default_rng(0))


def corrected(folder: Path, *rows: dict[str, Any]) -> LoCoMo:
    path = folder / "corrections.json"
    path.write_text(json.dumps(rows), "utf-8")
    data = write(folder, record([asked(4, "Who?"), asked(4, "What?")]))
    return LoCoMo(data=data, corrections=str(path))


def test_corrections_of_a_user_change_the_key_and_are_told(tmp_path: Path) -> None:
    where = {"sample_id": "conv-1", "source": "mine"}
    benchmark = corrected(
        tmp_path,
        {**where, "question": "Who?", "answer": ["Bea", 2]},
        {**where, "question": "What?", "drop": True},
        {"sample_id": "conv-9", "question": "Else?", "drop": True},
    )
    assert [one.answers for one in benchmark.sample("conv-1").questions] == [("Bea", "2")]
    told = benchmark.describe()["corrections"]
    assert (told["answered_otherwise"], told["dropped"], told["not_here"]) == (1, 1, 1)


@pytest.mark.parametrize(
    "row", [{"question": "Who?"}, {"question": "Whom?", "drop": True}, {"question": "Who?", "key": 1}]
)
def test_a_correction_that_fits_nothing_is_an_error(tmp_path: Path, row: dict[str, Any]) -> None:
    with pytest.raises(BrokenData, match="record 0"):
        corrected(tmp_path, {"sample_id": "conv-1", **row}).draw(np.random.default_rng(0))


def test_an_accent_an_emoji_and_a_name_in_han_reach_the_memory_unchanged(tmp_path: Path) -> None:
    data = write(tmp_path, record([asked(4, "Who met 林小雨?", ["D2:1"])]))
    [played] = play([Episode("one", "MemGym/LoCoMo", "bm25-rag", 0, None, {"data": data}, {}, "none")])
    assert played.error is None
    assert played.outcome is not None
    assert (played.outcome.metrics["evidence_stored"], played.outcome.metrics["evidence_shown"]) == (1.0, 1.0)
    header = "Session 2 (1:56 pm on 8 May, 2023) with Ana, 林:"
    assert any(f"{header}\nAna: {WRITTEN}" in step.action for step in played.steps)


@pytest.fixture(scope="module")
def real(shared_data: Path) -> LoCoMo:
    benchmark = LoCoMo(data=str(shared_data))
    try:
        benchmark.draw(np.random.default_rng(0))
    except FileNotFoundError as absent:
        pytest.skip(str(absent).splitlines()[0])
    return benchmark


def samples(benchmark: LoCoMo) -> list[Sample]:
    return [benchmark.sample(id) for id in sorted(benchmark.schedule(np.random.default_rng(0), 6))]


def test_the_shared_file_has_six_conversations_and_1157_questions(real: LoCoMo) -> None:
    told = real.describe()
    assert (told["samples"], told["counts"], sum(told["counts"].values())) == (6, COUNTS, 1157)
    assert told["notes"] == {
        "answers_not_text": 6, "dates_without_session": 16, "evidence_malformed": 3, "evidence_unreadable": 2,
        "questions_without_evidence": 2,
    }  # fmt: skip


def test_every_key_of_the_shared_file_wins_by_its_own_rule(real: LoCoMo) -> None:
    for sample in samples(real):
        task = real.task(sample, np.random.default_rng(0))
        while not task.done:
            assert task.take(task.cheat()).ok
        assert task.outcome().reward == 1.0


def test_all_evidence_of_the_shared_file_stands_in_its_chunks(real: LoCoMo) -> None:
    for sample in samples(real):
        whole = "\n\n".join(document.render() for document in sample.documents)
        assert all(piece in whole for question in sample.questions for piece in question.evidence)
