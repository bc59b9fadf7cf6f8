"""Takes notes as MemAgent does: a scratchpad that is written anew after every part of the text, within a limit.

One pass cannot know which names will matter later: a sentence is kept for the names that are known to matter when it
is read, so a fact whose bridge comes only in a later part is lost, as it is for a real reader.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .asking import Chain, parse
from .reader import Facts, Statement, read, supersedes


def take_notes(questions: Sequence[str], scratchpad: str, text: str, limit: int, count: Callable[[str], int]) -> str:
    """Return the new scratchpad: one sentence a line, at most ``limit`` tokens by ``count``.

    Sentences on a question's chain go before those that only mention its names; within each, newer ones go first.
    A sentence whose fact a later one replaces is dropped: by its date, or by its place where neither has one. What is
    kept stands in the order in which it was read.
    """
    chains = [chain for query in map(parse, questions) if query is not None for chain in query.chains]
    seen = {statement.text: statement for statement in (*read(scratchpad), *read(text))}
    statements = list(seen.values())
    facts = Facts(statements)
    on_chain, names = _reached(chains, facts)
    current = [one for one in statements if one.fact is None or not _replaced(one, facts)]
    first = [one for one in current if _key(one) in on_chain]
    second = [one for one in current if _key(one) not in on_chain and any(name in names for name in one.names)]
    kept = _fit([*reversed(first), *reversed(second)], limit, count)
    return "\n".join(one.text for one in statements if one.text in kept)


def _key(statement: Statement) -> tuple[str, str] | None:
    return None if statement.fact is None else (statement.fact.subject, statement.fact.relation)


def _replaced(statement: Statement, facts: Facts) -> bool:
    fact = statement.fact
    known = None if fact is None else facts.fact(fact.subject, fact.relation)
    return fact is not None and known is not None and supersedes(known, fact)


def _reached(chains: Sequence[Chain], facts: Facts) -> tuple[set[tuple[str, str]], set[str]]:
    """Follow every chain as far as it is known: the facts on it, and the names from which it goes on."""
    on_chain: set[tuple[str, str]] = set()
    names: set[str] = set()
    for chain in chains:
        name: str | None = chain.start
        for relation in chain.relations:
            if name is None:
                break
            names.add(name)
            fact = facts.fact(name, relation)
            if fact is not None:
                on_chain.add((fact.subject, fact.relation))
            name = facts.follow(name, relation)
    return on_chain, names


def _fit(statements: Sequence[Statement], limit: int, count: Callable[[str], int]) -> set[str]:
    """Take statements in order of worth until the limit is reached; a line break is counted as one token."""
    kept: set[str] = set()
    room = limit
    for one in statements:
        cost = count(one.text) + 1
        if cost <= room:
            kept.add(one.text)
            room -= cost
    return kept
