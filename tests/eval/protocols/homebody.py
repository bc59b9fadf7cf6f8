"""A scripted agent of generated homes that learns from what was lived: where things lay, and what was done to win."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace

from memgym.agent import Observation
from memgym.agents.handcoded import Handcoded, Knowledge, read_room
from memgym.operations import Act, Action, Advance, Create, Delete, Read, Status
from memgym.task import Experience

EVERYTHING = 200
DONE_BY = " was done by: "


class Homebody(Handcoded):
    """Notes of each experience what places held, and of a success its commands; follows these, then its rules.

    Where memory is full, the oldest entry makes room. What is said to have gone well is believed, the last said first.
    """

    name = "homebody"

    async def episode(self, observation: Observation) -> AsyncGenerator[Action, Observation]:
        while observation.view.phase == "read":
            for text in lessons(observation.view.experience):
                observation = yield Action((Create(text),))
                if observation.results[0].status is Status.OVER_CAPACITY:
                    observation = yield Action((Read("room at first held was done by", k=EVERYTHING, by="text"),))
                    oldest = min((hit.entry.id for hit in observation.memories), key=lambda id: int(id[1:]))
                    observation = yield Action((Delete(oldest), Create(text)))
            observation = yield Action(command=Advance())
        if observation.view.phase != "act":
            return
        room, task = observation.view.text, asked(observation.view.instruction)
        observation = yield Action((Read(task + DONE_BY, k=EVERYTHING, by="text"),))
        told = [hit.entry for hit in observation.memories if hit.entry.text.startswith(task + DONE_BY)]
        for entry in sorted(told, key=lambda one: int(one.id[1:]))[-1:]:
            for command in entry.text.removeprefix(task + DONE_BY).split("; "):
                if observation.view.phase == "act":
                    observation = yield Action(command=Act(command))
        rules = super().episode(observation._replace(view=replace(observation.view, text=room)))
        action = await anext(rules)
        while observation.view.phase == "act":
            observation = yield action
            try:
                action = await rules.asend(observation)
            except StopAsyncIteration:
                return


def lessons(lived: Experience | None) -> Sequence[str]:
    """What an experience teaches: the places that were seen, and of a success what was done."""
    if lived is None or not lived.steps:
        return ()
    try:
        known = Knowledge(read_room(lived.steps[0][0]))
    except ValueError:
        return ()  # noise whose words stand in no order
    notes = []
    for seen, done in lived.steps:
        note = known.look(seen)
        notes += [note.text] if isinstance(note, Create) else []
        known.moved |= set(re.findall(r"^take ([a-z]+ \d+)", done))
    plan = [lived.task.rstrip(".") + DONE_BY + "; ".join(done for _, done in lived.steps)] if lived.success else []
    return [*notes, *plan]


def asked(instruction: str) -> str:
    found = re.search(r"Your task is to: (.*?)\.(?:\s|$)", instruction)
    return found[1] if found else instruction
