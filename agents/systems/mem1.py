"""MEM1: one internal state that every turn writes anew; what is older than the last state and the last input is gone.

Source: Zhou et al., "MEM1: Learning to Synergize Memory and Reasoning for Efficient Long-Horizon Agents"
(arXiv 2506.15841), and its code (MIT). At each turn the model sees its last state, the last information and how many
turns are left; it writes a new state, and both are discarded. So a piece of information is seen word for word for one
turn, and after that only through the state.

Deviations:
- State and last information are two sections of the scratchpad, so the environment holds all that is remembered.
- The information is what the environment shows next, not the result of a search; the turns left are the steps left,
  unless ``turns`` gives a number of turns (the code: 6 searches, with 3 passages each).
- Each chunk is one turn (longer ones than ``information`` tokens are several). The last one stays unread by the state
  until the next turn, as in the paper, and is there when a question is answered.
- The paper's state has no limit of its own; here ``limit`` (tokens) is kept: a longer state is cut, or refused with
  ``overflow="refuse"``, and counted in ``overflows``.
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
from ..sections import read, write
from .memagent import JSON_AROUND

STATE, INFORMATION = "State", "Last information"


class Mem1Formation(Formation):
    """Takes the last information into the state, then puts the new information beside it."""

    name = "mem1.formation"
    unit = "chunk"
    requires = frozenset({"raw_text", "question"})
    provides = frozenset({"scratchpad"})

    def __init__(
        self,
        model: ChatModel | None = None,
        *,
        limit: int = 1024,
        information: int = 5000,
        turns: int | None = None,
        overflow: str = "cut",
    ) -> None:
        for name, value in (("information", information), ("turns", turns)):
            if value is not None and value < 1:
                raise ValueError(f"{name} is {value}; at least 1 was expected.")
        self.model = needs_model(model, self)
        self.information, self.turns = information, turns
        self.state = Overwritten(limit, overflow)
        self._taken = 0

    @property
    def overflows(self) -> int:
        """How many states of this episode were longer than the limit."""
        return self.state.overflows

    def reset(self, briefing: Briefing) -> None:
        self.state.overflows = self._taken = 0

    async def form(self, piece: Piece, observation: Observation) -> Sequence[Operation]:
        pad = observation.scratchpad
        written = []
        for part in parts(piece.text, self.information):
            pad = await self._turn(pad, part, piece.questions, observation.remaining)
            written.append(Scratchpad(pad))
        return written

    async def _turn(self, pad: str, new: str, questions: Sequence[str], remaining: int) -> str:
        now = read(pad, (STATE, INFORMATION))
        state, last = now[STATE], now[INFORMATION]
        left = remaining if self.turns is None else max(self.turns - self._taken, 0)
        self._taken += 1
        if last:
            state = self.state.fit(await self._consolidate(state, last, questions, left), state)
        return write({STATE: state, INFORMATION: new})

    async def _consolidate(self, state: str, last: str, questions: Sequence[str], left: int) -> str:
        prompt = replace(NOTE, max_tokens=self.state.limit + JSON_AROUND)
        text = f"{last}\n\nTurns left: {left}."
        asked = await prompt.ask(
            self.model, questions=list(questions), scratchpad=state, text=text, limit=self.state.limit
        )
        return asked.value.scratchpad


class Mem1(MemorySystem):
    """MEM1: one evolving state."""

    name = "mem1"
    system: ClassVar = {
        "formation": "mem1.formation",
        "backend": "none.backend",
        "retrieval": "none.retrieval",
        "utilization": "scratchpad.utilization",
    }
