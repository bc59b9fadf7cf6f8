"""Which questions a conversation can be asked: five kinds, each with what it takes to answer it.

An unanswerable question is one about something that was never said, made of what was said about somebody else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from ..synthetic.dice import Dice
from .asking import Before, Between, First, Now, Query, Role, When, Who
from .phrases import ATTRIBUTES, EVENTS, ROLES
from .solve import Knowledge, Solved, Told
from .world import World

CATEGORIES = ("single_hop", "multi_hop", "temporal", "changed")
UNANSWERABLE = "unanswerable"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as a symbol, after which session it is asked, and its solution (None: there is none)."""

    query: Query
    category: str
    after: int
    solved: Solved | None


class Asker:
    """Chooses questions about one world; no question twice, and the kinds in turn as far as there are any."""

    def __init__(self, dice: Dice, world: World, categories: Sequence[str]) -> None:
        self._dice, self._world, self._categories = dice, world, categories
        self._seen: set[Query] = set()
        self._knowledge: dict[int, Knowledge] = {}

    def ask(self, after: Sequence[int], unanswerable: int) -> list[Asked] | None:
        """Return a question for each of ``after``, ``unanswerable`` of them without an answer; None if too few."""
        silent = set(self._dice.shuffled(range(len(after)))[:unanswerable])
        order = self._dice.shuffled(self._categories)
        asked: list[Asked] = []
        for number, session in enumerate(after):
            turn = number % len(order)
            wanted = [UNANSWERABLE] if number in silent else order[turn:] + order[:turn]
            one = next((found for kind in wanted if (found := self._one(kind, session))), None)
            if one is None:
                return None
            asked.append(one)
        return asked

    def _one(self, kind: str, after: int) -> Asked | None:
        told, knowledge = self._world.upto(after), self._known(after)
        silent = kind == UNANSWERABLE
        judge = self._known(len(self._world.dates)) if silent else knowledge
        queries = self._silent() if silent else self._queries(kind, told, knowledge)
        for query in self._dice.shuffled(list(queries)):
            if query in self._seen:
                continue
            solved = judge.solve(query)
            if (solved is None) == silent:
                self._seen.add(query)
                return Asked(query, kind, after, solved)
        return None

    def _known(self, after: int) -> Knowledge:
        if after not in self._knowledge:
            self._knowledge[after] = Knowledge(self._world.upto(after))
        return self._knowledge[after]

    def _queries(self, kind: str, told: Sequence[Told], knowledge: Knowledge) -> Iterator[Query]:
        match kind:
            case "single_hop":
                yield from (Role(Who(one.subject, one.relation)) for one in told if one.relation in ROLES)
                yield from (Now(Who(one.subject), one.relation) for one in _first(told, knowledge, changed=False))
            case "changed":
                for one in _first(told, knowledge, changed=True):
                    yield Now(Who(one.subject), one.relation)
                    last = knowledge.versions(one.subject, one.relation)[-1]
                    yield Before(Who(one.subject), one.relation, last.object)
            case "multi_hop":
                for one in told:
                    if one.relation in ROLES:
                        yield from (Now(Who(one.subject, one.relation), name) for name in ATTRIBUTES)
            case "temporal":
                yield from _temporal([one for one in told if one.relation in EVENTS])

    def _silent(self) -> Iterator[Query]:
        """Yield questions in the words of the others; those that have an answer after all are left out later."""
        told = self._world.upto(len(self._world.dates))
        for name in self._world.people:
            yield from (Now(Who(name), attribute) for attribute in ATTRIBUTES)
            yield from (Role(Who(name, role)) for role in ROLES)
            yield from (When(name, (one.relation, one.object)) for one in told if one.relation in EVENTS)
        for one in told:
            if one.relation in ROLES:
                yield from (Now(Who(one.subject, one.relation), name) for name in ATTRIBUTES)


def _first(told: Sequence[Told], knowledge: Knowledge, *, changed: bool) -> Iterator[Told]:
    """Yield one telling of each attribute that did, or did not, change."""
    keys = dict.fromkeys((one.subject, one.relation) for one in told if one.relation in ATTRIBUTES)
    for key in keys:
        versions = knowledge.versions(*key)
        if (len(versions) > 1) == changed:
            yield versions[0]


def _temporal(told: Sequence[Told]) -> Iterator[Query]:
    yield from (When(one.subject, (one.relation, one.object)) for one in told)
    for one, other in combinations(told, 2):
        if one.subject == other.subject and one.day != other.day:
            first, second = (one.relation, one.object), (other.relation, other.object)
            yield Between(one.subject, first, second)
            yield First(one.subject, second, first)
