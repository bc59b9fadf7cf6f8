"""The handcoded agent: reads ALFWorld's sentences, wins by text alone, and profits from a memory that is kept."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from memgym import registry
from memgym.agent import Briefing, Observation
from memgym.agents.handcoded import Errand, Handcoded, Knowledge, read_room, read_task
from memgym.dialects.xml import XmlDialect
from memgym.env import MemoryEnv
from memgym.operations import OPERATIONS, Create, Update
from memgym.records import Episode, EpisodeRecord
from memgym.rollout import make_env, play
from memgym.task import TaskView

ENV = "ALFWorld-generated"


@pytest.mark.parametrize(
    ("sentence", "errand"),
    [
        ("put a mug in desk", Errand("put", "mug", "desk")),
        ("put some mug on desk", Errand("put", "mug", "desk")),
        ("put a clean mug in desk", Errand("clean", "mug", "desk")),
        ("clean some mug and put it in desk", Errand("clean", "mug", "desk")),
        ("put a hot mug in desk", Errand("heat", "mug", "desk")),
        ("heat some mug and put it in desk", Errand("heat", "mug", "desk")),
        ("put a cool mug in desk", Errand("cool", "mug", "desk")),
        ("cool some mug and put it in desk", Errand("cool", "mug", "desk")),
        ("put two mug in desk", Errand("two", "mug", "desk")),
        ("find two mug and put them in desk", Errand("two", "mug", "desk")),
        ("look at mug under the desklamp", Errand("light", "mug", "desklamp")),
        ("examine the mug with the desklamp", Errand("light", "mug", "desklamp")),
    ],
)
def test_every_sentence_of_alfworld_is_read(sentence: str, errand: Errand) -> None:
    assert read_task(f"Guide.\n\nYour task is to: {sentence}.\n\nCommands used: 0 of 50.") == errand


@pytest.mark.parametrize("instruction", ["", "Answer.", "Your task is to: sing.", "Your task is to: 歌う.\n"])
def test_a_task_of_another_world_is_an_error_that_says_so(instruction: str) -> None:
    with pytest.raises(ValueError, match="ALFWorld only"):
        read_task(instruction)


@pytest.mark.parametrize("text", ["", "Nothing happens.", "Looking quickly around you, you see nothing."])
def test_a_text_without_a_room_is_an_error_that_shows_it(text: str) -> None:
    with pytest.raises(ValueError, match="look at the room"):
        read_room(text)


def test_a_place_is_noted_once_with_what_it_held_at_first() -> None:
    known = Knowledge(["desk 1", "drawer 1"])
    note = known.look("You arrive at desk 1. On the desk 1, you see a mug 1, and a pen 2.")
    assert isinstance(note, Create)
    assert note.text == f"{known.room}: at first desk 1 held mug 1, pen 2."
    assert known.look("On the desk 1, you see a pen 2.") is None
    assert known.where("pen") == ("pen 2", "desk 1")
    assert known.where("mug") is None


def test_what_was_read_is_believed_until_it_is_seen_to_be_otherwise() -> None:
    known = Knowledge(["desk 1"])
    known.recall("m1", f"{known.room}: at first desk 1 held mug 1.")
    known.recall("m2", "another room: at first desk 1 held pan 1.")
    assert known.where("mug") == ("mug 1", "desk 1")
    note = known.look("On the desk 1, you see nothing.")
    assert note == Update("m1", f"{known.room}: at first desk 1 held nothing.")
    assert known.where("mug") is None


def test_a_room_is_known_by_its_places_in_any_order() -> None:
    assert Knowledge(["a 1", "b 1"]).room == Knowledge(["b 1", "a 1"]).room != Knowledge(["a 1"]).room


def test_it_never_repeats_a_refused_command_for_ever() -> None:
    """A world that refuses everything gets all its places tried."""
    instruction = "Your task is to: put a mug in desk."
    room = "Looking quickly around you, you see a desk 1, a shelf 1, and a drawer 1."

    async def commands() -> list[str]:
        agent = Handcoded()
        await agent.reset(Briefing(np.random.default_rng(0), XmlDialect(), frozenset(), 6))
        said = []
        for step in range(30):
            text = room if step == 0 else "Nothing happens."
            seen = Observation(TaskView(instruction, text, "act", ("act",)), "", (), (), step, 30 - step)
            action = await agent.act(seen)
            said.append(getattr(action.command, "text", ""))
        return said

    assert {"examine desk 1", "examine shelf 1", "examine drawer 1"} <= set(asyncio.run(commands()))


def played(count: int, agent: str = "handcoded", **options: object) -> list[EpisodeRecord]:
    pytest.importorskip("textworld", reason="needs the extra alfworld")
    ids = make_env(ENV).benchmark.schedule(np.random.default_rng(3), count)
    return play([Episode(str(n), ENV, agent, n, sample=id, options=options) for n, id in enumerate(ids)], concurrency=3)


def won(records: list[EpisodeRecord]) -> float:
    return sum(record.outcome.reward for record in records if record.outcome) / len(records)


def test_it_wins_generated_games_and_random_commands_do_not() -> None:
    assert won(played(12)) >= 0.9
    assert won(played(12, "random")) <= 0.1


def test_it_wins_without_any_memory_operation() -> None:
    assert won(played(6, operations=())) >= 0.9


def test_a_kept_memory_spares_it_the_search() -> None:
    pytest.importorskip("textworld", reason="needs the extra alfworld")
    env = make_env(ENV)
    ids = env.benchmark.schedule(np.random.default_rng(3), 6)

    def steps(keep: bool) -> float:
        total = 0.0
        for number, id in enumerate(ids):
            start = "keep" if keep and number else "fresh"
            env.reset(seed=number, options={"sample": id, "memory": start})
            total += asyncio.run(_play(env))
        return total

    async def _play(env: MemoryEnv) -> float:
        pomdp = env.pomdp
        agent = registry.make_agent("handcoded")
        await agent.reset(Briefing(np.random.default_rng(0), XmlDialect(), frozenset(OPERATIONS), 6))
        while not pomdp.over:
            env.step(await agent.act(pomdp.seen))
        assert pomdp.outcome is not None
        assert pomdp.outcome.reward == 1.0
        return float(pomdp.outcome.metrics["game_steps"])

    assert steps(keep=True) < steps(keep=False)
