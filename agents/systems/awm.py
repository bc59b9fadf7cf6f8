"""Agent Workflow Memory: what successful trajectories have in common, written down as workflows with open places.

Source: Wang et al., "Agent Workflow Memory" (arXiv 2409.07429), and its code (Apache-2.0). From successful trajectories
only, one for each task template, without steps that did nothing, the model induces workflows; they are put in front of
the next task: all of them (WebArena), or the one nearest to the task (Mind2Web: ``every=False``, our default, since an
environment's memory outgrows a prompt).

Deviations:
- A template is the type of a task where the world names one, else its text without numbers and quoted words (the code
  has WebArena's template ids). A step did nothing if the observation after it is the one before it.
- ``batch`` trajectories go into one request (the code sends all at once). Temperature is 0, not 1.
- In an online run the code induces again from all trajectories; here an episode shows only new ones, and the workflows
  of earlier episodes stay in memory beside those that it adds. A workflow that is there word for word is not added.
- Without a usable reply the trajectories themselves are kept as examples, marked ``degraded``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import ClassVar

from memgym.agent import Briefing, Observation
from memgym.model import ChatModel
from memgym.operations import Create, Operation, pairs
from memgym.task import Experience

from ..lifecycle.builtin import Search
from ..lifecycle.components import Formation, Piece, needs_model
from ..lifecycle.system import MemorySystem
from ..memory_prompts import INDUCE

EVERYTHING = 10_000
"""How many entries a read asks for that wants all of them."""

_QUOTED = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|\d+")


def template(experience: Experience) -> str:
    """Return what tasks of one kind share."""
    return experience.task_type or " ".join(_QUOTED.sub(" ", experience.task).lower().split())


def effective(experience: Experience) -> Experience:
    """Return the experience without the steps after which the world looked as before."""
    kept = [step for step, after in pairwise(experience.steps) if after[0] != step[0]]
    return replace(experience, steps=(*kept, *experience.steps[-1:]))


class AWMFormation(Formation):
    """Induces workflows from the successful trajectories of an episode, at its end.

    batch: trajectories in one request.
    """

    name = "awm.formation"
    unit = "experience"
    requires = frozenset({"steps", "success", "task_spec"})
    provides = frozenset({"text_content", "task_type"})

    def __init__(self, model: ChatModel | None = None, *, batch: int = 20) -> None:
        if batch < 1:
            raise ValueError(f"batch is {batch}; at least 1 was expected.")
        self.model = needs_model(model, self)
        self.batch = batch
        self._held: dict[str, Experience] = {}

    def reset(self, briefing: Briefing) -> None:
        self._held = {}

    async def form(self, piece: Piece, observation: Observation) -> Sequence[Operation]:
        lived = piece.experience
        if lived is not None and lived.success and lived.steps:
            self._held.setdefault(template(lived), effective(lived))
        return ()

    async def finish(self, observation: Observation) -> Sequence[Operation]:
        held, self._held = list(self._held.items()), {}
        written: list[Operation] = []
        for first in range(0, len(held), self.batch):
            written += await self._induced(dict(held[first : first + self.batch]))
        return written

    async def _induced(self, lived: Mapping[str, Experience]) -> Sequence[Create]:
        asked = await INDUCE.ask(self.model, experiences=[one.render() for one in lived.values()])
        if asked.degraded:
            return [_entry(one.render(), kind, degraded="induce") for kind, one in lived.items()]
        only = next(iter(lived)) if len(lived) == 1 else ""
        found = [one for one in asked.value.workflows if one.text]
        return [_entry(f"{one.name}\n{one.text}".strip(), only or one.name or "unnamed") for one in found]


def _entry(text: str, kind: str, **attributes: str) -> Create:
    return Create(text, tags=("workflow",), attributes=pairs(attributes, task_type=kind))


class AWMRetrieval(Search):
    """The workflow nearest to the task. k: how many. every: all of them instead, nearest first."""

    name = "awm.retrieval"
    requires = frozenset({"text_embedding_index", "text_content"})
    provides = frozenset({"retrieved"})
    by = "dense"

    def __init__(self, model: ChatModel | None = None, *, k: int | None = 1, every: bool = False) -> None:
        super().__init__(model, k=EVERYTHING if every else k)


class AWM(MemorySystem):
    """Agent Workflow Memory (arXiv 2409.07429): workflows induced from what went well."""

    name = "awm"
    system: ClassVar = {
        "formation": "awm.formation",
        "backend": "vector.backend",
        "retrieval": "awm.retrieval",
        "utilization": "prompt.utilization",
    }
