"""Tasks in a home: what is to be done in it, as a game in ALFWorld's own domain, grammar, goals and sentences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from .caching import PddlGame
from .games import TASK_TYPES
from .household import LAMP, Home
from .package import package

_ERRANDS = 2
_ABILITY = {
    "pick_clean_then_place_in_recep": "Cleanable",
    "pick_heat_then_place_in_recep": "Heatable",
    "pick_cool_then_place_in_recep": "Coolable",
}
_NEEDED_RECEPTACLES = ("SinkBasin", "Microwave", "Fridge")
_NEEDED_OBJECTS = ("Knife", "ButterKnife")
"""Kinds that the domain itself names, so that every problem has to declare them."""


@dataclass(frozen=True, slots=True)
class Errand:
    """What is asked: a task type, a kind of object, a kind of place ("" for the lamp), the sentence."""

    type: str
    object: str
    place: str
    sentence: str


def types(number: int, count: int) -> list[str]:
    """Return the task types of a home's errands: all six in the home's own order, over and over."""
    rng = np.random.default_rng(np.random.SeedSequence([number, _ERRANDS]))
    order = [TASK_TYPES[at] for at in rng.permutation(len(TASK_TYPES))]
    return [order[at % len(order)] for at in range(count)]


def errand(home: Home, number: int) -> Errand:
    """Return a home's errand of a number; errands of one type ask for different things while there are any."""
    type = types(home.number, number + 1)[-1]
    choices = _choices(home, type)
    # The order is the same for all errands of a type, so that each takes the next.
    rng = np.random.default_rng(np.random.SeedSequence([home.number, _ERRANDS, TASK_TYPES.index(type)]))
    object, place = choices[int(rng.permutation(len(choices))[number // len(TASK_TYPES) % len(choices)])]
    return Errand(type, object, place, _sentence(type, object, place, rng))


def _choices(home: Home, type: str) -> list[tuple[str, str]]:
    """Return what could be asked: kinds of object and of place, none of which is done from the start."""
    kinds = sorted({one.kind for one in home.objects} - {LAMP})
    if type == "look_at_obj_in_light":
        return [(kind, "") for kind in kinds]
    if type in _ABILITY:
        kinds = [kind for kind in kinds if kind in package().can[_ABILITY[type]]]
    if type == "pick_two_obj_and_place":
        kinds = [kind for kind in kinds if len(home.of(kind)) >= 2]
    places = sorted({place.kind for place in home.places})
    pairs = [(kind, place) for kind in kinds for place in places if kind in package().holds[place]]
    return [(kind, place) for kind, place in pairs if place not in home.where(kind)]


def _sentence(type: str, object: str, place: str, rng: Generator) -> str:
    sentences: list[str] = package().goals[type]["templates"]
    text = sentences[int(rng.integers(len(sentences)))]
    return text.format(obj=object.lower(), recep=place.lower(), toggle=LAMP.lower(), mrecep="")


def game(home: Home, number: int, id: str) -> PddlGame:
    """Return an errand as a game."""
    asked = errand(home, number)
    goal = package().goals[asked.type]["pddl"].format(obj=asked.object, recep=asked.place, toggle=LAMP)
    grammar = package().grammar.replace("UNKNOWN GOAL", asked.sentence)
    return PddlGame(id, package().domain, grammar, f"{_problem(home)}\n{goal.replace(' # ', ' - ')}")


def _problem(home: Home) -> str:
    """Return the problem up to its goal, whose text closes the definition."""
    receptacles = sorted({*home.kinds.values(), *_NEEDED_RECEPTACLES})
    objects = sorted({*(one.kind for one in home.objects), *_NEEDED_OBJECTS})
    location = {place.id: f"loc_bar_{number}" for number, place in enumerate(home.places)}
    declared = [
        "agent1 - agent",
        *(f"{kind}Type - otype" for kind in objects),
        *(f"{kind}Type - rtype" for kind in receptacles),
        *(f"{one.id} - object" for one in home.objects),
        *(f"{place.id} - receptacle" for place in home.places),
        *(f"{one} - location" for one in [*location.values(), "loc_bar_start"]),
    ]
    facts = [
        *(f"(receptacleType {place.id} {place.kind}Type)" for place in home.places),
        *(f"(openable {place.id})" for place in home.places if place.kind in package().openable),
        *(f"(receptacleAtLocation {place} {at})" for place, at in location.items()),
        *(f"(canContain {place}Type {kind}Type)"
          for place in receptacles for kind in objects if kind in package().holds[place]),
        *(line for one in home.objects for line in _about(one.id, one.kind, one.at, location[one.at])),
        "(atLocation agent1 loc_bar_start)",
    ]  # fmt: skip
    parts = [f"(define (problem home_{home.number})", "(:domain alfred)", "(:objects", *declared, ")", "(:init"]
    return "\n".join([*parts, *facts, ")"])


def _about(id: str, kind: str, at: str, location: str) -> list[str]:
    can = package().can
    abilities = [what for what in ("Cleanable", "Heatable", "Coolable", "Toggleable", "Sliceable") if kind in can[what]]
    movable = [] if kind == LAMP else [f"(pickupable {id})"]
    return [
        f"(objectType {id} {kind}Type)",
        f"(inReceptacle {id} {at})",
        f"(objectAtLocation {id} {location})",
        *(f"({what.lower()} {id})" for what in abilities),
        *movable,
    ]
