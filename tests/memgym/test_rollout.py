"""Episodes played by agents: records that depend on nothing but the episode, and failures that are records too."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from small_agents import Model, agents, episode

from memgym.memory import Memory, Write
from memgym.model import Usage
from memgym.operations import Create
from memgym.records import Episode, EpisodeRecord
from memgym.registry import UnknownName, UnknownOptionError
from memgym.rollout import Cast, play, rollout

SOURCE = Write("before", 1, "create", 1)


@pytest.fixture(scope="module", autouse=True)
def names() -> Iterator[None]:
    with agents():
        yield


def one(agent: str = "noting", cast: Cast | None = None, **fields: Any) -> EpisodeRecord:
    return asyncio.run(rollout(episode(0, agent, **fields), cast))


# -------------------------------------------------------------------- one episode


def test_an_episode_is_played_to_its_end() -> None:
    record = one()
    assert (record.terminated, record.truncated, record.error) == (True, False, None)
    assert record.outcome is not None
    assert record.outcome.reward == 1.0
    assert len(record.steps) == 5


def test_a_step_records_what_was_written_shown_and_held() -> None:
    steps = one().steps
    assert [step.size for step in steps] == [1, 2, 3, 3, 3]
    assert [bool(step.shown) for step in steps] == [False, False, False, True, False]
    assert [step.reward for step in steps] == [0.0, 0.0, 0.0, 0.0, 1.0]
    assert all(result.ok for step in steps for result in step.results)
    assert all(min(step.tokens) > 0 for step in steps)


def test_the_setting_says_everything_beyond_the_episode() -> None:
    setting = one(options={"encoder": "hashing:32", "things": 2}).setting
    assert set(setting) == {"memgym", "options", "benchmark", "encoder", "max_steps"}
    assert setting["encoder"].startswith("hashing:32")
    assert setting["max_steps"] == 12


def test_an_agent_that_does_nothing_more_plays_until_truncation() -> None:
    record = one(agent_options={"silent": True})
    assert (record.terminated, record.truncated, len(record.steps)) == (False, True, 16)


def test_the_sample_of_an_episode_can_be_given() -> None:
    assert one(sample="s7").sample == "s7"


def test_only_a_privileged_agent_sees_the_sample() -> None:
    record = one("peeking")
    assert record.privileged
    assert record.outcome is not None
    assert record.outcome.reward == 1.0
    assert not one().privileged


def test_an_episode_may_start_with_a_memory_and_freeze_it() -> None:
    memory = Memory()
    memory.apply(Create("kept"), SOURCE)
    record = one(memory=memory.to_json(), frozen=True)
    assert [step.size for step in record.steps][:3] == [1, 1, 1]
    assert {result.status for step in record.steps for result in step.results if result.operation == "create"} == {
        "frozen"
    }


def test_what_the_model_costs_is_recorded_with_the_step() -> None:
    record = one("asking", Cast({"model": Model()}), model="model")
    assert [step.usage for step in record.steps] == [Usage(1, 3, 2)] * len(record.steps)
    assert record.usage.calls == len(record.steps)


def test_the_halves_of_a_surrogate_pair_are_recorded_as_the_character_they_are_read_as() -> None:
    record = one("asking", Cast({"model": Model()}), model="model")
    assert record.steps[0].action == "<advance/>\U0001f600"


# -------------------------------------------------------------------- failures


def test_an_agent_that_fails_is_a_record_with_its_error() -> None:
    record = one(agent_options={"fail_at": 2})
    assert (record.error, record.outcome, len(record.steps)) == ("RuntimeError: failed at step 1", None, 1)


def test_an_agent_that_cannot_begin_is_a_record_with_its_error() -> None:
    record = one("returning", agent_options={"at_reset": True})
    assert (record.error, record.steps) == ("ValueError: no reset today", ())


def test_a_model_that_fails_is_a_record_with_its_error() -> None:
    record = one("asking", Cast({"model": Model(fail_at=2)}), model="model")
    assert (record.error, len(record.steps)) == ("ModelError: the server is asleep", 1)


@pytest.mark.parametrize("what", [None, 3, ["x"]])
def test_an_agent_that_returns_no_action_is_a_record_with_its_error(what: Any) -> None:
    record = one("returning", agent_options={"what": what})
    assert record.error is not None
    assert record.error.startswith("TypeError: An action is a str or an Action")


def test_a_run_goes_on_after_a_failure() -> None:
    episodes = [episode(n, agent_options={"fail_at": 2 if n == 1 else 0}) for n in range(4)]
    records = play(episodes, concurrency=2)
    assert [record.error is None for record in records] == [True, False, True, True]


def test_an_environment_in_which_an_episode_failed_plays_the_next_one_as_a_new_one_does() -> None:
    cast = Cast()
    asyncio.run(rollout(episode(3, agent_options={"fail_at": 2}), cast))
    assert asyncio.run(rollout(episode(4), cast)).line() == asyncio.run(rollout(episode(4))).line()


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"agent": "notin"}, UnknownName),
        ({"agent_options": {"fail": 1}}, UnknownOptionError),
        ({"options": {"thing": 1}}, UnknownOptionError),
        ({"sample": "s99"}, LookupError),
        ({"model": "modl"}, UnknownName),
    ],
)
def test_what_does_not_exist_raises_before_it_starts(fields: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        asyncio.run(rollout(episode(**fields)))


def test_an_environment_that_does_not_exist_raises_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="MemGym/Colours"):
        asyncio.run(rollout(Episode("x", "MemGym/Colors", "noting", 0)))
