"""ReadAgent: a long text as pages with a gist each; a question is answered from the gists and a few pages looked up.

Source: Lee et al., "A Human-Inspired Reading Agent with Gist Memory of Very Long Contexts" (arXiv 2402.09727). The
model ends a page where it likes between 280 and 600 words, and writes a gist of it without knowing the question. To
answer, it is shown all gists, names up to five pages (in parallel: all at once; sequentially: one after the other,
seeing those before), and answers from the gists with these pages in full.

Deviations:
- Pages are entries and the gists are lines of the scratchpad, "Page 3: ...", so the environment holds both; a page has
  the word of its number as a keyword, by which it is looked up with a read of one entry.
- A page ends between two passages (documents, or parts of at most 300 tokens), never inside one. A word is what white
  space separates, or 3/4 of a token where those are more (scripts without spaces). Without a usable choice of the
  model the page ends at its latest border. ``breaks="size"`` asks nothing.
- The paper bounds no gist; here ``gist`` tokens are asked for and kept. A page without a usable gist has its own
  beginning for one.
- ``conditional=True`` writes gists for the questions that are visible (the paper discusses it; off by default).
- Gists are not compressed further; with very many pages the paper's own limit is the context of the model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from memgym.agent import Briefing, Observation, World
from memgym.memory.entry import Entry, Hit
from memgym.model import ChatModel
from memgym.operations import Action, Create, Operation, Read, Scratchpad
from memgym.registry import unknown

from ..budget import cut, tokenizer
from ..lifecycle.components import Formation, Piece, Retrieval, Utilization, needs_model
from ..lifecycle.system import MemorySystem
from ..memory_prompts import SELECT, SUMMARISE

BREAKS = ("model", "size")
LOOKUPS = ("parallel", "sequential")
WHERE = "Where does something new begin, so that a reader may pause? Each option shows the text around one border."
AROUND = 200
"""Characters on each side of a border that the model is shown."""
_LINE = re.compile(r"^Page (\d{1,9}): (.*)$", re.M)


def keyword(number: int) -> str:
    """Return the word by which page ``number`` is looked up; no text has it by chance."""
    return f"page{number:06d}"


def gists(scratchpad: str) -> dict[int, str]:
    """Return the gists in a scratchpad by their page's number, in the order of the text."""
    return {int(number): gist for number, gist in _LINE.findall(scratchpad)}


def words(text: str) -> int:
    """Return the length of a text in words."""
    return max(len(text.split()), tokenizer().count(text) * 3 // 4)


class ReadAgentFormation(Formation):
    """Collects passages into pages, and writes each page with its gist."""

    name = "readagent.formation"
    requires = frozenset({"raw_text"})
    provides = frozenset({"text_content", "context", "keywords", "scratchpad", "gists"})

    def __init__(
        self,
        model: ChatModel | None = None,
        *,
        shortest: int = 280,
        longest: int = 600,
        breaks: str = "model",
        gist: int = 150,
        conditional: bool = False,
    ) -> None:
        if not 0 < shortest <= longest:
            raise ValueError(
                f"Pages of {shortest} to {longest} words were asked for; 0 < shortest <= longest is needed."
            )
        if breaks not in BREAKS:
            raise unknown("way to break pages", breaks, BREAKS)
        self.model = needs_model(model, self)
        self.shortest, self.longest, self.breaks = shortest, longest, breaks
        self.gist, self.conditional = gist, conditional
        self._held: list[Piece] = []
        self._pages = 0

    def reset(self, briefing: Briefing) -> None:
        self._held, self._pages = [], 0

    async def form(self, piece: Piece, observation: Observation) -> Sequence[Operation]:
        self._held.append(piece)
        written: list[Operation] = []
        pad = observation.scratchpad
        while len(self._held) > 1 and words(_page(self._held)) > self.longest:
            pages, pad = await self._turn(await self._border(), pad)
            written += pages
        return written

    async def finish(self, observation: Observation) -> Sequence[Operation]:
        if not self._held:
            return ()
        written, _ = await self._turn(len(self._held), observation.scratchpad)
        return written

    async def _border(self) -> int:
        """Return after how many of the passages held the page ends; at least one stays."""
        lengths = {n: words(_page(self._held[:n])) for n in range(1, len(self._held))}
        fitting = [n for n, length in lengths.items() if length <= self.longest]
        borders = [n for n in fitting if lengths[n] >= self.shortest]
        if not borders:
            return max(fitting, default=1)
        if self.breaks == "size" or len(borders) == 1:
            return borders[-1]
        asked = await SELECT.ask(self.model, question=WHERE, options=[self._around(border) for border in borders])
        chosen = [number for number in asked.value.numbers if 1 <= number <= len(borders)]
        return borders[chosen[0] - 1] if chosen else borders[-1]

    def _around(self, border: int) -> str:
        before, after = _page(self._held[border - 1 : border]), _page(self._held[border : border + 1])
        return f"... {before[-AROUND:]} || {after[:AROUND]} ..."

    async def _turn(self, border: int, pad: str) -> tuple[list[Operation], str]:
        """Write the first ``border`` passages as a page; return what to write and the scratchpad after it."""
        taken, self._held = self._held[:border], self._held[border:]
        text = _page(taken)
        gist = await self._gist(text, taken[-1].questions)
        self._pages = max(self._pages, *gists(pad), 0) + 1
        pad = f"{pad}\n" if pad else ""
        pad += f"Page {self._pages}: {gist}"
        time = next((piece.time for piece in taken if piece.time), "")
        page = Create(text, keywords=(keyword(self._pages),), context=gist, time=time)
        return [page, Scratchpad(pad)], pad

    async def _gist(self, text: str, questions: Sequence[str]) -> str:
        focus = list(questions) if self.conditional else []
        asked = await SUMMARISE.ask(self.model, texts=[text], focus=focus, limit=self.gist)
        gist = " ".join(asked.value.text.split()) or " ".join(text.split())
        return cut(gist, self.gist)


def _page(pieces: Sequence[Piece]) -> str:
    """Return passages as one text; those of one document or session stand under its title once."""
    lines: list[str] = []
    title = ""
    for piece in pieces:
        if piece.title != title:
            lines += ["", piece.title] if lines else [piece.title]
            title = piece.title
        elif lines and not title:
            lines.append("")
        lines.append(piece.text)
    return "\n".join(lines).strip()


class ReadAgentRetrieval(Retrieval):
    """Looks up the pages whose gists say that they help."""

    name = "readagent.retrieval"
    requires = frozenset({"gists", "text_index", "text_content"})
    provides = frozenset({"retrieved"})

    def __init__(self, model: ChatModel | None = None, *, pages: int = 5, lookup: str = "parallel") -> None:
        if pages < 1:
            raise ValueError(f"pages is {pages}; at least 1 was expected.")
        if lookup not in LOOKUPS:
            raise unknown("way to look up", lookup, LOOKUPS)
        self.model = needs_model(model, self)
        self.pages, self.lookup = pages, lookup

    async def retrieve(self, question: str, world: World) -> Sequence[Hit]:
        known = gists(world.observation.scratchpad)
        if not known:
            return ()
        if self.lookup == "parallel":
            return await _look_up((await self._choose(question, known))[: self.pages], world)
        return await self._one_by_one(question, known, world)

    async def _choose(self, question: str, shown: dict[int, str]) -> list[int]:
        options = [f"Page {number}: {text}" for number, text in shown.items()]
        asked = await SELECT.ask(self.model, question=question, options=options)
        numbers = list(shown)
        return [numbers[one - 1] for one in asked.value.numbers if 1 <= one <= len(numbers)]

    async def _one_by_one(self, question: str, known: dict[int, str], world: World) -> Sequence[Hit]:
        """Look up a page at a time, shown in full from then on, until none is named that was not looked up yet."""
        shown, tried, found = dict(known), set[int](), list[Hit]()
        while len(tried) < self.pages:
            number = next((one for one in await self._choose(question, shown) if one not in tried), None)
            if number is None:
                break
            tried.add(number)
            for hit in await _look_up([number], world):
                found.append(hit)
                shown[number] = hit.entry.text
        return found


async def _look_up(numbers: Sequence[int], world: World) -> list[Hit]:
    """Return the pages of these numbers, in this order; a number whose page is not there is left out."""
    if not numbers:
        return []
    reads = tuple(Read(keyword(number), k=1, by="text") for number in numbers)
    observation = await world.step(Action(reads))
    pages = {page: hit for hit in observation.memories if (page := _number(hit.entry)) in numbers}
    return [pages[number] for number in numbers if number in pages]


def _number(entry: Entry) -> int:
    """Return the number of a page, or 0 for an entry that is none."""
    return next((int(word[4:]) for word in entry.keywords if re.fullmatch(r"page\d{6,9}", word)), 0)


class ReadAgentUtilization(Utilization):
    """Shows all gists in the order of the text, the pages looked up in their place in full; other finds come last."""

    name = "readagent.utilization"
    requires = frozenset({"gists", "retrieved", "text_content"})
    provides = frozenset({"prompt"})

    def __init__(self, model: ChatModel | None = None) -> None:
        pass

    async def context(self, question: str, hits: Sequence[Hit], observation: Observation) -> str:
        shown = gists(observation.scratchpad)
        pages = {_number(hit.entry): hit.entry.text for hit in hits if _number(hit.entry) in shown}
        others = [hit.entry.text for hit in hits if _number(hit.entry) not in shown]
        return "\n\n".join([*(pages.get(number, gist) for number, gist in shown.items()), *others])


class ReadAgent(MemorySystem):
    """ReadAgent with parallel look-up (ReadAgent-P)."""

    name = "readagent"
    system: ClassVar = {
        "formation": "readagent.formation",
        "backend": "text.backend",
        "retrieval": "readagent.retrieval",
        "utilization": "readagent.utilization",
    }
