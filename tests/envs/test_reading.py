"""Reading part by part, answering one by one, and a score that is aligned with the questions."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgym.envs.reading import ReadingTask
from memgym.operations import Act, Advance, Answer, Command, Status
from memgym.registry import UnknownName
from memgym.task import Question

CAPITAL = Question("Capital of France?", ("Paris-gold", "paris gold"))
RIVER = Question("River of Cairo?", ("Nile-gold",))
PEAK = Question("Highest peak?", ("Everest-gold",))
CHUNKS = ["one", "two"]
TEXTS = st.text(st.characters(exclude_categories=()), max_size=20)
COMMANDS = st.lists(st.one_of(st.builds(Answer, TEXTS), st.builds(Act, TEXTS), st.just(Advance())), max_size=12)


def make(*questions: Question, reward: str = "em") -> ReadingTask:
    return ReadingTask(questions or (CAPITAL, RIVER, PEAK), CHUNKS, reward=reward)


def play(task: ReadingTask, *commands: Command) -> ReadingTask:
    for command in commands:
        assert task.take(command).ok
    return task


def test_the_first_view_shows_the_first_chunk_and_all_questions() -> None:
    view = make().view
    assert (view.phase, view.text, view.commands) == ("read", "one", ("answer", "advance"))
    assert view.questions == (CAPITAL.text, RIVER.text, PEAK.text)
    assert all(f"Question {n} of 3: {q.text}" in view.instruction for n, q in enumerate((CAPITAL, RIVER, PEAK), 1))


def test_a_single_question_has_no_number() -> None:
    assert f"Question: {CAPITAL.text}" in make(CAPITAL).view.instruction


def test_advance_shows_the_next_chunk() -> None:
    view = play(make(), Advance()).view
    assert view.text == "two"
    assert "part 2 of 2" in view.instruction


def test_after_the_last_chunk_one_question_is_asked() -> None:
    view = play(make(), Advance(), Advance()).view
    assert (view.phase, view.text, view.commands, view.questions) == ("answer", "", ("answer",), (CAPITAL.text,))
    assert f"Question 1 of 3: {CAPITAL.text}" in view.instruction
    assert RIVER.text not in view.instruction


def test_an_answer_moves_on_to_the_next_question() -> None:
    view = play(make(), Advance(), Advance(), Answer("x")).view
    assert "Question 2 of 3: River of Cairo?" in view.instruction


def test_an_answer_while_reading_is_taken_and_does_not_turn_the_page() -> None:
    task = play(make(), Answer("x"))
    assert (task.view.phase, task.view.text) == ("read", "one")
    assert task.view.questions == (RIVER.text, PEAK.text)
    assert "Answered so far: 1 of 3" in task.view.instruction
    assert task.outcome().predictions == ("x", None, None)


def test_the_last_answer_ends_the_task_even_while_reading() -> None:
    task = play(make(CAPITAL), Answer("Paris gold"))
    assert task.done
    assert (task.view.phase, task.view.commands, task.view.questions) == ("done", (), ())
    assert task.outcome().reward == 1.0


def test_an_empty_answer_is_an_answer() -> None:
    task = play(make(CAPITAL), Answer(""))
    assert task.outcome().predictions == ("",)


@pytest.mark.parametrize("command", [Advance(), Act("look"), Answer("x")])
def test_everything_after_the_end_is_masked(command: Command) -> None:
    task = play(make(CAPITAL), Answer("first"))
    result = task.take(command)
    assert (result.status, result.operation) == (Status.MASKED, command.kind)
    assert result.reason
    assert task.outcome().predictions == ("first",)


def test_advance_without_a_next_part_is_masked() -> None:
    result = play(make(), Advance(), Advance()).take(Advance())
    assert result.status is Status.MASKED
    assert "answer" in result.reason


def test_acting_is_masked_while_reading_and_while_answering() -> None:
    task = make()
    assert task.take(Act("look")).status is Status.MASKED
    assert play(task, Advance(), Advance()).take(Act("look")).status is Status.MASKED


def test_without_chunks_the_question_is_asked_at_once() -> None:
    assert ReadingTask([CAPITAL], []).view.phase == "answer"


def test_an_answer_is_scored_against_its_own_question_only() -> None:
    swapped = play(make(CAPITAL, RIVER), Answer("Nile-gold"), Answer("Paris-gold"))
    assert swapped.outcome().reward == 0.0
    twice = play(make(CAPITAL, RIVER), Answer("Nile-gold"), Answer("Nile-gold"))
    assert twice.outcome().reward == 0.5


def test_unanswered_questions_count_zero() -> None:
    outcome = play(make(), Answer("Paris-gold")).outcome()
    assert outcome.reward == pytest.approx(1 / 3)
    assert outcome.predictions == ("Paris-gold", None, None)
    assert outcome.references == (CAPITAL.answers, RIVER.answers, PEAK.answers)


@pytest.mark.parametrize(("reward", "score"), [("em", 0.0), ("em_math", 0.0), ("f1", 2 / 3)])
def test_the_reward_is_the_metric_that_was_named(reward: str, score: float) -> None:
    outcome = play(make(Question("?", ("Paris",)), reward=reward), Answer("Paris France")).outcome()
    assert outcome.reward == pytest.approx(score)
    assert outcome.metrics == pytest.approx({"em": 0.0, "em_math": 0.0, "f1": 2 / 3})


def test_an_unknown_reward_is_an_error_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="'em_math'"):
        make(reward="em-math")


def test_a_task_without_questions_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one question"):
        ReadingTask([], CHUNKS)


@pytest.mark.parametrize("reward", ["em", "em_math", "f1"])
def test_the_cheat_wins_within_the_horizon(reward: str) -> None:
    task = make(reward=reward)
    steps = 0
    while not task.done:
        play(task, task.cheat())
        steps += 1
    assert task.outcome().reward == 1.0
    assert steps <= task.horizon


def test_the_cheat_of_a_finished_task_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="over"):
        play(make(CAPITAL), Answer("x")).cheat()


def test_a_question_without_accepted_answers_can_be_played_and_scores_zero() -> None:
    task = ReadingTask([Question("?", ())], [])
    assert play(task, task.cheat()).outcome().reward == 0.0


@given(COMMANDS)
def test_no_accepted_answer_is_ever_shown(commands: list[Command]) -> None:
    task = make()
    for command in commands:
        task.take(command)
        assert "gold" not in repr(task.view)


@given(COMMANDS)
def test_any_commands_are_answered_and_the_reward_is_bounded(commands: list[Command]) -> None:
    task = make()
    assert all(result.ok or result.reason for result in map(task.take, commands))
    assert 0.0 <= task.outcome().reward <= 1.0


@given(COMMANDS, COMMANDS)
def test_a_fork_goes_its_own_way(before: list[Command], after: list[Command]) -> None:
    task = make()
    for command in before:
        task.take(command)
    twin, state = task.fork(), task.state()
    assert twin.state() == state
    for command in after:
        twin.take(command)
    assert task.state() == state


@given(COMMANDS)
def test_the_state_is_json(commands: list[Command]) -> None:
    task = make()
    for command in commands:
        task.take(command)
    assert json.loads(json.dumps(task.state())) == task.state()


def test_the_horizon_leaves_three_reads_a_question() -> None:
    assert make().horizon >= len(CHUNKS) + 3 * (1 + 3)
