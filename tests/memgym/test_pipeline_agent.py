"""PipelineAgent: a coroutine that takes steps from wherever it stands, beside what else it awaits."""

from __future__ import annotations

import asyncio

import pytest

from memgym.agent import Observation, PipelineAgent, World
from memgym.operations import Action, Answer, Create
from memgym.task import TaskView

VIEW = TaskView("do", "text", "read", ("answer",))


def seen(step: int) -> Observation:
    return Observation(VIEW, "", (), (), step, 9)


class Two(PipelineAgent):
    name = "two"

    async def play(self, world: World) -> None:
        self.steps = [world.observation.step]
        await asyncio.sleep(0)
        await self._part(world)
        await world.step(Action(command=Answer("done")))

    async def _part(self, world: World) -> None:
        observation = await world.step(Action((Create("a"),)))
        await asyncio.gather(asyncio.sleep(0), asyncio.sleep(0))
        self.steps.append(observation.step)


def acts(agent: PipelineAgent, count: int) -> list[Action]:
    async def play() -> list[Action]:
        await agent.reset(None)  # type: ignore[arg-type]
        return [await agent.act(seen(step)) for step in range(count)]

    return asyncio.run(play())


def test_steps_are_taken_in_order_from_any_depth_and_other_awaits_pass():
    agent = Two()
    assert acts(agent, 2) == [Action((Create("a"),)), Action(command=Answer("done"))]
    assert agent.steps == [0, 1]


def test_after_the_play_has_returned_the_agent_does_nothing():
    assert acts(Two(), 5)[2:] == [Action()] * 3


def test_a_reset_starts_the_play_anew():
    agent = Two()
    assert acts(agent, 1) == acts(agent, 1)


class Failing(Two):
    async def _part(self, world: World) -> None:
        await asyncio.sleep(0)
        raise LookupError("no such thing")


def test_an_error_of_the_play_is_the_error_of_act():
    with pytest.raises(LookupError, match="no such thing"):
        acts(Failing(), 1)


class Waiting(Two):
    async def _part(self, world: World) -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            self.cancelled = True
            raise


def test_a_cancelled_act_cancels_what_the_play_awaits():
    agent = Waiting()

    async def play() -> None:
        await agent.reset(None)  # type: ignore[arg-type]
        await asyncio.wait_for(agent.act(seen(0)), 0.05)

    with pytest.raises(TimeoutError):
        asyncio.run(play())
    assert agent.cancelled
