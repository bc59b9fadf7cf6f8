"""MultiSystem: one step for all, findings in order, and what can be built."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest
from small_house import House, as_json, experience
from small_systems import (
    ENV,
    HASHING,
    Marked,
    Other,
    ended,
)

import memgym
from memgym.agent import Briefing
from memgym.agents.lifecycle.builtin import PromptInjection, ScratchpadInjection
from memgym.agents.lifecycle.multi import MultiSystem
from memgym.env import MemoryEnv
from memgym.operations import Create, Read
from memgym.records import Episode
from memgym.replay import play_again
from memgym.rollout import play


def test_all_systems_write_in_one_step() -> None:
    done, _, _ = ended({"formation": Marked()}, {"formation": Other()})
    writing = [action for action in done.actions if any(isinstance(one, Create) for one in action.operations)]
    assert all([one.store for one in action.operations] == ["one.main", "two.main"] for action in writing)  # type: ignore[union-attr]


def test_a_question_is_searched_by_all_in_one_step() -> None:
    done, _, _ = ended({}, {})
    searches = [action for action in done.actions if any(isinstance(one, Read) for one in action.operations)]
    assert len(searches) == 2
    assert all(len(action.operations) == 2 for action in searches)


def test_what_is_found_is_shown_in_the_order_of_the_systems() -> None:
    _, listening, _ = ended({"formation": Marked()}, {"formation": Other()})
    for text in listening.texts:
        assert text.index("one: ") < text.rindex("one: ") < text.index("two: ")


def test_a_text_that_two_systems_found_is_shown_once() -> None:
    _, listening, _ = ended({}, {})
    assert all(len(set(parts)) == len(parts) for parts in (text.split("\n\n") for text in listening.texts))


def test_one_system_alone_answers_as_it_would_without_others() -> None:
    agent = {"systems": [{"agent": "simplemem", "options": HASHING}]}
    options = {"questions": 3, "advance": "explicit", "encoder": "hashing"}
    [alone, among] = play([
        Episode("a", ENV, "simplemem", 0, options=options, agent_options=HASHING, model="rules"),
        Episode("m", ENV, "multi-system", 0, options={**options, "stores": ["simplemem.main"]}, agent_options=agent, model="rules"),
    ])  # fmt: skip
    assert among.error is None
    assert among.outcome.predictions == alone.outcome.predictions
    assert among.usage.calls == alone.usage.calls


SYSTEMS = [
    "memagent",
    {"agent": "structmem", "options": HASHING},
    {"agent": "a-mem", "label": "notes", "options": HASHING},
]


def test_systems_of_all_kinds_play_together_and_the_record_replays() -> None:
    agent = memgym.make_agent("multi-system", model=memgym.make_model("rules"), systems=SYSTEMS)
    options = {"questions": 3, **agent.needs}
    episode = Episode("m", ENV, "multi-system", 0, options=options, agent_options={"systems": SYSTEMS}, model="rules")
    [record] = play([episode])
    assert (record.error, record.terminated) == (None, True)
    assert play_again(record).line() == record.line()
    assert play([episode])[0].line() == record.line()


def test_nothing_of_an_episode_is_left_in_the_next() -> None:
    agent = MultiSystem(memgym.make_model("rules"), systems=SYSTEMS)
    env = memgym.rollout.make_env(ENV, questions=2, **agent.needs)
    digests = []
    for _ in range(2):
        env.reset(seed=3)

        async def episode() -> None:
            await agent.reset(Briefing(np.random.default_rng(0), env.dialect, env.options.allowed, 6))
            while not env.pomdp.over:
                env.step(await agent.act(env.pomdp.seen))

        asyncio.run(episode())
        digests.append((env.memory.digest(), env.pomdp.outcome))
    assert digests[0] == digests[1]


def test_they_learn_from_experience_and_act_together() -> None:
    rules = memgym.make_model("rules")
    systems = [{"agent": "awm", "options": HASHING}, {"agent": "expel", "options": HASHING}]
    agent = MultiSystem(rules, systems=systems)

    def lived(needs: dict[str, Any]) -> MemoryEnv:
        return MemoryEnv("Experience", experiences=[as_json(experience("mug", "shelf"))], **needs)

    async def through(env: MemoryEnv, **reset: Any) -> MemoryEnv:
        env.reset(seed=0, options=reset)
        await agent.reset(Briefing(np.random.default_rng(0), env.dialect, env.options.allowed, 6))
        while not env.pomdp.over:
            env.step(await agent.act(env.pomdp.seen))
        return env

    formed = asyncio.run(through(lived(dict(agent.needs)))).memory
    acted = asyncio.run(through(MemoryEnv(House(), **agent.needs), memory=formed, sample="mug-shelf"))
    assert acted.pomdp.outcome is not None
    assert acted.pomdp.outcome.reward == 1.0
    assert acted.pomdp.task.given == ["take mug", "put mug on shelf"]


def multi(*systems: Any, **options: Any) -> MultiSystem:
    return MultiSystem(memgym.make_model("rules"), systems=systems, **options)


def test_needs_are_those_of_all_with_the_stores_of_each() -> None:
    assert multi("memagent", {"agent": "structmem", "options": HASHING}).needs == {
        "advance": "explicit", "encoder": "hashing", "stores": ["memagent.main", "structmem.events", "structmem.summary"],
    }  # fmt: skip


def test_two_of_one_name_need_labels() -> None:
    with pytest.raises(ValueError, match=r"called 'memagent'.*label"):
        multi("memagent", "memagent")
    assert list(multi("memagent", {"agent": "memagent", "label": "again"}).systems) == ["memagent", "again"]


def test_encoders_that_differ_cannot_share_an_environment() -> None:
    with pytest.raises(ValueError, match=r"'a-mem' needs encoder='minilm' and 'mem0' encoder='hashing'"):
        multi("a-mem", {"agent": "mem0", "options": HASHING})


@pytest.mark.parametrize(
    ("system", "said"),
    [
        ({"agent": "memagent", "lable": "x"}, "label"), ({"label": "x"}, "names no agent"), ("memagentt", "memagent"),
        ("oracle", "cannot be one of several"), ({"agent": "a-mem", "options": {"retrieval": "none"}}, r"none\.backend"),
    ],
)  # fmt: skip
def test_what_cannot_be_one_of_several_is_refused(system: Any, said: str) -> None:
    with pytest.raises((ValueError, LookupError), match=said):
        multi(system)


def test_none_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match="needs systems"):
        multi()


@pytest.mark.parametrize("timeout", [0, -1])
def test_a_timeout_of_nothing_is_refused(timeout: float) -> None:
    with pytest.raises(ValueError, match="timeout"):
        multi("memagent", timeout=timeout)


def test_it_is_made_by_name_from_json() -> None:
    agent = memgym.make_agent("multi-system", model=memgym.make_model("rules"), systems=["memagent"], timeout=5)
    assert isinstance(agent, MultiSystem)
    assert isinstance(next(iter(agent.systems.values())).parts["utilization"], (PromptInjection, ScratchpadInjection))
