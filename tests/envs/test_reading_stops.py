"""Questions that come on the way, are not known before, or are scored each by a rule of its own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgym.envs.reading import ReadingTask
from memgym.operations import Advance, Answer, Status
from memgym.registry import UnknownName
from memgym.task import Question

FIRST = Question("First?", ("one-gold",), category="plain")
SECOND = Question("Second?", ("not mentioned",), category="silent")
CHUNKS = ["a", "b", "c"]


def make(asked_after: list[int] | None = None, **options: object) -> ReadingTask:
    return ReadingTask([FIRST, SECOND], CHUNKS, asked_after=asked_after, **options)  # type: ignore[arg-type]


def phases(task: ReadingTask) -> list[str]:
    seen = []
    while not task.done:
        seen.append(task.view.text or task.view.questions[0])
        task.take(task.cheat())
    return seen


@pytest.mark.parametrize(
    ("asked_after", "seen"),
    [
        (None, ["a", "b", "c", "First?", "Second?"]),
        ([1, 2], ["a", "First?", "b", "Second?"]),
        ([0, 3], ["First?", "a", "b", "c", "Second?"]),
        ([2, 2], ["a", "b", "First?", "Second?"]),
    ],
)
def test_a_question_is_asked_after_its_chunk(asked_after: list[int] | None, seen: list[str]) -> None:
    assert phases(make(asked_after)) == seen
    assert phases(make(asked_after, announced=False)) == seen


def test_reading_waits_for_an_answer_that_is_due() -> None:
    task = make([1, 3])
    task.take(Advance())
    assert (task.view.phase, task.view.commands) == ("answer", ("answer",))
    assert "up to part 1 of 3" in task.view.instruction
    assert task.take(Advance()).status is Status.MASKED
    task.take(Answer("x"))
    assert (task.view.phase, task.view.text) == ("read", "b")


def test_questions_that_are_not_announced_are_neither_shown_nor_answered_before_they_are_asked() -> None:
    task = make([2, 3], announced=False)
    assert (task.view.questions, task.view.commands) == ((), ("advance",))
    assert "First?" not in task.view.instruction
    assert task.take(Answer("one-gold")).status is Status.MASKED
    assert task.outcome().predictions == (None, None)


def test_unknown_is_taken_for_an_abstention_where_there_is_one() -> None:
    task = make(rewards={"silent": "abstention"}, abstain="not mentioned")
    assert 'answer "not mentioned"' in task.view.instruction
    task.take(Answer("x"))
    task.take(Answer("Unknown."))
    outcome = task.outcome()
    assert outcome.predictions == ("x", "not mentioned")
    assert (outcome.reward, outcome.metrics["score/plain"], outcome.metrics["score/silent"]) == (0.5, 0.0, 1.0)


def test_without_an_abstention_unknown_is_an_answer_like_any_other() -> None:
    task = make()
    task.take(Answer("unknown"))
    assert task.outcome().predictions == ("unknown", None)


def test_a_fork_asks_and_scores_alike() -> None:
    task = make([1, 3], announced=False, rewards={"silent": "abstention"}, abstain="not mentioned")
    task.take(Advance())
    twin = task.fork()
    assert (twin.view, twin.state()) == (task.view, task.state())
    assert phases(twin) == phases(task)
    assert twin.outcome() == task.outcome()


@pytest.mark.parametrize("asked_after", [[1], [2, 1], [0, 4], [-1, 1]])
def test_moments_that_do_not_fit_are_an_error(asked_after: list[int]) -> None:
    with pytest.raises(ValueError, match="asked_after"):
        make(asked_after)


def test_an_unknown_metric_of_a_category_is_an_error() -> None:
    with pytest.raises(UnknownName, match="'abstention'"):
        make(rewards={"silent": "abstentions"})


@given(st.lists(st.integers(0, 3), min_size=2, max_size=2).map(sorted), st.booleans())
def test_the_cheat_wins_within_the_horizon_whenever_questions_come(moments: list[int], announced: bool) -> None:
    task = make(moments, announced=announced)
    assert len(phases(task)) <= task.horizon
    assert task.outcome().reward == 1.0
