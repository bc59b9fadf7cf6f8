"""Mem0 as released in 2026: one call a message takes out facts, which are only ever added.

Source: the code of mem0 2.0.18 (August 2026). Nothing is updated or deleted: what contradicts stays side by side, and
conflicts are left to retrieval and to the reader. Defaults: the 10 messages before, each cut to 300 characters, are
shown for what they explain; 20 memories are read for a question.

Deviations. The prompt is our own, and does not show the 10 memories nearest to the message: a formation forms, it does
not read. Exact duplicates are refused by the environment over the whole store, with a status on record (there: by MD5
among those ten and the message). An unreadable reply keeps the message itself as one entry (there: no fact). No
entities are linked, and none lift a score. Words and meaning are fused by reciprocal ranks (there: a sigmoid of BM25
and the cosine are averaged, above a cosine of 0.1); no reranker, no expiry dates.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import ClassVar

from memgym.agent import Briefing, Observation
from memgym.model import ChatModel
from memgym.operations import Create, Operation

from ..lifecycle.builtin import Search
from ..lifecycle.components import Formation, Piece, needs_model
from ..lifecycle.system import MemorySystem
from ..memory_prompts import Facts
from ..prompts import Prompt

EXTRACT_AFTER = Prompt(
    name="extract_after",
    output=Facts,
    system=(
        "You take from a message the facts that are worth remembering. Write each as one short statement that makes "
        "sense alone: names in the place of pronouns, dates in the place of words such as yesterday (the message was "
        "written at the time given, if one is given), and all names, numbers and dates as they stand. The messages "
        "before it are only there to explain who and what is meant: take no fact from them. Give no fact that the "
        "message does not state."
    ),
    user="Messages before:\n{before}\n\nTime: {time}\n\nMessage:\n{text}",
    default=lambda inputs: Facts(facts=[inputs["text"]]),
    max_tokens=2048,
)


class Mem0AddOnlyFormation(Formation):
    """Takes out the facts of each passage, in the light of those before it. One call a passage.

    before: how many earlier passages are shown. cut: how many characters of each.
    """

    name = "mem0-add-only.formation"
    requires = frozenset({"raw_text"})
    provides = frozenset({"text_content"})

    def __init__(self, model: ChatModel | None = None, *, before: int = 10, cut: int = 300) -> None:
        self.model = needs_model(model, self)
        self.cut = cut
        self._before: deque[str] = deque(maxlen=before)

    def reset(self, briefing: Briefing) -> None:
        self._before.clear()

    async def form(self, piece: Piece, observation: Observation) -> Sequence[Operation]:
        text = f"{piece.title}\n{piece.text}" if piece.title else piece.text
        found = await EXTRACT_AFTER.ask(self.model, before=list(self._before), text=text, time=piece.time)
        self._before.append(text[: self.cut])
        return [Create(fact, time=piece.time) for fact in dict.fromkeys(found.value.facts)]


class Mem0AddOnlyRetrieval(Search):
    """The memories nearest by words and by meaning. k: how many."""

    name = "mem0-add-only.retrieval"
    requires = frozenset({"text_index", "text_embedding_index", "text_content"})
    provides = frozenset({"retrieved"})
    by = "hybrid"

    def __init__(self, model: ChatModel | None = None, *, k: int | None = 20) -> None:
        super().__init__(model, k=k)


class Mem0AddOnly(MemorySystem):
    """Mem0 2.0.18: facts are only added; what contradicts stays side by side."""

    name = "mem0-add-only"
    system: ClassVar = {
        "formation": "mem0-add-only.formation",
        "backend": "vector.backend",
        "evolution": "none.evolution",
        "retrieval": "mem0-add-only.retrieval",
        "utilization": "mem0.utilization",
    }
