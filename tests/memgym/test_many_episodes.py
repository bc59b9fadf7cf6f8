"""Many episodes in one process: they wait for nobody, share what is computed, and leave nothing behind."""

from __future__ import annotations

import asyncio
import gc
import resource
import threading
from collections.abc import AsyncGenerator, Iterator

import pytest
from small_agents import agents
from small_world import Colours, registered

from memgym.agent import Observation, ScriptedAgent
from memgym.env import MemoryEnv
from memgym.memory.encoders import make_encoder
from memgym.model import Reply, Request
from memgym.operations import Action, Answer, Create, Read
from memgym.records import Episode, EpisodeRecord
from memgym.rollout import Cast, play, run

EPISODES = 256


@pytest.fixture(scope="module", autouse=True)
def names() -> Iterator[None]:
    with agents(), registered("agent", storing=f"{__name__}:Storing"):
        yield


class Storing(ScriptedAgent):
    """Stores what it reads, in two entries, and looks at it at once; waits between, as for a model."""

    name = "storing"

    async def episode(self, observation: Observation) -> AsyncGenerator[Action, Observation]:
        while observation.view.phase == "read":
            await asyncio.sleep(0)
            text = observation.view.text
            observation = yield Action((Create(text), Create(f"again: {text}"), Read(f"what is {text[:9]}")))
        for question in observation.view.questions:
            observation = yield Action((Read(question),), Answer("red"))


class Barrier:
    """A model that answers nobody until all episodes have asked, so that they must all be in progress at once."""

    name = "barrier"

    def __init__(self) -> None:
        self.waiting = 0
        self.threads = 0
        self.all_here = asyncio.Event()

    async def chat(self, request: Request) -> Reply:
        self.waiting += 1
        if self.waiting == EPISODES:
            self.threads = threading.active_count()
            self.all_here.set()
        await self.all_here.wait()
        return Reply("<answer>red</answer>")


class Held:
    """A model that answers when it is let go."""

    name = "held"

    def __init__(self) -> None:
        self.go = asyncio.Event()

    async def chat(self, request: Request) -> Reply:
        await self.go.wait()
        return Reply("<answer>red</answer>")


class Ready:
    """A model that answers at once."""

    name = "ready"

    async def chat(self, request: Request) -> Reply:
        return Reply("<answer>red</answer>")


def asked(number: int, model: str) -> Episode:
    return Episode(f"e{number}", "MemGym/Colours", "asking", number, model=model, options={"max_steps": 5})


def test_256_episodes_are_in_progress_at_once_in_one_thread() -> None:
    async def together() -> tuple[list[EpisodeRecord], int]:
        model = Barrier()
        before = threading.active_count()
        episodes = [asked(number, "barrier") for number in range(EPISODES)]
        records = [record async for record in run(episodes, concurrency=EPISODES, cast=Cast({"barrier": model}))]
        return records, model.threads - before

    records, more = asyncio.run(together())
    assert [record.error for record in records] == [None] * EPISODES
    assert more == 0


def test_an_episode_that_waits_for_its_model_holds_no_other() -> None:
    async def together() -> list[str]:
        held = Held()
        cast = Cast({"held": held, "ready": Ready()})
        episodes = [asked(number, "ready" if number else "held") for number in range(20)]
        order = []
        async for record in run(episodes, concurrency=4, cast=cast):
            order.append(record.episode.id)
            if len(order) == 19:
                held.go.set()  # before that the held one cannot end
        return order

    assert asyncio.run(together())[-1] == "e0"


def test_a_group_of_eight_computes_each_distinct_text_once() -> None:
    encoder = make_encoder("hashing:47")
    options = {"encoder": "hashing:47", "by": "dense"}
    group = [Episode(f"g{number}", "MemGym/Colours", "storing", 7, options=options) for number in range(8)]
    before = encoder.computed
    records = play(group, concurrency=8)
    assert len({record.line().replace(record.episode.id, "") for record in records}) == 1
    texts = {item for record in records for step in record.steps for item in _texts(step.action)}
    assert len(texts) > 4
    assert encoder.computed - before == len(texts)


def _texts(action: str) -> set[str]:
    env = MemoryEnv(Colours())
    found = set()
    for operation in env.dialect.parse(action).operations:
        if isinstance(operation, Create):
            found.add(operation.text)
        elif isinstance(operation, Read):
            found.add(operation.query)
    return found


@pytest.mark.slow
def test_ten_thousand_resets_leave_nothing_behind() -> None:
    env = MemoryEnv(Colours(), encoder="hashing:32", by="dense")

    def episodes(first: int, count: int) -> None:
        for seed in range(first, first + count):
            env.reset(seed=seed)
            env.step(Action((*[Create(f"{number} of an episode") for number in range(20)], Read("3 of an episode"))))

    episodes(0, 2_000)  # caches fill, and the allocator finds its size
    gc.collect()
    objects, before = len(gc.get_objects()), _resident()
    episodes(2_000, 10_000)
    gc.collect()
    assert len(gc.get_objects()) - objects < 500
    assert _resident() - before < 4 << 20


def _resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()
