"""Homes of our own making: which places there are, and what lies where. A number is a home, always the same.

One home has a kitchen's, a study's and a living room's places, so that all six kinds of task can be done in it and what
was learned in one task helps in the next. What may lie where is the alfworld package's table.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator

from .package import package

_LAYOUT = 1
PLACES: tuple[tuple[str, int, int], ...] = (
    ("CounterTop", 1, 2),
    ("Cabinet", 2, 4),
    ("Drawer", 2, 4),
    ("Fridge", 1, 1),
    ("Microwave", 1, 1),
    ("SinkBasin", 1, 1),
    ("DiningTable", 0, 1),
    ("Desk", 1, 1),
    ("Shelf", 1, 3),
    ("SideTable", 1, 2),
    ("GarbageCan", 1, 1),
    ("Sofa", 0, 1),
    ("ArmChair", 0, 1),
    ("Dresser", 0, 1),
)
"""Kinds of place, and how many of each a home has at least and at most."""
LAMP, LAMP_PLACES = "DeskLamp", ("Desk", "SideTable", "Dresser")
KEPT_OUT = frozenset({"Box", "ToiletPaperRoll", LAMP, "FloorLamp"})
COPIES = 3


@dataclass(frozen=True, slots=True)
class Thing:
    """A place or an object: its id in PDDL, its kind, and for an object the id of the place where it lies."""

    id: str
    kind: str
    at: str = ""


@dataclass(frozen=True)
class Home:
    """A home: places and objects, in order. Objects of one kind may lie in several places."""

    number: int
    places: tuple[Thing, ...]
    objects: tuple[Thing, ...]

    @cached_property
    def kinds(self) -> dict[str, str]:
        """The kind of each place by id."""
        return {place.id: place.kind for place in self.places}

    def of(self, kind: str) -> list[Thing]:
        return [one for one in self.objects if one.kind == kind]

    def where(self, kind: str) -> set[str]:
        """Return the kinds of place where objects of a kind lie."""
        return {self.kinds[one.at] for one in self.of(kind)}


def home(number: int, clutter: int) -> Home:
    """Return the home of a number, with a lamp, ``clutter`` objects or a few more, of which some come in twos."""
    rng = np.random.default_rng(np.random.SeedSequence([number, _LAYOUT]))
    places = [place for kind, least, most in PLACES for place in _some(kind, int(rng.integers(least, most + 1)))]
    kinds = sorted({place.kind for place in places})
    counts = _counts(kinds, clutter, rng)
    objects = [_lie(LAMP, 1, places, LAMP_PLACES, rng)]
    for kind, count in counts.items():
        fit = [one for one in kinds if kind in package().holds[one]]
        objects += [_lie(kind, copy, places, fit, rng) for copy in range(1, count + 1)]
    return Home(number, tuple(places), tuple(objects))


def small(kinds: list[str]) -> list[str]:
    """Return the kinds of object that at least three of these kinds of place may hold: each can be moved elsewhere."""
    holds = package().holds
    found = sorted({one for kind in kinds for one in holds[kind]} - KEPT_OUT)
    return [one for one in found if not one.endswith("Sliced") and sum(one in holds[kind] for kind in kinds) >= 3]


def _counts(kinds: list[str], clutter: int, rng: Generator) -> dict[str, int]:
    """Draw kinds of object: first one that can be heated, cooled and cleaned and one in twos, then whatever comes."""
    can, found = package().can, small(kinds)
    food = [one for one in found if all(one in can[what] for what in ("Heatable", "Coolable", "Cleanable"))]
    counts = {_pick(food, rng): 1}
    twos = _pick([one for one in found if one not in counts], rng)
    counts[twos] = 2
    while sum(counts.values()) < clutter:
        kind = _pick(found, rng)
        counts[kind] = min(counts.get(kind, 0) + 1, COPIES)
    return counts


def _some(kind: str, count: int) -> list[Thing]:
    return [Thing(_id(kind, number), kind) for number in range(1, count + 1)]


def _id(kind: str, number: int) -> str:
    """Return an id that the engine shows as "kind number"; basins carry the kind a second time, as in ALFRED's ids."""
    if kind.endswith("Basin"):
        return f"{kind.removesuffix('Basin')}_bar_{number:02d}_bar_{kind}"
    return f"{kind}_bar_{number:02d}"


def _lie(kind: str, number: int, places: list[Thing], fit: list[str] | tuple[str, ...], rng: Generator) -> Thing:
    return Thing(_id(kind, number), kind, _pick([place.id for place in places if place.kind in fit], rng))


def _pick(choices: list[str], rng: Generator) -> str:
    return choices[int(rng.integers(len(choices)))]
