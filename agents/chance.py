"""The floor of every table: well-formed actions that mean nothing, drawn from the episode's generator."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TypeVar

from memgym.agent import Agent, Briefing, Observation
from memgym.model import ChatModel
from memgym.operations import (
    Act,
    Action,
    Advance,
    Answer,
    Command,
    Create,
    Delete,
    Evolve,
    Link,
    Operation,
    Read,
    Scratchpad,
    Update,
)

One = TypeVar("One")

MOST_OPERATIONS = 3
MOST_WORDS = 2000
NOWHERE = "nowhere"
"""An id that no memory gives out; a random agent tries it as often as each id that it was shown."""


class RandomAgent(Agent):
    """Takes zero to three allowed operations and one accepted command a step, all uniformly at random.

    Ids are those that it was shown and one unknown one; texts are spans of the last 2000 words that it saw, and an
    answer is a span of one to four. ``model`` is not used; it is there so that every agent is made alike.
    """

    name = "random"

    def __init__(self, model: ChatModel | None = None) -> None:
        self.model = model

    async def reset(self, briefing: Briefing) -> None:
        self._rng = briefing.rng
        self._kinds = sorted(briefing.operations)
        self._words: deque[str] = deque(maxlen=MOST_WORDS)
        self._ids: dict[str, None] = {NOWHERE: None}

    async def act(self, observation: Observation) -> Action:
        self._see(observation)
        count = int(self._rng.integers(MOST_OPERATIONS + 1)) if self._kinds else 0
        operations = tuple(self._operation(self._pick(self._kinds)) for _ in range(count))
        return Action(operations, self._command(observation))

    def _see(self, observation: Observation) -> None:
        self._words.extend(observation.view.text.split()[-MOST_WORDS:])
        for hit in observation.memories:
            self._ids[hit.entry.id] = None
        for result in observation.results:
            self._ids.update(dict.fromkeys(result.ids))

    def _command(self, observation: Observation) -> Command | None:
        view = observation.view
        if not view.commands:
            return None
        kind = self._pick(view.commands)
        if kind == "answer":
            return Answer(self._span(4) or "unknown")
        if kind == "act":
            return Act(self._pick(view.admissible) if view.admissible else self._span(4))
        return Advance()

    def _operation(self, kind: str) -> Operation:
        makers: dict[str, Callable[[], Operation]] = {
            "create": lambda: Create(self._span(), keywords=tuple(self._span(3).split())),
            "read": lambda: Read(self._span(8)),
            "update": lambda: Update(self._id(), self._span()),
            "delete": lambda: Delete(self._id()),
            "link": self._link,
            "evolve": lambda: Evolve(self._id(), tags=tuple(self._span(2).split())),
            "scratchpad": lambda: Scratchpad(self._span()),
        }
        return makers[kind]()

    def _link(self) -> Link:
        source = self._id()
        others = [id for id in self._ids if id != source]
        return Link(source, (self._pick(others or [NOWHERE]),))

    def _span(self, longest: int = 40) -> str:
        """Return one to ``longest`` words in a row of what was seen; "" before anything was."""
        if not self._words:
            return ""
        start = int(self._rng.integers(len(self._words)))
        length = int(self._rng.integers(1, longest + 1))
        words = list(self._words)
        return " ".join(words[start : start + length])

    def _id(self) -> str:
        return self._pick(list(self._ids))

    def _pick(self, choices: list[One] | tuple[One, ...]) -> One:
        return choices[int(self._rng.integers(len(choices)))]
