"""Parts of a task: reading apart from being asked, a world gone on with, other texts to read."""

from __future__ import annotations

from typing import Any

import pytest
from small_house import house_registered
from small_world import Colours

from memgym.env import MemoryEnv
from memgym.operations import Act, Action, Advance, Answer, Create, Status
from memgym.registry import UnknownName
from memgym.rollout import make_env

FIRST, REST = {"read": [0, 1]}, {"read": [1, None]}


def begun(part: dict[str, Any], **options: Any) -> MemoryEnv:
    env = MemoryEnv(Colours(things=3, questions=2))
    env.reset(seed=0, options={"sample": "s1", "part": part, **options})
    return env


def read(env: MemoryEnv) -> list[str]:
    """The texts that an agent which only advances is shown, the empty one at the end too."""
    texts = []
    while not env.pomdp.over:
        texts.append(env.pomdp.seen.view.text)
        env.step(Action(command=Advance()))
    return texts


def test_the_parts_of_a_reading_come_to_the_whole() -> None:
    whole = read(begun({"read": [0, None]}))
    assert len(whole) == 4
    assert read(begun(FIRST)) + read(begun(REST)) == [whole[0], "", *whole[1:]]


def test_reading_to_the_end_is_a_reward_of_one_and_asks_nothing() -> None:
    env = begun({"read": [0, None]})
    read(env)
    assert env.pomdp.terminated
    assert env.pomdp.outcome is not None
    assert env.pomdp.outcome.reward == 1
    assert env.pomdp.outcome.references == ()


def test_an_answer_is_masked_while_a_part_is_read() -> None:
    env = begun({"read": [0, None]})
    env.step(Action(command=Answer("red")))
    assert env.pomdp.seen.results[-1].status is Status.MASKED


def test_asking_begins_with_the_question_and_scores_it_alone() -> None:
    env = begun({"ask": [1, 2]})
    assert env.pomdp.seen.view.questions == ("What is the colour of thing 1?",)
    reward = env.step(Action(command=Answer("blue")))[1]
    assert env.pomdp.terminated
    assert reward == 1


def test_asking_what_is_not_there_says_how_many_questions_there_are() -> None:
    with pytest.raises(ValueError, match="2 questions"):
        begun({"ask": [2, None]})


def test_a_frozen_memory_is_not_changed_by_being_asked() -> None:
    env = begun({"read": [0, None]})
    env.step(Action((Create("a fact"),)))
    held = env.memory.to_json()
    env.reset(seed=0, options={"sample": "s1", "part": {"ask": [0, None]}, "memory": held, "frozen": True})
    env.step(Action((Create("another"),), Answer("red")))
    assert env.pomdp.seen.results[0].status is Status.FROZEN
    assert env.memory.entries()[0].text == "a fact"
    assert len(env.memory) == 1


def test_other_texts_are_shown_in_place_of_the_samples() -> None:
    assert read(begun({"texts": ["one", "two"]})) == ["one", "two", ""]


def test_a_world_goes_on_from_where_commands_led() -> None:
    with house_registered():
        env = make_env("MemGym/House")
        env.reset(seed=0, options={"sample": "mug-shelf", "part": {"commands": ["take mug"], "limit": 1}})
        assert env.pomdp.seen.view.text == "You carry the mug."
        env.step(Action(command=Act("look")))
        assert env.pomdp.over
        assert env.pomdp.outcome is not None
        assert env.pomdp.outcome.metrics["unfinished"] == 1
        env.reset(seed=0, options={"sample": "mug-shelf", "part": {"commands": ["take mug"], "limit": 1}})
        assert env.step(Action(command=Act("put mug on shelf")))[1] == 1
        assert env.pomdp.outcome is not None
        assert env.pomdp.outcome.metrics["unfinished"] == 0


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ({"read": [1]}, r"\[first, last\]"),
        ({"ask": [2, 1]}, r"\[first, last\]"),
        ({"read": [0, 1], "ask": [0, 1]}, "one of"),
        ({"read": [0, 1], "limit": 2}, "goes with commands"),
        ({"commands": [], "limit": 0}, "at least 1"),
        ({"texts": []}, "one or more texts"),
    ],
)
def test_what_is_no_part_is_refused(part: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        begun(part)


def test_an_unknown_part_is_an_error_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="'read'"):
        begun({"reed": [0, 1]})


def test_groups_of_other_parts_have_other_names() -> None:
    assert len({begun(part).group for part in ({}, FIRST, REST)}) == 3


@pytest.mark.parametrize("part", [{}, FIRST, REST, {"ask": [0, 1]}, {"texts": ["a", "b"]}])
def test_a_fork_of_a_part_plays_on_by_itself(part: dict[str, Any]) -> None:
    env = begun(part)
    env.step(Action(command=Advance()))
    twin, before = env.fork(), env.get_state()
    while not twin.pomdp.over:
        twin.step(Action((), twin.cheat()))
    assert env.get_state() == before
    while not env.pomdp.over:
        env.step(Action((), env.cheat()))
    assert env.get_state() == twin.get_state()
