"""The random agent: always well formed, never meaningful, the same for the same generator."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import numpy as np
import pytest
from small_world import colours

from memgym.agent import Briefing, Observation
from memgym.agents.chance import NOWHERE, RandomAgent
from memgym.dialects.xml import XmlDialect
from memgym.operations import OPERATIONS, Act, Action, Status
from memgym.records import Episode, EpisodeRecord
from memgym.rollout import play
from memgym.task import TaskView


@pytest.fixture(autouse=True)
def world() -> Iterator[None]:
    with colours():
        yield


def played(count: int, operations: object = "all") -> list[EpisodeRecord]:
    options = {"things": 6, "questions": 2, "operations": operations}
    return play([Episode(f"e{seed}", "Colours", "random", seed, options=options) for seed in range(count)])


def actions(seed: int, view: TaskView, count: int = 50) -> list[Action]:
    async def act() -> list[Action]:
        agent = RandomAgent()
        await agent.reset(Briefing(np.random.default_rng(seed), XmlDialect(), frozenset(OPERATIONS), 6))
        return [await agent.act(Observation(view, "", (), (), step, 9)) for step in range(count)]

    return asyncio.run(act())


READING = TaskView("", "Mia lives in Oslo. 日本 ไทย", "read", ("advance",))


def test_everything_it_writes_is_well_formed() -> None:
    statuses = {result.status for record in played(5) for step in record.steps for result in step.results}
    assert Status.MALFORMED not in statuses
    assert {Status.OK, Status.UNKNOWN_ID} <= statuses


def test_it_uses_every_operation_and_an_unknown_id() -> None:
    tried = [operation for action in actions(0, READING, 200) for operation in action.operations]
    assert {operation.kind for operation in tried} == set(OPERATIONS)
    assert any(getattr(operation, "id", None) == NOWHERE for operation in tried)


def test_it_uses_only_what_is_allowed() -> None:
    kinds = {
        result.operation for record in played(3, ("create", "read")) for step in record.steps for result in step.results
    }
    assert kinds <= {"create", "read", "advance", "answer", "act"}


def test_the_same_generator_gives_the_same_play() -> None:
    assert actions(1, READING) == actions(1, READING)
    assert actions(1, READING) != actions(2, READING)


def test_episodes_end_with_a_score() -> None:
    for record in played(3):
        assert record.error is None
        assert record.outcome is not None


def test_an_answer_is_a_span_of_what_it_saw() -> None:
    view = TaskView("", "Mia lives in Oslo", "answer", ("answer",))
    answers = {action.command.text for action in actions(0, view) if action.command}  # type: ignore[union-attr]
    assert answers
    assert all(answer in " ".join(["Mia lives in Oslo"] * 50) for answer in answers)


def test_it_takes_an_admissible_command_where_they_are_listed() -> None:
    view = TaskView("", "A room.", "act", ("act",), admissible=("go north", "look"))
    assert {action.command for action in actions(0, view)} == {Act("go north"), Act("look")}


@pytest.mark.parametrize("text", ["", "\x00 \ud800", "x" * 100_000, "字" * 100])
def test_any_text_can_be_seen(text: str) -> None:
    assert len(actions(0, TaskView("", text, "answer", ("answer",)), 20)) == 20


def test_nothing_is_kept_from_one_episode_to_the_next() -> None:
    async def act() -> Action:
        agent = RandomAgent()
        for seen in ("secret " * 50, ""):
            await agent.reset(Briefing(np.random.default_rng(0), XmlDialect(), frozenset(), 6))
            action = await agent.act(Observation(TaskView("", seen, "answer", ("answer",)), "", (), (), 0, 9))
        return action

    assert asyncio.run(act()).command.text == "unknown"  # type: ignore[union-attr]
