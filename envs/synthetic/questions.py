"""Draws the questions of a sample by walking its world, and answers them there, before any document is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .asking import Chain, Compare, Lookup, Query, Same, phrase
from .dice import Dice
from .phrases import COMPARISONS, NOUN_PHRASES
from .relations import INVERSE, RELATIONS, aliases, order
from .world import Fact, World

QUESTION_KINDS = ("bridge", "comparison", "yesno")
_TRIES = 60


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it was drawn: its query and text, its accepted answers, and the facts that it needs, in order."""

    query: Query
    text: str
    answers: tuple[str, ...]
    facts: tuple[Fact, ...]
    category: str


@dataclass(frozen=True, slots=True)
class _Walk:
    """A chain with the facts behind its hops and where it ends."""

    chain: Chain
    facts: tuple[Fact, ...]
    end: str


class Asker:
    """Draws questions about one world: ``hops`` is how many facts each needs, ``kinds`` which kinds are drawn."""

    def __init__(self, dice: Dice, world: World, hops: tuple[int, int], kinds: tuple[str, ...]) -> None:
        self._dice, self._world, self._hops, self._kinds = dice, world, hops, kinds
        self._latest = world.latest()
        self._names = list(world.kinds)
        self._edges = _edges(self._latest)
        self._into: dict[str, list[tuple[str, str, Fact]]] = {}
        for start, edges in self._edges.items():
            for relation, fact, end in edges:
                if end in world.kinds:
                    self._into.setdefault(end, []).append((start, relation, fact))

    def ask(self, count: int) -> list[Asked] | None:
        """Return ``count`` different questions; None if this world does not have that many within reach."""
        asked: dict[Query, Asked] = {}
        for _ in range(count * _TRIES):
            kind = self._dice.pick(self._kinds)
            hops = self._dice.between(max(self._hops[0], 2 if kind == "comparison" else 1), self._hops[1])
            one = self._draw(kind, hops)
            if one is not None and one.query not in asked:
                asked[one.query] = one
            if len(asked) == count:
                return list(asked.values())
        return None

    def _draw(self, kind: str, hops: int) -> Asked | None:
        draws: dict[str, Callable[[int], Asked | None]] = {
            "bridge": self._bridge,
            "comparison": self._comparison,
            "yesno": self._yesno,
        }
        return draws[kind](hops)

    def _walk(self, start: str, hops: int, *, entity: bool) -> _Walk | None:
        """Walk from a name; no place is visited twice. ``entity`` says whether the end must be one."""
        walk, seen = _Walk(Chain(start), (), start), [start]
        for left in range(hops, 0, -1):
            inner = entity or left > 1
            edges = [
                (relation, fact, end)
                for relation, fact, end in self._edges.get(walk.end, ())
                if end not in seen and (not inner or (end in self._world.kinds and relation in NOUN_PHRASES))
            ]
            if not edges:
                return None
            relation, fact, end = self._dice.pick(edges)
            walk = _Walk(walk.chain.then(relation), (*walk.facts, fact), end)
            seen.append(end)
        return walk

    def _bridge(self, hops: int) -> Asked | None:
        walk = self._walk(self._dice.pick(self._names), hops, entity=False)
        if walk is None:
            return None
        query = Lookup(walk.chain)
        text = phrase(query, self._dice)
        answers = aliases(walk.end, RELATIONS[walk.chain.relations[-1].removeprefix(INVERSE)].object)
        if any(answer.casefold() in text.casefold() for answer in answers):
            return None
        return Asked(query, text, answers, walk.facts, f"bridge-{hops}hop")

    def _pair(self, hops: int) -> tuple[str, _Walk, _Walk, tuple[Fact, Fact]] | None:
        """Return an attribute, two walks to names that have it, and the two facts that state it."""
        lengths = (hops - 2) // 2, (hops - 1) // 2
        first, second = (self._walk(self._dice.pick(self._names), one, entity=True) for one in lengths)
        if first is None or second is None or first.end == second.end:
            return None
        attributes = [
            one
            for one, low in COMPARISONS
            if low and (first.end, one) in self._latest and (second.end, one) in self._latest
        ]
        if not attributes:
            return None
        attribute = self._dice.pick(attributes)
        facts = self._latest[first.end, attribute], self._latest[second.end, attribute]
        if order(facts[0].object) == order(facts[1].object) or set(first.facts) & set(second.facts):
            return None
        return attribute, first, second, facts

    def _comparison(self, hops: int, yesno: bool = False) -> Asked | None:
        pair = next(filter(None, (self._pair(hops) for _ in range(8))), None)
        if pair is None:
            return None
        attribute, first, second, facts = pair
        if self._dice.chance(0.5):
            first, second, facts = second, first, facts[::-1]
        lower = order(facts[0].object) < order(facts[1].object)
        low = lower == self._dice.chance(0.5)
        query = Compare(attribute, low, first.chain, second.chain, yesno)
        name = first.end if low == lower else second.end
        answer = ("yes" if low == lower else "no") if yesno else name
        needed = (*first.facts, facts[0], *second.facts, facts[1])
        text = phrase(query, self._dice)
        if not yesno and not _fair(name, (first, second), text):
            return None
        return Asked(query, text, (answer,), needed, "yesno" if yesno else "comparison")

    def _yesno(self, hops: int) -> Asked | None:
        form = self._dice.below(3)
        if form == 0 and hops > 1:
            return self._comparison(hops, yesno=True)
        return self._identity(hops) if form == 1 or hops == 1 else self._shared(hops)

    def _identity(self, hops: int) -> Asked | None:
        walk = self._walk(self._dice.pick(self._names), hops, entity=True)
        if walk is None:
            return None
        name, answer = walk.end, "yes"
        if self._dice.chance(0.5):
            name, answer = self._wrong(walk), "no"
        if name == walk.end and answer == "no":
            return None
        query = Same(Chain(name), walk.chain)
        return Asked(query, phrase(query, self._dice), (answer,), walk.facts, "yesno")

    def _wrong(self, walk: _Walk) -> str:
        """Return a wrong end: what the last fact said before it was revised, else another name of its kind."""
        previous = walk.facts[-1].previous
        if previous in self._world.kinds and self._dice.chance(0.7):
            return previous
        return self._dice.pick(self._world.names[self._world.kinds[walk.end]])

    def _shared(self, hops: int) -> Asked | None:
        answer = "yes" if self._dice.chance(0.5) else "no"
        lengths = hops // 2, hops - hops // 2
        for _ in range(8):
            first = self._back(self._dice.pick(self._names), lengths[0])
            if first is None:
                continue
            second = self._back(first.end, lengths[1]) if answer == "yes" else self._alike(first, lengths[1])
            if second is not None and _apart(first, second) and (first.end == second.end) == (answer == "yes"):
                query = Same(first.chain, second.chain)
                return Asked(query, phrase(query, self._dice), (answer,), (*first.facts, *second.facts), "yesno")
        return None

    def _back(self, end: str, hops: int, taken: tuple[str, ...] = ()) -> _Walk | None:
        """Walk backwards from a name: a chain that ends there and passes no place twice, nor any that is taken."""
        walk, seen = _Walk(Chain(end), (), end), [end, *taken]
        for _ in range(hops):
            edges = [edge for edge in self._into.get(walk.chain.start, ()) if edge[0] not in seen]
            if not edges:
                return None
            start, relation, fact = self._dice.pick(edges)
            walk = _Walk(Chain(start, (relation, *walk.chain.relations)), (fact, *walk.facts), end)
            seen.append(start)
        return walk

    def _alike(self, first: _Walk, hops: int) -> _Walk | None:
        """Return a chain with the last relation of another one, so that "no" is not given away by its kind."""
        relation = first.chain.relations[-1]
        facts = [fact for (_, one), fact in self._latest.items() if one == relation.removeprefix(INVERSE)]
        fact = self._dice.pick(facts)
        start, end = (fact.object, fact.subject) if relation.startswith(INVERSE) else (fact.subject, fact.object)
        walk = self._back(start, hops - 1, (end,))
        return None if walk is None else _Walk(walk.chain.then(relation), (*walk.facts, fact), end)


def _edges(latest: dict[tuple[str, str], Fact]) -> dict[str, list[tuple[str, Fact, str]]]:
    """Return every hop that may be asked: forwards, back along invertible relations, both ways along symmetric ones."""
    edges: dict[str, list[tuple[str, Fact, str]]] = {}
    for fact in latest.values():
        relation = RELATIONS[fact.relation]
        edges.setdefault(fact.subject, []).append((fact.relation, fact, fact.object))
        if relation.symmetric:
            edges.setdefault(fact.object, []).append((fact.relation, fact, fact.subject))
        if relation.invertible:
            edges.setdefault(fact.object, []).append((INVERSE + fact.relation, fact, fact.subject))
    return edges


def _apart(first: _Walk, second: _Walk) -> bool:
    return first.chain.start != second.chain.start and not set(first.facts) & set(second.facts)


def _fair(answer: str, walks: tuple[_Walk, _Walk], text: str) -> bool:
    """A comparison may name its answer only where it compares two things by name."""
    direct = any(not walk.facts and walk.end == answer for walk in walks)
    return direct or answer.casefold() not in text.casefold()
