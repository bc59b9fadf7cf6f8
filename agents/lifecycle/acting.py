"""How a memory system acts in a world: it recalls what helps with the task, then asks for one command at a time."""

from __future__ import annotations

from typing import Protocol

from memgym.agent import World
from memgym.model import ChatModel
from memgym.operations import Act, Action

from ..memory_prompts import ACT

HISTORY = 20
"""Commands, with what they led to, that the model is shown; the oldest are left out."""


class Recalling(Protocol):
    """What acts: it has a model to ask, and a memory that it recalls in words."""

    model: ChatModel

    async def recall(self, asked: str, world: World) -> str: ...


async def act(system: Recalling, world: World) -> None:
    """Play until the world ends; memory is recalled once, by the task's instruction."""
    task = world.observation.view.instruction
    memory = await system.recall(task, world)
    history: list[str] = []
    while world.observation.view.phase == "act":
        view = world.observation.view
        asked = await ACT.ask(
            system.model, task=task, memory=memory, history=history[-HISTORY:], observation=view.text,
            admissible=list(view.admissible),
        )  # fmt: skip
        history.append(f"{view.text}\n> {asked.value.command}")
        await world.step(Action(command=Act(asked.value.command)))
