"""The world of one sample: entities, and typed facts of which the dated ones may be revised later.

Everything is decided here as symbols; documents and questions are written from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise

from .dice import Dice
from .names import Namer
from .relations import INSTRUMENTS, KINDS, MONTHS, RELATIONS

_SHARES = {"organisation": 0.17, "city": 0.14, "book": 0.08, "film": 0.07, "country": 0.04}
_LEAST = {"organisation": 2, "city": 2, "book": 1, "film": 1, "country": 1}
LEAST_ENTITIES = 12
"""With fewer, a world has hardly a chain of four hops."""

_MOST_COUNTRIES = 60
_CHANCES = {
    "born_in": 0.9, "works_at": 0.85, "lives_in": 0.75, "plays": 0.5, "height": 0.35, "founded": 0.9, "head": 0.6,
    "population": 0.9, "mayor": 0.5, "president": 0.8, "currency": 0.9, "published": 0.9, "released": 0.9,
    "set_in": 0.8,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fact:
    """``date`` counts months (0: undated); ``previous`` is the object that a revision replaces."""

    subject: str
    relation: str
    object: str
    date: int = 0
    previous: str = ""


@dataclass(slots=True)
class World:
    """Names by kind, the pronoun of each name, and every version of every fact in the order of its dates."""

    names: dict[str, list[str]]
    kinds: dict[str, str] = field(default_factory=dict)
    pronouns: dict[str, str] = field(default_factory=dict)
    facts: list[Fact] = field(default_factory=list)

    def forget_dates(self) -> None:
        """Leave only the order of the facts to tell which version of one is the latest."""
        self.facts = [replace(fact, date=0) for fact in self.facts]

    def latest(self) -> dict[tuple[str, str], Fact]:
        """Return the fact that holds now for each subject and relation."""
        return {(fact.subject, fact.relation): fact for fact in self.facts}


def build(dice: Dice, entities: int, conflicts: float, namer: Namer) -> World:
    """Build a world of exactly ``entities`` entities; ``conflicts`` is the share of dated facts that are revised."""
    world = World({kind: [] for kind in KINDS})
    for kind, count in _counts(entities).items():
        world.names[kind] = [namer.name(kind) for _ in range(count)]
        for name in world.names[kind]:
            world.kinds[name] = kind
            world.pronouns[name] = dice.pick(("he", "she")) if kind == "person" else "it"
    maker = _Maker(world, dice, namer)
    maker.relate_people()
    maker.relate_places()
    maker.revise(conflicts)
    return world


def _counts(entities: int) -> dict[str, int]:
    counts = {kind: max(_LEAST[kind], round(share * entities)) for kind, share in _SHARES.items()}
    counts["country"] = min(counts["country"], _MOST_COUNTRIES)
    # Countries first: their names are single words, of which a script has only some hundreds.
    countries = {"country": counts.pop("country")}
    return {**countries, "person": entities - sum(counts.values()) - countries["country"], **counts}


class _Maker:
    """Fills a world with facts. Order matters: a founder's birth is known before the founding year is drawn."""

    def __init__(self, world: World, dice: Dice, namer: Namer) -> None:
        self._world, self._dice, self._namer = world, dice, namer
        self._births: dict[str, int] = {}

    def _state(self, subject: str, relation: str, object: str) -> None:
        date = self._dice.between(12 * 2001, 12 * 2012 + 11) if RELATIONS[relation].dated else 0
        self._world.facts.append(Fact(subject, relation, object, date))

    def _maybe(self, subject: str, relation: str) -> None:
        if self._dice.chance(_CHANCES[relation]):
            self._state(subject, relation, self._object(relation))

    def _object(self, relation: str) -> str:
        """Return a random object of a relation's object kind."""
        dice = self._dice
        match RELATIONS[relation].object:
            case "instrument":
                return dice.pick(INSTRUMENTS)
            case "length":
                return f"{dice.between(148, 204)} cm"
            case "count":
                return f"{dice.between(2_000, 999_999) * (1 if dice.chance(0.7) else 7):,}"
            case "currency":
                return self._namer.currency()
            case kind:
                return dice.pick(self._world.names[kind])

    def relate_people(self) -> None:
        people = self._world.names["person"]
        for person in people:
            self._birth(person)
            for relation in ("born_in", "works_at", "lives_in", "plays", "height"):
                self._maybe(person, relation)
        order = self._dice.shuffled(people)
        for one, other in zip(order[: len(order) // 4], order[len(order) // 4 : len(order) // 2], strict=False):
            self._state(one, "spouse", other)
        order = self._dice.shuffled(people)
        for student, mentor in pairwise(order[: 1 + len(order) * 6 // 10]):
            self._state(student, "mentor", mentor)

    def _birth(self, person: str) -> None:
        self._births[person] = year = self._dice.between(1921, 1979)
        if self._dice.chance(0.9):
            day = f"{self._dice.between(1, 28)} {self._dice.pick(MONTHS)} {year}"
            self._state(person, "born_on", day)

    def relate_places(self) -> None:
        names = self._world.names
        self._made("organisation", "founder", "founded")
        self._made("book", "author", "published")
        self._made("film", "director", "released")
        for one in names["organisation"]:
            self._state(one, "based_in", self._object("based_in"))
            self._maybe(one, "head")
        for one in names["film"]:
            self._maybe(one, "set_in")
        self._countries()
        for one in names["city"]:
            self._maybe(one, "population")
            self._maybe(one, "mayor")

    def _made(self, kind: str, by: str, when: str) -> None:
        """Give each thing of a kind a maker of its own, and a year in which that maker was grown up."""
        makers = self._dice.shuffled(self._world.names["person"])
        for index, thing in enumerate(self._world.names[kind]):
            year = self._dice.between(1948, 1999)
            if index < len(makers):
                self._state(thing, by, makers[index])
                year = min(2000, self._births[makers[index]] + self._dice.between(21, 50))
            if self._dice.chance(_CHANCES[when]):
                self._state(thing, when, str(year))

    def _countries(self) -> None:
        cities, countries = self._dice.shuffled(self._world.names["city"]), self._world.names["country"]
        for index, city in enumerate(cities):
            country = countries[index] if index < len(countries) else self._dice.pick(countries)
            self._state(city, "lies_in", country)
            if index < len(countries):
                self._state(country, "capital", city)
        for country in countries:
            self._maybe(country, "currency")
            self._maybe(country, "president")

    def revise(self, conflicts: float) -> None:
        """Replace a share of the dated facts, some of them twice; every version has an object and a date of its own."""
        for first in list(self._world.facts):
            if not first.date:
                continue
            fact, seen = first, [first.object]
            for chance, low, high in ((conflicts, 2013, 2018), (conflicts / 3, 2019, 2024)):
                if not self._dice.chance(chance):
                    break
                revised = self._other(fact, seen)
                if revised is None:
                    break
                date = self._dice.between(12 * low, 12 * high + 11)
                fact = Fact(fact.subject, fact.relation, revised, date, fact.object)
                seen.append(revised)
                self._world.facts.append(fact)

    def _other(self, fact: Fact, seen: list[str]) -> str | None:
        for _ in range(8):
            object = self._object(fact.relation)
            if object not in seen:
                return object
        return None
