"""MemoryBank: what happened by day, summaries, a portrait of the user, and memories that fade unless they are recalled.

Source: Zhong et al., "MemoryBank: Enhancing Large Language Models with Long-Term Memory" (AAAI 2024, arXiv 2305.10250),
and its code (MIT). All that is said is kept by day; when a day is over it is summarised, and the summary goes into an
overview of all days and the day into a portrait of the user. A question is answered from the overview, the portrait and
the six nearest memories. A memory of strength S, 1 at first and one more with every recall, is retained after t days
with probability exp(-t / 5S); a recall sets t to 0.

Deviations:
- The published code computes exp(-t / 5 * S), by which stronger memories fade faster. Here they fade slower.
- The code draws anew each time it looks, so that what survives falls far below the curve, and without a seed. Here
  every memory draws once when it is written and once at every recall, from the episode's generator, and is deleted as
  soon as the curve has fallen below what was drawn: the share that is left follows the curve. ``mode="threshold"``
  deletes below a fixed retention instead.
- Days are read from the time of what comes in (a month counts as its first day). Text without a date is all one day: it
  does not fade, and is summarised in parts of ``log`` tokens, since nothing else would bound the request.
- Overview and portrait are sections of the scratchpad; the code keeps them in a file of each user. Lengths of summaries
  are bounded (``summary``, ``overview``, ``portrait`` tokens), in the paper only the model bounds them. The code makes
  four requests a day (also a daily reading of the personality); the portrait here takes in the day itself.
- In an environment whose memory is kept over episodes, entries of earlier episodes fade only after they were recalled.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import ClassVar

from memgym.agent import Briefing, Observation, World
from memgym.memory.entry import Hit
from memgym.model import ChatModel
from memgym.operations import Action, Create, Delete, Evolve, Operation, Scratchpad, pairs
from memgym.registry import unknown

from ..budget import cut, tokenizer
from ..lifecycle.builtin import DenseSearch, PromptInjection
from ..lifecycle.components import Evolution, Formation, Piece, Utilization, needs_model
from ..lifecycle.system import MemorySystem
from ..memory_prompts import SUMMARISE
from ..sections import read, write
from .moments import moment

OVERVIEW, PORTRAIT = "What happened", "Portrait of the user"
EVENTS = "what happened, and what was said that matters later"
PERSON = "the user's character, habits, feelings and plans, and how to answer them"
MODES = ("draw", "threshold")


class DailyFormation(Formation):
    """Keeps everything by day; at the end of a day adds its summary, and renews overview and portrait."""

    name = "memorybank.formation"
    requires = frozenset({"raw_text"})
    provides = frozenset({"text_content", "scratchpad", "strength"})

    def __init__(
        self,
        model: ChatModel | None = None,
        *,
        summary: int = 256,
        overview: int = 512,
        portrait: int = 256,
        log: int = 4000,
    ) -> None:
        for name, value in (("summary", summary), ("overview", overview), ("portrait", portrait), ("log", log)):
            if value < 1:
                raise ValueError(f"{name} is {value}; at least 1 was expected.")
        self.model = needs_model(model, self)
        self.summary, self.overview, self.portrait, self.log = summary, overview, portrait, log
        self._day = ""
        self._log: list[str] = []
        self._size = 0

    def reset(self, briefing: Briefing) -> None:
        self._day, self._log, self._size = "", [], 0

    async def form(self, piece: Piece, observation: Observation) -> Sequence[Operation]:
        text = f"{piece.title}\n{piece.text}" if piece.title else piece.text
        size = tokenizer().count(text)
        over = _date(piece.time) != _date(self._day) or self._size + size > self.log
        written = list(await self.finish(observation)) if over else []
        self._day = piece.time
        self._log.append(text)
        self._size += size
        return [*written, _kept(text, "log", piece.time)]

    async def finish(self, observation: Observation) -> Sequence[Operation]:
        """Close the day: its summary, the new overview and the new portrait."""
        if not self._log:
            return ()
        log, self._log, self._size = self._log, [], 0
        known = read(observation.scratchpad, (OVERVIEW, PORTRAIT))
        summary = await self._say(log, EVENTS, self.summary)
        dated = f"({self._day}) {summary}" if self._day and summary else summary
        overview = await self._say([known[OVERVIEW], dated], EVENTS, self.overview) or known[OVERVIEW]
        portrait = await self._say([known[PORTRAIT], *log], PERSON, self.portrait) or known[PORTRAIT]
        pad = Scratchpad(write({OVERVIEW: overview, PORTRAIT: portrait}))
        return [_kept(summary, "summary", self._day), pad] if summary else [pad]

    async def _say(self, texts: Sequence[str], focus: str, limit: int) -> str:
        given = [text for text in texts if text]
        asked = await SUMMARISE.ask(self.model, texts=given, focus=[focus], limit=limit)
        return cut(asked.value.text, limit)


def day(time: str) -> int | None:
    """Return the day that a time names, counted from the year 1; None if it names none that exists."""
    parts = (*(moment(time) or (0,)), 1, 1)
    try:
        return date(*parts[:3]).toordinal()
    except ValueError:
        return None


def _kept(text: str, kind: str, time: str) -> Create:
    return Create(text, time=time, attributes=pairs(kind=kind, strength="1"))


def _date(time: str) -> int | str:
    known = day(time)
    return time if known is None else known


@dataclass(frozen=True, slots=True)
class Trace:
    """What is left of a memory: its strength, the day of its last recall, and the retention below which it is gone."""

    strength: int
    day: int
    bound: float

    def retention(self, today: int, days: float = 5.0) -> float:
        """Return the share that is retained after the days since the last recall, in (0, 1]."""
        return math.exp(-max(today - self.day, 0) / (days * self.strength))


class ForgettingEvolution(Evolution):
    """Deletes what has faded whenever a new day begins; a recall makes a memory stronger and fresh."""

    name = "memorybank.evolution"
    requires = frozenset({"text_content", "strength"})

    def __init__(
        self, model: ChatModel | None = None, *, days: float = 5.0, mode: str = "draw", threshold: float = 0.3
    ) -> None:
        if mode not in MODES:
            raise unknown("mode of forgetting", mode, MODES)
        if days <= 0 or not 0 < threshold < 1:
            raise ValueError(f"days is {days} and threshold is {threshold}; days > 0 and 0 < threshold < 1 are needed.")
        self.days, self.mode, self.threshold = days, mode, threshold
        self._traces: dict[str, Trace] = {}
        self._today: int | None = None

    def reset(self, briefing: Briefing) -> None:
        self._rng = briefing.rng.spawn(1)[0]
        self._traces, self._today = {}, None

    async def integrate(self, formed: Sequence[Operation], world: World) -> None:
        for operation in formed:
            if isinstance(operation, Create):
                await self._turn_to(day(operation.time), world)
        observation = await world.step(Action(tuple(formed)))
        for operation, result in zip(formed, observation.results, strict=False):
            if isinstance(operation, Create) and result.ok:
                self._trace(result.ids[0], 1, day(operation.time))

    async def _turn_to(self, today: int | None, world: World) -> None:
        """Let a later day begin: what has faded by then is deleted."""
        if today is None or (self._today is not None and today <= self._today):
            return
        self._today = today
        faded = [id for id, one in self._traces.items() if one.retention(today, self.days) < one.bound]
        for id in faded:
            del self._traces[id]
        if faded:
            await world.step(Action(tuple(Delete(id) for id in faded)))

    def _trace(self, id: str, strength: int, of: int | None) -> None:
        """Remember when a memory was fresh; one without a day does not fade."""
        at = self._today if of is None else of
        if at is not None:
            bound = float(self._rng.random()) if self.mode == "draw" else self.threshold
            self._traces[id] = Trace(strength, at, bound)

    async def recalled(self, hits: Sequence[Hit], world: World) -> None:
        changes = []
        for hit in hits:
            strength = _number(hit.entry.attribute("strength")) + 1
            self._trace(hit.entry.id, strength, self._today)
            changes.append(Evolve(hit.entry.id, attributes=pairs(strength=str(strength))))
        if changes:
            await world.step(Action(tuple(changes)))


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and 0 < len(text) < 10 else 1


class SixNearest(DenseSearch):
    """The six memories nearest to the question: days, and summaries of days."""

    name = "memorybank.retrieval"

    def __init__(self, model: ChatModel | None = None, *, k: int = 6) -> None:
        super().__init__(model, k=k)


class PortraitInjection(Utilization):
    """Shows overview and portrait, and below them what was retrieved, each with its time."""

    name = "memorybank.utilization"
    requires = frozenset({"scratchpad", "retrieved", "text_content"})
    provides = frozenset({"prompt"})

    def __init__(self, model: ChatModel | None = None) -> None:
        self._plain = PromptInjection()

    async def context(self, question: str, hits: Sequence[Hit], observation: Observation) -> str:
        found = await self._plain.context(question, hits, observation)
        return "\n\n".join(part for part in (observation.scratchpad, found) if part)


class MemoryBank(MemorySystem):
    """MemoryBank with its forgetting curve the right way round."""

    name = "memorybank"
    system: ClassVar = {
        "formation": "memorybank.formation",
        "backend": "vector.backend",
        "evolution": "memorybank.evolution",
        "retrieval": "memorybank.retrieval",
        "utilization": "memorybank.utilization",
    }
