"""What an episode earns, by name, and the terms that are taken off and shown apart."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace

import pytest
from scripted_policy import Script, played
from small_world import colours

from memgym.model import ModelError, Reply, Request
from memgym.records import Episode, EpisodeRecord
from memgym.registry import UnknownName
from memgym.train.measures import mean_measures, measures
from memgym.train.rewards import Earned, Reward, make_reward

CREATE = "<create_memory>The colour of thing 0 is red.</create_memory>"
BROKEN = "<update_memory>no id</update_memory>"


@pytest.fixture(autouse=True, scope="module")
def world() -> Iterator[None]:
    with colours():
        yield


def record(*says: str | Exception, **options: object) -> EpisodeRecord:
    options = {"advance": "always", "things": 2, "questions": 2, **options}
    episode = Episode("e", "Colours", "llm", 3, "s0", options, {"max_tokens": 200})
    return asyncio.run(played(Script(*says), episode))[0]


def earned(reward: Reward, of: EpisodeRecord) -> Earned:
    return asyncio.run(reward(of))


class Strict:
    """A judge that passes what begins with a capital letter, has no verdict on "?" and is not there for "!"."""

    name = "strict"

    def __init__(self) -> None:
        self.asked: list[Request] = []

    async def chat(self, request: Request) -> Reply:
        self.asked.append(request)
        given = request.inputs["prediction"]
        if given == "!":
            raise ModelError("gone")
        return Reply("Hm." if given == "?" else f'{{"verdict": "{"correct" if given[0].isupper() else "wrong"}"}}')


def test_the_outcome_is_what_the_environment_gave() -> None:
    assert earned(Reward(), record(CREATE, "", "<answer>red</answer>", "<answer>red</answer>")) == Earned(0.5, 0.5)


def test_a_metric_scores_answer_by_answer_and_one_that_was_not_given_counts_nothing() -> None:
    said = record("", "", "<answer>the Red!</answer>", "<answer>green</answer>")

    assert earned(Reward(), said).base == 0.5
    assert earned(Reward("em"), said).base == 1.0
    assert earned(Reward("em"), record("", "", "<answer>red</answer>", max_steps=3)).base == 0.5


def test_a_judge_is_asked_about_each_answer_that_was_given() -> None:
    judge = Strict()
    said = record("", "", "<answer>Red</answer>", "<answer>green</answer>")

    assert earned(Reward("judge", model=judge), said).base == 0.5
    assert [one.inputs["answers"] for one in judge.asked] == [("red",), ("green",)]
    assert all("colour" in one.inputs["question"] for one in judge.asked)


def test_an_answer_without_a_verdict_counts_nothing_and_is_counted() -> None:
    said = record("", "", "<answer>Red</answer>", "<answer>?</answer>")

    assert earned(Reward("judge", model=Strict()), said) == Earned(0.5, 0.5, unjudged=0.5)


def test_a_judge_that_is_not_there_stops_training_after_a_while() -> None:
    reward = Reward("judge", model=Strict())
    said = record("", "", "<answer>!</answer>", "<answer>!</answer>")

    for _ in range(3):
        assert earned(reward, said) == Earned(0.0, 0.0, unjudged=1.0)
    with pytest.raises(ModelError, match="gone"):
        earned(reward, said)


def test_a_judge_without_a_model_and_an_unknown_reward_say_what_is_wrong() -> None:
    with pytest.raises(ValueError, match="has none: give model"):
        Reward("judge")
    with pytest.raises(UnknownName, match="Did you mean 'judge'"):
        Reward("judges")


def test_a_failed_episode_earns_nothing_whatever_the_reward() -> None:
    failed = record("", RuntimeError("gone"))

    for reward in (Reward(), Reward("em"), Reward("judge", model=Strict()), Reward(format=1.0, memory=1.0)):
        assert earned(reward, failed) == Earned(0.0, 0.0)


def test_shaping_takes_off_the_share_of_malformed_operations_and_the_fullness_of_memory() -> None:
    said = record(
        CREATE + BROKEN, CREATE.replace("0", "1"), "<answer>red</answer>", "<answer>green</answer>", capacity=4
    )
    got = earned(Reward(format=0.3, memory=0.1), said)

    assert got.base == 1.0
    assert got.terms == {"format": pytest.approx(1 / 3), "memory": pytest.approx((1 + 2 + 2 + 2) / 4 / 4)}
    assert got.reward == pytest.approx(1.0 - 0.3 / 3 - 0.1 * 7 / 16)


def test_without_weights_there_are_no_terms() -> None:
    assert earned(Reward(), record("", "", "", "", max_steps=4)).terms == {}


def test_a_reward_is_made_from_the_data_of_a_recipe() -> None:
    said = {"name": "em", "format": 0.5, "memory": 0.0, "model": None, "model_options": {}}
    got = earned(make_reward(said), record(BROKEN, "", "<answer>red</answer>", "<answer>green</answer>"))

    assert (got.base, got.reward) == (1.0, 0.5)


def test_answers_of_a_world_without_questions_cannot_be_scored() -> None:
    said = record("", "", "<answer>red</answer>", "<answer>green</answer>")
    assert said.outcome is not None
    game = replace(said, outcome=replace(said.outcome, references=(), predictions=()))

    assert earned(Reward(), game).base == 1.0
    with pytest.raises(ValueError, match="asks no questions"):
        earned(Reward("em"), game)


def test_the_measures_of_an_episode_are_those_of_its_steps_and_calls() -> None:
    options = {"advance": "always", "things": 2}
    read = f"{CREATE}<read_memory>thing</read_memory>"
    episode = Episode("e", "Colours", "llm", 3, "s0", options, {"max_tokens": 200})
    got, model = asyncio.run(played(Script(read, BROKEN, "<answer>red</answer>"), episode, prompt_tokens=1000))
    said = measures(got, model.segments)

    assert said["steps"] == 3
    assert said["operations/create"] == said["operations/read"] == pytest.approx(1 / 3)
    assert said["read_share"] == said["malformed_share"] == pytest.approx(1 / 3)
    assert said["memory/size"] == said["memory/final"] == 1
    assert said["tokens/response"] == pytest.approx(sum(len(one.response_ids) for one in model.segments) / 3)
    assert said["truncated"] == 3
    assert said["unfinished"] == said["failed"] == 0


def test_a_reply_with_nothing_to_do_in_it_is_malformed_and_an_empty_one_is_not() -> None:
    said = measures(record("hello", "", "<answer>red</answer>", "<answer>green</answer>"), [])

    assert said["operations/malformed"] == 1 / 4
    assert said["malformed_share"] == 1.0


def test_a_failed_episode_is_counted_as_one() -> None:
    assert measures(record("", RuntimeError("gone")), [])["failed"] == 1


def test_measures_are_averaged_over_the_episodes_that_have_them() -> None:
    assert mean_measures([{"a": 1.0}, {"a": 3.0, "b": 5.0}]) == {"a": 2.0, "b": 5.0}
    assert mean_measures([]) == {}
