"""How facts that may be revised are written where nothing is dated: what was said first and what came later alike.

Separate from ``language``, because here old and new share every sentence: neither a month nor the value before nor a
word such as "now" tells them apart, so that only the order in which they were said does.
"""

from __future__ import annotations

from .language import Wording

UNDATED: dict[str, Wording] = {
    "works_at": Wording(
        (
            "{s} goes to work at {o}.",
            "{s} is a member of the staff at {o}.",
            "{s} now earns a salary from {o}.",
        ),
        ("{o} employs {s}.", "{o} now pays {s} for full days of work."),
    ),
    "lives_in": Wording(
        (
            "{s} has a home in {o}.",
            "{s} now rents rooms in {o}.",
            "{s} gets all letters at an address in {o}.",
        ),
        ("{o} is where {s} has settled.", "{o} now counts {s} among those who dwell in it."),
    ),
    "based_in": Wording(
        (
            "{s} runs its business from {o}.",
            "{s} now keeps its main offices in {o}.",
            "{s} has put its sign over a door in {o}.",
        ),
        ("{o} hosts the head office of {s}.", "{o} now houses the directors and the clerks of {s}."),
    ),
    "head": Wording(
        (
            "{s} has {o} at its head.",
            "{s} now takes orders from {o}.",
        ),
        ("{o} leads {s}.", "{o} now chairs every meeting that decides about {s}."),
    ),
    "population": Wording(
        (
            "{s} has {o} inhabitants.",
            "{s} is now a city of {o} souls.",
            "{s} houses {o} people within its limits.",
        )
    ),
    "mayor": Wording(
        (
            "{s} has {o} for its mayor.",
            "{s} now entrusts its town hall to {o}.",
        ),
        ("{o} is the mayor of {s}.", "{o} now wears the chain of the mayor of {s}."),
    ),
    "president": Wording(
        (
            "{s} has {o} for its president.",
            "{s} now swears by its president {o}.",
        ),
        ("{o} is the president of {s}.", "{o} now signs the laws of {s} as president."),
    ),
}
