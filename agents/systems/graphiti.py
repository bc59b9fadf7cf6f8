"""Graphiti, the memory of Zep: facts as edges with two times, that are superseded and never erased.

Source: "Zep: A Temporal Knowledge Graph Architecture for Agent Memory" (arXiv 2501.13956), section 2, and the code of
graphiti (August 2026). An edge is an entry. Its attributes are ``subject``, ``relation``, ``object``; ``valid_at`` and
``invalid_at``, from when to when it holds in the world; ``created_at`` and ``expired_at``, the steps at which it was
learned and superseded. Defaults: 10 candidates when writing; 10 edges by words and meaning when reading, and edges up
to 3 links away. ``as_of`` reads what held at a time.

Deviations. Prompts are our own; a passage is read alone (there: after the 3 before it). Names are compared by their
letters, case folded: no entities are extracted or merged (there: MinHash, then a model), and there are no entity
summaries and no communities; edges that share a name are linked to each other. A duplicate has the same subject,
relation and object, and no model is asked. Only facts of the same subject and relation can supersede each other (the
code shows a model candidates from the whole graph, and marked 41 % of one graph's facts), and a fact that comes late is
judged against the next later one. Reached edges follow those found, at most as many (there: a third ranking that is
fused); there is no least cosine. Times without a date are the step at which the fact came. A passage whose edges cannot
be read is kept as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from memgym.agent import Briefing, Observation, World
from memgym.memory.entry import Entry, Hit
from memgym.model import ChatModel
from memgym.operations import Action, Create, Evolve, Link, Operation, Read, pairs

from ..lifecycle.components import Evolution, Formation, Piece, Retrieval, Utilization, needs_model
from ..lifecycle.system import MemorySystem
from ..memory_prompts import EDGES, INVALIDATE, Edge
from .moments import Moment, earlier, moment, step
from .shown import line, unshown

_NEW = "new"


class GraphitiFormation(Formation):
    """Takes the facts out of a passage, each as an edge with the time from which it holds. One call a passage."""

    name = "graphiti.formation"
    requires = frozenset({"raw_text"})
    provides = frozenset({"text_content", "validity"})

    def __init__(self, model: ChatModel | None = None) -> None:
        self.model = needs_model(model, self)

    async def form(self, piece: Piece, observation: Observation) -> Sequence[Operation]:
        text = f"{piece.title}\n{piece.text}" if piece.title else piece.text
        found = await EDGES.ask(self.model, text=text, time=piece.time)
        now = step(observation.step)
        if found.degraded:
            return [Create(text, time=piece.time, attributes=_pairs(valid_at=piece.time or now, degraded="edges"))]
        return [_edge(edge, piece.time, now) for edge in found.value.edges if edge.text or edge.subject]


def _edge(edge: Edge, time: str, now: str) -> Create:
    return Create(
        edge.text or f"{edge.subject} {edge.relation} {edge.object}".strip() + ".",
        time=time,
        attributes=_pairs(
            subject=edge.subject,
            relation=edge.relation,
            object=edge.object,
            valid_at=edge.valid_at or time or now,
            created_at=now,
        ),
    )


def _pairs(**values: str) -> tuple[tuple[str, str], ...]:
    return pairs({name: value for name, value in values.items() if value})


class GraphitiEvolution(Evolution):
    """Adds edges, passes over duplicates, and marks what a new edge supersedes. At most two calls an edge.

    candidates: how many of the nearest edges are looked at. links: to how many of the latest edges that share a name
    a new one is linked, and back.
    """

    name = "graphiti.evolution"
    requires = frozenset({"id", "text_content", "validity", "text_index", "text_embedding_index", "link_index"})
    provides = frozenset({"links"})

    def __init__(self, model: ChatModel | None = None, *, candidates: int = 10, links: int = 5) -> None:
        self.model = needs_model(model, self)
        self.candidates = candidates
        self.links = links

    def reset(self, briefing: Briefing) -> None:
        self._named: dict[str, list[str]] = {}

    async def integrate(self, formed: Sequence[Operation], world: World) -> None:
        """Write what was settled on one edge and look for what the next one meets in the same step."""
        waiting: list[Operation] = []
        for operation in formed:
            if isinstance(operation, Create) and _place(operation):
                near = Read(operation.text, k=self.candidates, by="hybrid")
                linked = await self._write([*waiting, near], world)
                waiting = [*linked, *await self._settled(operation, world.observation)]
            else:
                waiting.append(operation)
        while waiting:
            waiting = await self._write(waiting, world)

    async def _write(self, operations: Sequence[Operation], world: World) -> list[Operation]:
        """Take a step, and return the links of the edges that it has created."""
        seen = await world.step(Action(tuple(operations)))
        links: list[Operation] = []
        for operation, result in zip(operations, seen.results, strict=False):
            if isinstance(operation, Create) and result.ok:
                links += self._links(operation, result.ids[0])
        return links

    def _links(self, edge: Create, id: str) -> list[Operation]:
        known = dict(edge.attributes)
        names = dict.fromkeys(name for name in (_folded(known.get(one, "")) for one in ("subject", "object")) if name)
        others = list(dict.fromkeys(other for name in names for other in self._named.get(name, ())[-self.links :]))
        for name in names:
            self._named.setdefault(name, []).append(id)
        near = tuple(others[-self.links :])
        return [Link(id, near), *(Link(other, (id,)) for other in near)] if near else []

    async def _settled(self, edge: Create, seen: Observation) -> list[Operation]:
        """Return what to write of an edge, given the candidates that were just read."""
        same = [hit.entry for hit in seen.memories if _place(hit.entry) == _place(edge)]
        since = _since(edge)
        holding = [one for one in same if not earlier(since, _since(one)) and not _ended(one, since)]
        twin = next((one for one in holding if _object(one) == _object(edge)), None)
        now = step(seen.step)
        if twin is not None:
            return [Evolve(twin.id, attributes=pairs(confirmed_at=now))]
        before = [one for one in holding if earlier(_since(one), since)]
        after = sorted((one for one in same if earlier(since, _since(one))), key=lambda one: _since(one) or ())
        superseded = await self._superseded(edge, before, now)
        return [*superseded, await self._already_superseded(edge, after[:1], now)]

    async def _superseded(self, edge: Create, before: Sequence[Entry], now: str) -> list[Operation]:
        if not before:
            return []
        shown = [line(one.id, dated(one)) for one in before]
        found = (await INVALIDATE.ask(self.model, fact=dated(edge), memories=shown)).value.ids
        until = pairs(invalid_at=dict(edge.attributes)["valid_at"], expired_at=now)
        ids = {one.id for one in before}
        return [Evolve(id if id in ids else unshown(id), attributes=until) for id in found]

    async def _already_superseded(self, edge: Create, after: Sequence[Entry], now: str) -> Create:
        """Return an edge that came late with the time from which a later one has replaced it."""
        for later in after:
            found = await INVALIDATE.ask(self.model, fact=dated(later), memories=[line(_NEW, dated(edge))])
            if _NEW in found.value.ids:
                until = {"invalid_at": later.attribute("valid_at"), "expired_at": now}
                return replace(edge, attributes=pairs({**dict(edge.attributes), **until}))
        return edge


class GraphitiRetrieval(Retrieval):
    """The nearest edges by words and meaning, and those that links lead to; superseded ones too.

    k: how many, and at most as many reached ones. depth: links that are followed. as_of: a time, as in "May 2012";
    only what held then is read. A text that is no time is a ValueError.
    """

    name = "graphiti.retrieval"
    requires = frozenset({"text_index", "text_embedding_index", "link_index", "text_content"})
    provides = frozenset({"retrieved"})

    def __init__(
        self, model: ChatModel | None = None, *, k: int = 10, depth: int = 3, as_of: str | None = None
    ) -> None:
        self.k, self.depth = k, depth
        self.at = None if as_of is None else moment(as_of)
        if as_of is not None and not self.at:
            raise ValueError(f'as_of is {as_of!r}; a date such as "2012-05" or "May 2012" was expected.')

    async def retrieve(self, question: str, world: World) -> Sequence[Hit]:
        count = self.k if self.at is None else _MORE * self.k
        seen = await world.step(Action((Read(question, k=count, by="hybrid", follow=self.depth),)))
        held = [hit for hit in seen.memories if self.at is None or held_at(hit.entry, self.at)]
        found = [hit for hit in held if hit.by != "link"]
        reached = [hit for hit in held if hit.by == "link"]
        return [*found[: self.k], *reached[: self.k]]


_MORE = 3
"""How many times k edges are read where some of them will not hold at the time asked for."""


class GraphitiUtilization(Utilization):
    """Shows each fact with the dates between which it holds."""

    name = "graphiti.utilization"
    requires = frozenset({"retrieved", "text_content"})
    provides = frozenset({"prompt"})

    def __init__(self, model: ChatModel | None = None) -> None:
        pass

    async def context(self, question: str, hits: Sequence[Hit], observation: Observation) -> str:
        return "\n".join(dated(hit.entry) for hit in hits)


def dated(edge: Create | Entry) -> str:
    """Return a fact with its dates behind it: "(holds from May 2012 to June 2016)".

    Steps are not shown; of a fact that is over since one, only that it "(no longer holds)".
    """
    known = dict(edge.attributes)
    since, until = (known.get(name, "") for name in ("valid_at", "invalid_at"))
    if until and (moment(until) or (1,))[0] == 0:
        return f"{edge.text} (no longer holds)"
    parts = [f"{word} {time}" for word, time in (("from", since), ("to", until)) if time and (moment(time) or (1,))[0]]
    return f"{edge.text} (holds {' '.join(parts)})" if parts else edge.text


def held_at(edge: Entry, at: Moment) -> bool:
    """Whether a fact held at the end of a time such as May 2012; where that cannot be told, it may have."""
    return not earlier(at, _since(edge)) and not _ended(edge, at)


def _ended(edge: Entry, at: Moment | None) -> bool:
    """Whether a fact is known to be over by a time."""
    until = moment(edge.attribute("invalid_at"))
    return bool(until and at and (until[0] == 0) == (at[0] == 0)) and not earlier(at, until)


def _since(edge: Create | Entry) -> Moment | None:
    return moment(dict(edge.attributes).get("valid_at", ""))


def _place(edge: Create | Entry) -> tuple[str, str] | None:
    """Return subject and relation as they are compared; None for an entry that is no edge."""
    known: Mapping[str, str] = dict(edge.attributes)
    subject, relation = (_folded(known.get(name, "")) for name in ("subject", "relation"))
    return (subject, relation) if subject and relation else None


def _object(edge: Create | Entry) -> str:
    return _folded(dict(edge.attributes).get("object", ""))


def _folded(name: str) -> str:
    return " ".join(name.replace("_", " ").split()).casefold()


class Graphiti(MemorySystem):
    """Graphiti / Zep (arXiv 2501.13956): dated facts as linked edges; a superseded one is kept and marked."""

    name = "graphiti"
    system: ClassVar = {
        "formation": "graphiti.formation",
        "backend": "vector.backend",
        "evolution": "graphiti.evolution",
        "retrieval": "graphiti.retrieval",
        "utilization": "graphiti.utilization",
    }
