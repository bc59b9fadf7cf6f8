"""Memory-R1: a manager decides on each fact, and the answer is given from a few of many candidates.

Source: "Memory-R1: Enhancing Large Language Model Agents to Manage and Utilize Memories via Reinforcement Learning"
(arXiv 2508.19828; there is no official code). Its manager chooses ADD, UPDATE, DELETE or NOOP for each fact over the
related memories, Mem0's decisions; its answer agent gets up to 60 candidates, picks those that help, and answers.

Deviations. Neither part is trained: both ask the model that they are given, with prompts of our own. Formation and
decisions are those of ``mem0``, with its deviations. The choice of candidates and the answer are two requests (there:
one generation). If the choice cannot be read, all candidates are shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from memgym.agent import Observation
from memgym.memory.entry import Hit
from memgym.model import ChatModel

from ..lifecycle.builtin import Search
from ..lifecycle.components import Utilization, needs_model
from ..lifecycle.system import MemorySystem
from ..memory_prompts import SELECT
from .mem0 import dated


class MemoryR1Retrieval(Search):
    """The candidates: the nearest memories. k: how many."""

    name = "memory-r1.retrieval"
    requires = frozenset({"text_embedding_index", "text_content"})
    provides = frozenset({"retrieved"})
    by = "dense"

    def __init__(self, model: ChatModel | None = None, *, k: int | None = 60) -> None:
        super().__init__(model, k=k)


class MemoryR1Utilization(Utilization):
    """Memory distillation: shows the candidates that the model picks, in its order. One call a question."""

    name = "memory-r1.utilization"
    requires = frozenset({"retrieved", "text_content"})
    provides = frozenset({"prompt"})

    def __init__(self, model: ChatModel | None = None) -> None:
        self.model = needs_model(model, self)

    async def context(self, question: str, hits: Sequence[Hit], observation: Observation) -> str:
        options = [dated(hit) for hit in hits]
        if not options:
            return ""
        picked = await SELECT.ask(self.model, question=question, options=options)
        if picked.degraded:
            return "\n".join(options)
        return "\n".join(options[number - 1] for number in picked.value.numbers if 1 <= number <= len(options))


class MemoryR1(MemorySystem):
    """Memory-R1 (arXiv 2508.19828), untrained: managed facts, and answers from the candidates that were picked."""

    name = "memory-r1"
    system: ClassVar = {
        "formation": "mem0.formation",
        "backend": "vector.backend",
        "evolution": "mem0.evolution",
        "retrieval": "memory-r1.retrieval",
        "utilization": "memory-r1.utilization",
    }
