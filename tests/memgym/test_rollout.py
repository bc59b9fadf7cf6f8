"""Episodes played by agents: records that depend on nothing but the episode, and failures that are records too."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from typing import Any

import pytest
from small_world import colours, registered

from memgym import registry
from memgym.agent import Agent, Briefing, Observation, ScriptedAgent
from memgym.memory import Memory, Write
from memgym.model import ModelError, Reply, Request, Usage
from memgym.operations import Action, Advance, Answer, Create, Read
from memgym.records import Episode, EpisodeRecord
from memgym.registry import UnknownName, UnknownOptionError
from memgym.rollout import Cast, play, rollout, run

SOURCE = Write("before", 1, "create", 1)


class Noting(ScriptedAgent):
    """Stores what it reads with a random mark, looks the question up, and answers with the colour that it finds."""

    name = "noting"

    def __init__(self, fail_at: int = 0, silent: bool = False) -> None:
        self.fail_at, self.silent = fail_at, silent

    async def episode(self, observation: Observation) -> AsyncGenerator[Action, Observation]:
        if self.silent:
            return
        while observation.view.phase == "read":
            await asyncio.sleep(float(self.briefing.rng.random()) / 1000)
            if observation.step == self.fail_at - 1:
                raise RuntimeError(f"failed at step {observation.step}")
            mark = int(self.briefing.rng.integers(1000))
            observation = yield Action((Create(f"{observation.view.text} #{mark}"),))
        for question in observation.view.questions:
            observation = yield Action((Read(question),))
            thing = question.removeprefix("What is the colour of ").rstrip("?")
            found = [hit.entry.text for hit in observation.memories if f"{thing} is " in hit.entry.text]
            observation = yield Action((), Answer("".join(found).partition(" is ")[2].partition(".")[0]))


class Asking(Agent):
    """Asks its model at every step and writes what it says."""

    name = "asking"

    def __init__(self, model: Any) -> None:
        self.model = model

    async def reset(self, briefing: Briefing) -> None:
        assert briefing.sample is None

    async def act(self, observation: Observation) -> Action | str:
        reply = await self.model.chat(Request("act", (), {"text": observation.view.text}))
        return str(reply.text)


class Peeking(ScriptedAgent):
    """Answers from the sample."""

    name = "peeking"
    privileged = True

    async def episode(self, observation: Observation) -> AsyncGenerator[Action, Observation]:
        assert self.briefing.sample is not None
        while observation.view.phase == "read":
            observation = yield Action((), Advance())
        yield Action((), Answer(self.briefing.sample.questions[0].answers[0]))


class Returning(Agent):
    """Returns what it was told to."""

    name = "returning"

    def __init__(self, what: Any = None, at_reset: bool = False) -> None:
        self.what, self.at_reset = what, at_reset

    async def reset(self, briefing: Briefing) -> None:
        if self.at_reset:
            raise ValueError("no reset today")

    async def act(self, observation: Observation) -> Action | str:
        answer: str = self.what
        return answer


class Model:
    """Says to read on, and counts; fails at a given call."""

    name = "model"

    def __init__(self, fail_at: int = 0) -> None:
        self.calls, self.fail_at = 0, fail_at

    async def chat(self, request: Request) -> Reply:
        self.calls += 1
        if self.calls == self.fail_at:
            raise ModelError("the server is asleep")
        return Reply("<advance/>\ud83d\ude00", Usage(calls=1, prompt_tokens=3, completion_tokens=2))


@pytest.fixture(scope="module", autouse=True)
def names() -> Iterator[None]:
    targets = {cls.name: f"{__name__}:{cls.__name__}" for cls in (Noting, Asking, Peeking, Returning)}
    with colours(), registered("agent", **targets):
        yield


def episode(number: int = 0, agent: str = "noting", **fields: Any) -> Episode:
    return Episode(f"{agent}/{number}", "MemGym/Colours", agent, number, **fields)


def one(agent: str = "noting", cast: Cast | None = None, **fields: Any) -> EpisodeRecord:
    return asyncio.run(rollout(episode(0, agent, **fields), cast))


def lines(records: list[EpisodeRecord]) -> list[str]:
    return [record.line() for record in records]


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


# -------------------------------------------------------------------- many episodes


def test_records_are_byte_equal_however_many_are_played_at_once() -> None:
    episodes = [episode(n, options={"encoder": "hashing:32"} if n % 2 else {}) for n in range(12)]
    alone = lines(play(episodes, concurrency=1))
    assert lines(play(episodes, concurrency=8)) == alone
    assert lines(list(reversed(play(list(reversed(episodes)), concurrency=3)))) == alone


def test_records_are_in_the_order_of_the_episodes() -> None:
    episodes = [episode(n) for n in (5, 1, 3)]
    assert [record.episode for record in play(episodes)] == episodes


def test_episodes_of_different_seeds_differ() -> None:
    assert len({record.steps[0].action for record in play([episode(n) for n in range(4)])}) == 4


def test_a_run_yields_records_as_they_are_done() -> None:
    async def first() -> list[str]:
        records = run((episode(n) for n in range(6)), concurrency=3)
        found = [(await anext(records)).episode.id]
        await records.aclose()
        return found

    assert asyncio.run(first())[0] in {f"noting/{n}" for n in range(3)}


def test_a_run_that_is_left_cancels_what_is_still_played() -> None:
    async def leave() -> int:
        records = run((episode(n) for n in range(6)), concurrency=3)
        await anext(records)
        await records.aclose()
        return len(asyncio.all_tasks())

    assert asyncio.run(leave()) == 1


def test_an_episode_that_cannot_be_made_ends_the_run() -> None:
    with pytest.raises(UnknownName, match="notin"):
        play([episode(0), episode(1, "notin"), episode(2)])


def test_two_episodes_of_one_id_are_an_error() -> None:
    with pytest.raises(ValueError, match="same id"):
        play([episode(1), episode(1)])


@pytest.mark.parametrize("concurrency", [0, -1])
def test_a_concurrency_of_nothing_is_an_error(concurrency: int) -> None:
    with pytest.raises(ValueError, match="concurrency"):
        play([episode(1)], concurrency=concurrency)


def test_no_episodes_are_no_records() -> None:
    assert play([]) == []


def test_environments_are_lent_and_models_shared() -> None:
    model = Model()
    cast = Cast({"model": model})
    records = play([episode(n, "asking", model="model") for n in range(3)], concurrency=3, cast=cast)
    assert model.calls == sum(len(record.steps) for record in records)


def test_the_agents_of_this_file_are_gone_after_it() -> None:
    with registered("agent", soon=f"{__name__}:Noting"):
        assert "soon" in registry.names("agent")
    assert "soon" not in registry.names("agent")
