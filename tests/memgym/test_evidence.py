"""Was the evidence stored, was it shown, was the answer shown: by containment, question by question."""

from __future__ import annotations

import pytest

from memgym.evidence import EvidenceLog, coverage
from memgym.task import Question

FACT = "Mia lives in Oslo."
OTHER = "Ben lives in Rome."


def log(*questions: Question) -> EvidenceLog:
    return EvidenceLog(questions or (Question("Where?", ("Oslo",), (FACT, OTHER)),))


@pytest.mark.parametrize(
    ("texts", "share"),
    [
        ([], 0.0),
        ([FACT], 0.5),
        ([f"I read: {FACT} And: {OTHER}"], 1.0),
        ([FACT, OTHER], 1.0),
        (["mia lives in oslo."], 0.0),
    ],
)
def test_coverage_is_the_share_of_evidence_that_some_text_holds(texts: list[str], share: float) -> None:
    assert coverage((FACT, OTHER), texts) == share


def test_coverage_without_evidence_is_undefined() -> None:
    assert coverage((), [FACT]) is None


def test_coverage_may_be_given_an_iterator() -> None:
    assert coverage((FACT, OTHER), iter([FACT, OTHER])) == 1.0


def test_an_answer_is_scored_by_what_is_held_and_what_was_shown() -> None:
    evidence = log()
    evidence.show([OTHER])
    evidence.answer([FACT, OTHER])
    assert evidence.metrics() == {
        "evidence_stored": 1.0,
        "evidence_shown": 0.5,
        "answer_shown": 0.0,
        "evidence_precision": 1.0,
    }


def test_precision_is_the_share_of_shown_entries_that_carry_evidence() -> None:
    evidence = log()
    evidence.show([OTHER, "The sky is blue.", "It rains.", f"{FACT} {OTHER}"], scratchpad=FACT)
    evidence.answer([])
    assert evidence.metrics()["evidence_precision"] == 0.5


def test_precision_says_nothing_of_questions_that_were_shown_no_entry() -> None:
    question = Question("Where?", ("Oslo",), (FACT,))
    evidence = log(question, question, question)
    evidence.show([FACT])
    evidence.answer([])
    evidence.show([], scratchpad="It rains.")
    evidence.answer([])
    assert evidence.metrics()["evidence_precision"] == 1.0


def test_a_column_has_a_value_for_every_question_and_0_for_what_was_not_answered() -> None:
    evidence = log(Question("Where?", ("Oslo",), (FACT,)), Question("Who?", ("Mia",)), Question("?", ("x",), (OTHER,)))
    evidence.show([FACT])
    evidence.answer([FACT])
    assert evidence.questions_of(evidence.shown) == (1.0, None, 0.0)


def test_a_column_of_questions_without_evidence_is_empty() -> None:
    evidence = log(Question("Who?", ("Mia",)))
    evidence.answer([FACT])
    assert evidence.questions_of(evidence.shown) == ()


def test_the_answer_is_found_whatever_its_case() -> None:
    evidence = log()
    evidence.show(["she is in OSLO"])
    evidence.answer([])
    assert evidence.metrics()["answer_shown"] == 1.0


def test_what_was_shown_for_one_question_does_not_count_for_the_next() -> None:
    question = Question("Where?", ("Oslo",), (FACT,))
    evidence = log(question, question)
    evidence.show([FACT])
    evidence.answer([])
    evidence.answer([])
    assert evidence.metrics()["evidence_shown"] == 0.5


def test_questions_that_were_never_answered_count_nothing() -> None:
    question = Question("Where?", ("Oslo",), (FACT,))
    evidence = log(question, question, question, question)
    evidence.answer([FACT])
    assert evidence.metrics()["evidence_stored"] == 0.25


def test_a_metric_that_no_question_defines_is_left_out() -> None:
    evidence = log(Question("Where?", ("",)))
    evidence.show([FACT])
    evidence.answer([FACT])
    assert evidence.metrics() == {}


def test_questions_without_evidence_are_left_out_of_the_mean() -> None:
    evidence = log(Question("Who?", ("Mia",)), Question("Where?", ("Oslo",), (FACT,)))
    evidence.answer([FACT])
    evidence.answer([FACT])
    assert evidence.metrics()["evidence_stored"] == 1.0


def test_answers_beyond_the_last_question_are_ignored() -> None:
    evidence = log()
    evidence.answer([FACT, OTHER])
    evidence.answer([])
    assert evidence.metrics()["evidence_stored"] == 1.0


def test_a_fork_goes_its_own_way() -> None:
    evidence = log()
    evidence.show([FACT])
    twin = evidence.fork()
    twin.show([OTHER])
    twin.answer([])
    evidence.answer([])
    assert (evidence.metrics()["evidence_shown"], twin.metrics()["evidence_shown"]) == (0.5, 1.0)
