"""Parts for basic construction: stores, plain formations, searches and prompt injection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memgym.agent import Observation, World
from memgym.memory.entry import Hit
from memgym.model import ChatModel
from memgym.operations import Action, Create, Operation, Read

from .components import Backend, Evolution, Formation, Piece, Retrieval, Utilization


class NoStore(Backend):
    """No entries: for systems whose whole memory is the scratchpad."""

    name = "none.backend"

    def __init__(self, model: ChatModel | None = None) -> None:
        pass


class TextStore(Backend):
    """Entries found by words: needs no encoder."""

    name = "text.backend"
    requires = frozenset({"text_content"})
    provides = frozenset({"id", "timestamp", "text_index", "link_index"})

    def __init__(self, model: ChatModel | None = None) -> None:
        pass


class VectorStore(Backend):
    """Entries found by words and by embeddings of one encoder."""

    name = "vector.backend"
    requires = frozenset({"text_content"})
    provides = frozenset({"id", "timestamp", "text_index", "text_embedding_index", "link_index"})

    def __init__(self, model: ChatModel | None = None, *, encoder: str = "minilm") -> None:
        self.encoder = encoder

    @property
    def needs(self) -> Mapping[str, Any]:
        return {"encoder": self.encoder}


class PassageFormation(Formation):
    """Stores every passage as it is, under its title: vanilla RAG's formation."""

    name = "passage.formation"
    requires = frozenset({"raw_text"})
    provides = frozenset({"text_content"})

    def __init__(self, model: ChatModel | None = None) -> None:
        pass

    async def form(self, piece: Piece, observation: Observation) -> Sequence[Operation]:
        text = f"{piece.title}\n{piece.text}" if piece.title else piece.text
        return [Create(text, time=piece.time)]


class Search(Retrieval):
    """One read by the question; subclasses say by which index."""

    by: str

    def __init__(self, model: ChatModel | None = None, *, k: int | None = None, follow: int = 0) -> None:
        self.k = k
        self.follow = follow

    async def retrieve(self, question: str, world: World) -> Sequence[Hit]:
        observation = await world.step(Action((Read(question, k=self.k, by=self.by, follow=self.follow),)))
        return observation.memories


class TextSearch(Search):
    """Search by words (BM25 and n-grams)."""

    name = "text.retrieval"
    requires = frozenset({"text_index", "text_content"})
    provides = frozenset({"retrieved"})
    by = "text"


class DenseSearch(Search):
    """Search by embedding."""

    name = "dense.retrieval"
    requires = frozenset({"text_embedding_index", "text_content"})
    provides = frozenset({"retrieved"})
    by = "dense"


class HybridSearch(Search):
    """Search by words and embedding, fused by reciprocal ranks."""

    name = "hybrid.retrieval"
    requires = frozenset({"text_index", "text_embedding_index", "text_content"})
    provides = frozenset({"retrieved"})
    by = "hybrid"


class PromptInjection(Utilization):
    """Puts the retrieved texts into the prompt, best first, each with its time where it has one."""

    name = "prompt.utilization"
    requires = frozenset({"retrieved", "text_content"})
    provides = frozenset({"prompt"})

    def __init__(self, model: ChatModel | None = None) -> None:
        pass

    async def context(self, question: str, hits: Sequence[Hit], observation: Observation) -> str:
        return "\n\n".join(dated(hit.entry.text, hit.entry.time) for hit in hits)


def dated(text: str, time: str) -> str:
    """Return a text after its time, if it has one that the text itself does not say (a session's header does)."""
    return f"({time}) {text}" if time and time not in text else text


class ScratchpadInjection(Utilization):
    """Shows the scratchpad, and whatever was retrieved below it."""

    name = "scratchpad.utilization"
    requires = frozenset({"scratchpad"})
    provides = frozenset({"prompt"})

    def __init__(self, model: ChatModel | None = None) -> None:
        pass

    async def context(self, question: str, hits: Sequence[Hit], observation: Observation) -> str:
        return "\n\n".join(part for part in (observation.scratchpad, *(hit.entry.text for hit in hits)) if part)


class NoSearch(Retrieval):
    """Reads nothing, for systems whose whole memory is shown anyway."""

    name = "none.retrieval"
    provides = frozenset({"retrieved"})

    def __init__(self, model: ChatModel | None = None) -> None:
        pass

    async def retrieve(self, question: str, world: World) -> Sequence[Hit]:
        return ()


class NoEvolution(Evolution):
    """Writes what was formed as it is, and never looks back."""

    name = "none.evolution"

    def __init__(self, model: ChatModel | None = None) -> None:
        pass
