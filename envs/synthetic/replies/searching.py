"""Replies that steer a search: the questions behind a question, whether a chain is complete, and what lies on it."""

from __future__ import annotations

from typing import Any

from ..asking import Chain, parse
from ..phrases import LOOKUPS, NOUN_PHRASES
from ..reader import Facts
from ..solve import UNKNOWN, solve
from .sayings import Count, Inputs, aim, facts_of, named, sayings, text, texts


def plan(inputs: Inputs, count: Count) -> dict[str, Any]:
    """One search a hop; a question that is not understood is searched as it is, and by its names."""
    question = text(inputs["question"]).strip()
    goal = aim([question])
    hops = [_question(one) for chain in goal.chains for one in _prefixes(chain)]
    queries = [one for one in hops if one] or [question, *goal.names]
    return {"queries": list(dict.fromkeys(one for one in queries if one))}


def enough(inputs: Inputs, count: Count) -> dict[str, Any]:
    """Enough is what answers the question; what is missing is the next hop of each chain."""
    question, found = text(inputs["question"]), "\n".join(texts(inputs["texts"]))
    query, said = parse(question), sayings(found)
    if query is None:
        missing = [name for name in aim([question]).names if not named(name, found, said)]
        return {"enough": not missing, "queries": missing}
    facts = facts_of(said)
    if solve(query, facts) != UNKNOWN:
        return {"enough": True, "queries": []}
    missing = [_missing(chain, facts) for chain in query.chains]
    return {"enough": False, "queries": list(dict.fromkeys(one for one in missing if one))}


def select(inputs: Inputs, count: Count) -> dict[str, Any]:
    """Options on the chain come first, then those that name something on it."""
    options = texts(inputs["options"])
    goal = aim([text(inputs["question"])])
    facts = facts_of(one for option in options for one in sayings(option))
    keys, names = goal.reached(facts)
    worth = {number: _worth(option, keys, names) for number, option in enumerate(options, start=1)}
    return {"numbers": [number for number in sorted(worth, key=lambda number: -worth[number]) if worth[number]]}


def _prefixes(chain: Chain) -> list[Chain]:
    return [Chain(chain.start, chain.relations[:length]) for length in range(1, len(chain.relations) + 1)]


def _question(chain: Chain) -> str:
    """Write a chain as a question, always in the same words."""
    noun = chain.start
    for relation in chain.relations[:-1]:
        if relation not in NOUN_PHRASES:
            return ""
        noun = NOUN_PHRASES[relation][0].format(x=noun)
    last = chain.relations[-1]
    return LOOKUPS[last][0].format(x=noun) if last in LOOKUPS else ""


def _missing(chain: Chain, facts: Facts) -> str:
    """Return the question for the first hop that is not known, "" if all are."""
    name = chain.start
    for relation in chain.relations:
        following = facts.follow(name, relation)
        if following is None:
            return _question(Chain(name, (relation,)))
        name = following
    return ""


def _worth(option: str, keys: tuple[tuple[str, str], ...], names: tuple[str, ...]) -> int:
    said = sayings(option)
    on_chain = sum(one.key in keys for one in said)
    return 100 * on_chain + sum(named(name, option, said) for name in names)
