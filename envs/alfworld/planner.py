"""Wins ALFWorld's six kinds of task by plain rules on the true state: find, take, treat, place. For oracles and tests.

TextWorld's own planner finds shortest plans, at up to forty seconds a game; this one answers in a millisecond from any
state, with the next deed only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from .caching import PddlGame

TREATMENTS = {
    "isclean": ("cleanobject", "sinkbasintype", "cleanable"),
    "ishot": ("heatobject", "microwavetype", "heatable"),
    "iscool": ("coolobject", "fridgetype", "coolable"),
}
"""What a goal asks of an object: the action that makes it so, the appliance, and what can be treated."""

Fact = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Deed:
    """An action of the domain with the arguments that matter."""

    action: str
    arguments: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Goal:
    """What wins a game: ``count`` objects of a kind, treated, in one receptacle of a kind; or one held by a lamp."""

    kind: str
    receptacle: str = ""
    treatment: str = ""
    count: int = 1
    lamp: str = ""


@lru_cache(maxsize=256)
def goal_of(problem: str) -> Goal:
    """Read the goal of a problem; raises RuntimeError for one that is none of the six tasks."""
    text = problem[problem.lower().rfind("(:goal") :].lower()
    kinds = dict(re.findall(r"\(objecttype \?(\w+) (\w+)\)", text))
    places = re.findall(r"\(receptacletype \?\w+ (\w+)\)", text)
    if "istoggled" in text and {"o", "ot"} <= kinds.keys():
        return Goal(kinds["o"], lamp=kinds["ot"])
    if len(set(kinds.values())) != 1 or len(set(places)) != 1:
        raise RuntimeError("The goal of this game is none of ALFWorld's six tasks.")
    treatment = next((name for name in TREATMENTS if f"({name} " in text), "")
    return Goal(next(iter(kinds.values())), places[0], treatment, len(kinds))


def next_deed(facts: Iterable[Fact], game: PddlGame) -> Deed:
    """Return the next deed of a play that wins from here."""
    return _Plan(facts, goal_of(game.problem)).next()


class _Plan:
    """The true state by predicate, and what to do in it."""

    def __init__(self, facts: Iterable[Fact], goal: Goal) -> None:
        self._facts: dict[str, set[Fact]] = {}
        for name, *arguments in facts:
            self._facts.setdefault(name, set()).add(tuple(arguments))
        self._goal = goal
        self._place = self._pairs("receptacleatlocation")
        self._inside = self._pairs("inreceptacle")
        self._kind = self._pairs("objecttype")
        self._sort = self._pairs("receptacletype")
        self._held = next((one for _, one in self._all("holds")), None)
        self._here = next((at for _, at in self._all("atlocation")), "")

    def next(self) -> Deed:
        return self._light() if self._goal.lamp else self._fill()

    def _light(self) -> Deed:
        if self._held is None or self._kind[self._held] != self._goal.kind:
            return self._fetch([one for one in self._wanted() if one != self._held])
        lamps = [
            one
            for one in sorted(self._inside)
            if self._kind.get(one) == self._goal.lamp and self._is("toggleable", one)
        ]
        if not lamps:
            raise RuntimeError("There is no lamp to look at things with.")
        return self._at(self._inside[lamps[0]], Deed("toggleobject", {"o": lamps[0]}), open=False)

    def _fill(self) -> Deed:
        target = self._target()
        if self._held is not None and self._kind[self._held] == self._goal.kind and self._treatable(self._held):
            return self._treat(self._held) or self._put(self._held, target)
        return self._fetch([one for one in self._wanted() if self._inside[one] != target or not self._fine(one)])

    def _target(self) -> str:
        """Return the receptacle to fill: the one that holds most of what is wanted already."""
        goal, held = self._goal, {}
        for one, sort in sorted(self._sort.items()):
            if sort == goal.receptacle and (sort, goal.kind) in self._all("cancontain") and one in self._place:
                held[one] = sum(self._fine(thing) for thing, at in self._inside.items() if at == one)
        if not held:
            raise RuntimeError(f"There is no {goal.receptacle} that can hold a {goal.kind}.")
        return max(held, key=lambda one: held[one])

    def _wanted(self) -> list[str]:
        """Return the objects of the kind that can be had, those already treated first."""
        found = [one for one in sorted(self._inside) if self._kind.get(one) == self._goal.kind]
        found = [one for one in found if self._is("pickupable", one) and self._treatable(one)]
        return sorted(found, key=lambda one: (not self._fine(one), self._place[self._inside[one]] != self._here))

    def _fetch(self, things: list[str]) -> Deed:
        if self._held is not None:
            return self._put(self._held, self._spare(self._held))
        if not things:
            raise RuntimeError(f"There is no {self._goal.kind} to be had.")
        return self._at(self._inside[things[0]], Deed("pickupobject", {"o": things[0]}))

    def _treat(self, thing: str) -> Deed | None:
        if not self._goal.treatment or self._is(self._goal.treatment, thing):
            return None
        action, appliance, _ = TREATMENTS[self._goal.treatment]
        found = [one for one, sort in sorted(self._sort.items()) if sort == appliance and one in self._place]
        if not found:
            raise RuntimeError(f"There is no {appliance} here.")
        return self._at(found[0], Deed(action, {"o": thing, "r": found[0]}), open=False)

    def _put(self, thing: str, receptacle: str) -> Deed:
        return self._at(receptacle, Deed("putobject", {"o": thing, "r": receptacle}))

    def _spare(self, thing: str) -> str:
        """Return where a thing that is in the way can be put: here if possible, an open place if possible."""
        places = [one for one, sort in sorted(self._sort.items())
                  if (sort, self._kind[thing]) in self._all("cancontain") and one in self._place]  # fmt: skip
        if not places:
            raise RuntimeError(f"There is no place for {thing}.")
        return min(places, key=lambda one: (self._place[one] != self._here, self._shut(one), one))

    def _at(self, receptacle: str, deed: Deed, open: bool = True) -> Deed:
        """Return the deed, or first the way to the receptacle, or the opening of it."""
        if self._place[receptacle] != self._here:
            return Deed("gotolocation", {"lend": self._place[receptacle]})
        if open and self._shut(receptacle):
            return Deed("openobject", {"r": receptacle})
        return deed

    def _shut(self, receptacle: str) -> bool:
        return self._is("openable", receptacle) and not self._is("opened", receptacle)

    def _fine(self, thing: str) -> bool:
        """Whether a thing is of the wanted kind, in the wanted condition."""
        treatment = self._goal.treatment
        return self._kind.get(thing) == self._goal.kind and (not treatment or self._is(treatment, thing))

    def _treatable(self, thing: str) -> bool:
        return not self._goal.treatment or self._is(TREATMENTS[self._goal.treatment][2], thing)

    def _is(self, name: str, one: str) -> bool:
        return (one,) in self._facts.get(name, ())

    def _pairs(self, name: str) -> dict[str, str]:
        return {fact[0]: fact[1] for fact in sorted(self._all(name))}

    def _all(self, name: str) -> set[Fact]:
        return self._facts.get(name, set())
