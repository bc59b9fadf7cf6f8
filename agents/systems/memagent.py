"""MemAgent: a memory of fixed size that is written anew after every chunk, and an answer from that memory only.

Source: Yu et al., "MemAgent: Reshaping Long-Context LLM with Multi-Conv RL-based Memory Agent" (arXiv 2507.02259), and
its code (Apache-2.0). Question + memory (at most 1024 tokens) + a chunk of 5000 tokens give the new memory; after the
last chunk the question is answered from the memory. There is no store and no retrieval.

Deviations:
- The memory is the scratchpad of the environment, so every version of it is recorded.
- The environment cuts the input into chunks; only a longer one than ``chunk`` is cut again.
- All questions that are visible while reading are given at once; the paper reads once for each question.
- In the paper only the length of the reply bounds the memory. Here it never exceeds ``limit``: a longer one is cut, or
  refused (``overflow="refuse"``: the old one stays), and counted in ``overflows``. Tokens are cl100k's, not Qwen's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from memgym.agent import Briefing, Observation
from memgym.model import ChatModel
from memgym.operations import Operation, Scratchpad

from ..budget import Overwritten, parts
from ..lifecycle.components import Formation, Piece, needs_model
from ..lifecycle.system import MemorySystem
from ..prompts import NOTE

JSON_AROUND = 128
"""Tokens that a reply may take above the limit of the note in it."""


class MemAgentFormation(Formation):
    """Overwrites the scratchpad with what the model makes of it and of each chunk."""

    name = "memagent.formation"
    unit = "chunk"
    requires = frozenset({"raw_text", "question"})
    provides = frozenset({"scratchpad"})

    def __init__(
        self, model: ChatModel | None = None, *, limit: int = 1024, chunk: int = 5000, overflow: str = "cut"
    ) -> None:
        if chunk < 1:
            raise ValueError(f"chunk is {chunk}; at least 1 was expected.")
        self.model = needs_model(model, self)
        self.chunk = chunk
        self.memory = Overwritten(limit, overflow)

    @property
    def overflows(self) -> int:
        """How many memories of this episode were longer than the limit."""
        return self.memory.overflows

    def reset(self, briefing: Briefing) -> None:
        self.memory.overflows = 0

    async def form(self, piece: Piece, observation: Observation) -> Sequence[Operation]:
        memory = observation.scratchpad
        written = []
        for part in parts(piece.text, self.chunk):
            memory = self.memory.fit(await self._overwrite(piece.questions, memory, part), memory)
            written.append(Scratchpad(memory))
        return written

    async def _overwrite(self, questions: Sequence[str], memory: str, text: str) -> str:
        prompt = replace(NOTE, max_tokens=self.memory.limit + JSON_AROUND)
        asked = await prompt.ask(
            self.model, questions=list(questions), scratchpad=memory, text=text, limit=self.memory.limit
        )
        return asked.value.scratchpad


class MemAgent(MemorySystem):
    """MemAgent: overwrite, then answer from memory only."""

    name = "memagent"
    system: ClassVar = {
        "formation": "memagent.formation",
        "backend": "none.backend",
        "retrieval": "none.retrieval",
        "utilization": "scratchpad.utilization",
    }
