"""Answers a query from facts by following its chains; an incomplete chain is never guessed."""

from __future__ import annotations

from .asking import Chain, Compare, Lookup, Query, Same, parse
from .reader import Facts, read
from .relations import order

UNKNOWN = "unknown"


def answer(question: str, text: str) -> str:
    """Answer a question from a text alone; ``UNKNOWN`` where the text does not hold the whole chain. Never raises."""
    query = parse(question)
    return UNKNOWN if query is None else solve(query, Facts(read(text)))


def solve(query: Query, facts: Facts) -> str:
    """Return the answer to a query, or ``UNKNOWN``."""
    ends = [end(chain, facts) for chain in query.chains]
    if any(one is None for one in ends):
        return UNKNOWN
    match query:
        case Lookup():
            return ends[0] or UNKNOWN
        case Same():
            return "yes" if ends[0] == ends[1] else "no"
        case Compare():
            return _compare(query, [order(one or "") for one in ends], facts)


def end(chain: Chain, facts: Facts) -> str | None:
    """Return what a chain leads to; None where a hop is not known."""
    name: str | None = chain.start
    for relation in chain.relations:
        name = facts.follow(name, relation) if name is not None else None
    return name


def _compare(query: Compare, values: list[tuple[int, ...]], facts: Facts) -> str:
    first, second = values
    if not first or not second or first == second:
        return UNKNOWN
    winner = (first < second) == query.low
    if query.yesno:
        return "yes" if winner else "no"
    return end(query.first if winner else query.second, facts) or UNKNOWN
