"""Agents that live by their memory, and their episodes without a part of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace
from typing import Any

from memgym.agent import Observation, ScriptedAgent
from memgym.agents.asking import answer, question
from memgym.eval.credit.parts import Part, parts_of
from memgym.eval.credit.playing import Case, Course, course
from memgym.model import ChatModel
from memgym.operations import Action, Advance, Create, Read, Update
from memgym.records import Episode, EpisodeRecord
from memgym.replay import play_again
from memgym.rollout import Cast, play

ENV = "MemGym/Synthetic-50doc"
FILLER = "The river at the old mill is wide."


class Keeper(ScriptedAgent):
    """Writes each piece of evidence and a filler, then answers each question from what a read shows of its evidence.

    Unlike the oracle it keeps nothing outside of memory. With ``twice`` every piece is stored in two entries.
    """

    name = "keeper"
    privileged = True

    def __init__(self, model: ChatModel, twice: bool = False) -> None:
        self.model, self.twice = model, twice

    async def episode(self, observation: Observation) -> AsyncGenerator[Action, Observation]:
        assert self.briefing.sample is not None
        questions = self.briefing.sample.questions
        pieces = dict.fromkeys(piece for one in questions for piece in one.evidence)
        texts = [*pieces, *(f"Again: {piece}" for piece in pieces if self.twice), FILLER]
        observation = yield Action(tuple(Create(text) for text in texts))
        while observation.view.phase == "read":
            observation = yield Action(command=Advance())
        for asked in questions:
            observation = yield Action((Read("\n".join(asked.evidence), k=40, by="text"),))
            shown = [hit.entry.text for hit in observation.memories if any(e in hit.entry.text for e in asked.evidence)]
            observation = yield Action(
                command=await answer(self.model, "\n".join(shown), question(observation.view))
            )  # fmt: skip


class Reviser(ScriptedAgent):
    """Writes an entry, writes it again, updates it, and answers what it then reads."""

    name = "reviser"

    async def episode(self, observation: Observation) -> AsyncGenerator[Action, Observation]:
        observation = yield Action((Create("first"), Create("second"), Create("first")))
        id = observation.results[0].ids[0]
        observation = yield Action((Update(id, "third"), Create("linked", links=(id,)), Create("last")))
        observation = yield Action((Read("third", by="text"), Update("#1", "fourth")))
        observation = yield Action((Update("#1", "fifth"), Read("last", by="text")))
        while observation.view.phase == "read":
            observation = yield Action(command=Advance())


class Stumbler(ScriptedAgent):
    """Takes it for granted that a read of what it wrote shows it."""

    name = "stumbler"

    async def episode(self, observation: Observation) -> AsyncGenerator[Action, Observation]:
        observation = yield Action((Create("first"), Create("second")))
        observation = yield Action((Read("first", by="text"),))
        assert observation.memories[0].entry.text == "first"
        while observation.view.phase == "read":
            observation = yield Action(command=Advance())


AGENTS = (Keeper, Reviser, Stumbler)


def parts(record: EpisodeRecord, by: str = "entry", start: Mapping[str, Any] | None = None) -> list[Part]:
    return parts_of(record, Cast().env(record.episode).dialect, start, by)


def without(record: EpisodeRecord, part: Part | None, mode: str = "react", by: str = "entry", **case: Any) -> Course:
    return asyncio.run(course(Case(record, case.pop("start", record.episode.memory), by, mode, **case), part, Cast()))


def acted(*actions: Action, **options: Any) -> EpisodeRecord:
    """The record of an episode in which these actions are taken, one after the other."""
    episode = Episode("by-hand/0", ENV, "random", 0, options={"max_steps": len(actions), **options})
    [drawn] = play([episode])
    format = Cast().env(episode).dialect.format
    steps = tuple(replace(drawn.steps[0], action=format(action)) for action in actions)
    return play_again(replace(drawn, steps=steps))
