"""How facts are written: several sentences a relation, from either side, and sentences that revise a fact.

Writer and reader share this table, so the rules model reads exactly the language that the world speaks.
Slots: {s} subject, {o} object, {d} the month of a dated fact, {p} the object that a revision replaces.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Wording:
    """Sentences that open with the subject (``forward``) or the object (``inverse``), and ``revision`` ones."""

    forward: tuple[str, ...]
    inverse: tuple[str, ...] = ()
    revision: tuple[str, ...] = ()


WORDINGS: dict[str, Wording] = {
    "born_in": Wording(
        (
            "{s} was born in {o}.",
            "{s} comes from a family of {o} and was born there.",
            "{s} first saw the light of day in {o}.",
        ),
        ("{o} is the birthplace of {s}.", "{o} counts {s} among those who were born within its walls."),
    ),
    "born_on": Wording(
        (
            "{s} was born on {o}.",
            "{s} celebrates a birthday that goes back to {o}.",
            "The birth of {s} is recorded on {o}.",
        )
    ),
    "works_at": Wording(
        (
            "{s} works at {o}, according to a notice of {d}.",
            "As of {d}, {s} is employed by {o}.",
            "{s} has been on the payroll of {o} since {d}.",
        ),
        ("{o} lists {s} among its staff in {d}.", "As of {d}, {o} employs {s}."),
        (
            "In {d}, {s} left {p} for {o}.",
            "A correction of {d} says that {s} works at {o} and no longer at {p}.",
            "{s} exchanged a desk at {p} for one at {o} in {d}.",
        ),
    ),
    "lives_in": Wording(
        (
            "{s} lives in {o} as of {d}.",
            "As of {d}, {s} has a flat in {o}.",
            "{s} is registered as a resident of {o} in a directory of {d}.",
        ),
        ("{o} has had {s} among its residents since {d}.", "As of {d}, {o} is where {s} lives."),
        (
            "{s} moved house from {p} to {o} in {d}.",
            "By {d}, {s} had given up the flat in {p} and settled in {o}.",
            "A correction of {d} says that {s} lives in {o} rather than in {p}.",
        ),
    ),
    "spouse": Wording(
        (
            "{s} is married to {o}.",
            "{s} and {o} are a married couple.",
            "{s} shares a household with a spouse by the name of {o}.",
        )
    ),
    "mentor": Wording(
        ("{s} learned the craft under {o}.", "{s} names {o} as a mentor.", "{s} was mentored by {o}."),
        ("{o} was the mentor of {s}.", "{o} took {s} on as a student and mentored nobody else."),
    ),
    "plays": Wording(
        ("{s} plays the {o}.", "{s} is known as a player of the {o}.", "{s} spends most evenings practising the {o}.")
    ),
    "height": Wording(("{s} is {o} tall.", "{s} measures {o}.", "The passport of {s} gives a height of {o}.")),
    "based_in": Wording(
        (
            "{s} has its headquarters in {o} as of {d}.",
            "As of {d}, {s} is based in {o}.",
            "{s} gives an address in {o} in its report of {d}.",
        ),
        ("{o} has hosted the head office of {s} since {d}.", "As of {d}, {o} is the seat of {s}."),
        (
            "In {d}, {s} moved its headquarters from {p} to {o}.",
            "{s} gave up its offices in {p} and reopened in {o} in {d}.",
            "A correction of {d} says that {s} is based in {o} and not in {p}.",
        ),
    ),
    "founder": Wording(
        ("{s} was founded by {o}.", "{s} owes its existence to {o}, who founded it."),
        ("{o} founded {s} with borrowed money.", "{o} is the founder of {s}.", "{o} used an inheritance to found {s}."),
    ),
    "founded": Wording(
        ("{s} was founded in {o}.", "{s} first opened its doors in {o}.", "The charter of {s} dates from {o}.")
    ),
    "head": Wording(
        ("{s} is led by {o} as of {d}.", "As of {d}, the head of {s} is {o}."),
        ("{o} has led {s} since {d}.", "As of {d}, {o} heads {s}."),
        (
            "In {d}, {o} replaced {p} as head of {s}.",
            "{s} named {o} as its head in {d} after {p} had stepped down.",
        ),
    ),
    "lies_in": Wording(
        (
            "{s} is a city in {o}.",
            "{s} lies in {o}.",
            "{s} appears on all maps of {o}, the country around it.",
        ),
        ("{o} includes the city of {s}.", "{o} has several cities, one of which is {s}."),
    ),
    "population": Wording(
        (
            "{s} had {o} inhabitants in {d}.",
            "A count of {d} puts the population of {s} at {o}.",
            "As of {d}, {s} is home to {o} people.",
        ),
        (),
        (
            "A new count of {d} gives {s} a population of {o} instead of {p}.",
            "By {d}, the population of {s} had changed from {p} to {o}.",
        ),
    ),
    "mayor": Wording(
        ("{s} elected {o} as mayor in {d}.", "As of {d}, the mayor of {s} is {o}."),
        ("{o} has been mayor of {s} since {d}.", "As of {d}, {o} runs the town hall of {s} as mayor."),
        (
            "In {d}, {o} followed {p} as mayor of {s}.",
            "{s} voted {p} out and made {o} its mayor in {d}.",
        ),
    ),
    "capital": Wording(
        ("{s} is governed from {o}, its capital.", "The capital of {s} is {o}."),
        ("{o} is the capital of {s}.", "{o} serves {s} as its capital and seat of government."),
    ),
    "currency": Wording(
        ("{s} pays its bills in the {o}.", "The currency of {s} is the {o}.", "{s} prints a currency called the {o}.")
    ),
    "president": Wording(
        ("{s} has {o} as its president as of {d}.", "As of {d}, the president of {s} is {o}."),
        ("{o} has been president of {s} since {d}.", "As of {d}, {o} presides over {s}."),
        (
            "In {d}, {o} succeeded {p} as president of {s}.",
            "{s} saw its president {p} resign in favour of {o} in {d}.",
        ),
    ),
    "author": Wording(
        ("{s} was written by {o}.", "{s} came from the pen of {o}."),
        ("{o} wrote {s}.", "{o} is the author of {s}.", "{o} spent six years writing {s}."),
    ),
    "published": Wording(
        ("{s} was published in {o}.", "{s} reached the bookshops in {o}.", "The first edition of {s} appeared in {o}.")
    ),
    "director": Wording(
        ("{s} was directed by {o}.", "{s} was shot with {o} in the director's chair."),
        ("{o} directed {s} and also cut it.", "{o} is the director of {s}."),
    ),
    "released": Wording(
        ("{s} was released in {o}.", "{s} came to the cinemas in {o}.", "The first screening of {s} was in {o}.")
    ),
    "set_in": Wording(
        ("{s} is set in {o}.", "{s} tells a story that takes place in {o}."),
        ("{o} is the setting of {s}.", "{o} serves {s} as its backdrop."),
    ),
}

PRONOUNS = frozenset({"He", "She", "It", "he", "she", "it"})


@cache
def lead(template: str) -> str:
    """Return the slot that a sentence opens with, "s" or "o": what its pronoun would stand for."""
    places = {slot: template.find("{" + slot + "}") for slot in "so"}
    return min((place, slot) for slot, place in places.items() if place >= 0)[1]


def fill(template: str, values: dict[str, str], pronoun: str = "") -> str:
    """Write a sentence; with ``pronoun`` ("she") in the place of the name that it opens with."""
    if not pronoun:
        return template.format_map(values)
    slot = lead(template)
    word = pronoun.capitalize() if template.startswith("{" + slot) else pronoun
    return template.format_map({**values, slot: word})
