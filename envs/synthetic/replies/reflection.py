"""Replies that look back: what a memory weighs, what two of them add up to, and what is kept when room is short."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ..reader import Facts
from .sayings import (
    Count,
    Inputs,
    Memory,
    Saying,
    aim,
    facts_of,
    memories,
    names_in,
    outdated,
    sayings,
    text,
    texts,
)

_MOST_INSIGHTS, _MOST_SENTENCES, _MOST_PAIRS = 5, 400, 5000
_DIGIT = re.compile(r"\d")


def rate(inputs: Inputs, count: Count) -> dict[str, Any]:
    """A fact weighs 6 and more, filler 2 and less; other texts weigh by the names and numbers in a sentence."""
    return {"importance": max((_weight(one) for one in sayings(text(inputs["text"]))), default=1)}


def summarise(inputs: Inputs, count: Count) -> dict[str, Any]:
    """Keep what leads on from the focus, newer sentences first; without any, the sentences that weigh most.

    What a later date replaces is dropped. What is kept stands in the order in which it was read, one a line.
    """
    said = list(dict.fromkeys(one for part in texts(inputs["texts"]) for one in sayings(part)))
    facts = facts_of(said)
    current = [one for one in said if one.tells and not outdated(one, facts)]
    newest = list(reversed(current))
    ranked = _wanted(texts(inputs["focus"]), newest, facts) or sorted(newest, key=lambda one: -_weight(one))
    kept = _fitting(ranked, inputs["limit"], count)
    return {"text": "\n".join(one.text for one in current if one.text in kept)}


def focus(inputs: Inputs, count: Count) -> dict[str, Any]:
    """Ask about the names that are named most often."""
    names = names_in("\n".join(texts(inputs["texts"])))
    return {"questions": [f"What is known about {name}?" for name in names[: max(0, inputs["count"])]]}


def infer(inputs: Inputs, count: Count) -> dict[str, Any]:
    """Put together two memories of which one leads on to the other, those that the question names first."""
    goal = aim([text(inputs["question"])])
    said = [_Known(memory, one) for memory in memories(inputs["memories"]) for one in memory.sayings if one.tells][
        :_MOST_SENTENCES
    ]
    _, wanted = goal.reached(facts_of(one.saying for one in said))
    pairs = sorted(islice(_pairs(said), _MOST_PAIRS), key=lambda pair: -_asked(pair, wanted))
    found = {f"{first.saying.text} {second.saying.text}": (first, second) for first, second in pairs}
    return {"insights": [_insight(words, *pair) for words, pair in list(found.items())[:_MOST_INSIGHTS]]}


@dataclass(frozen=True, slots=True)
class _Known:
    """A sentence and the memory that it stands in."""

    memory: Memory
    saying: Saying


def _weight(one: Saying) -> int:
    if one.fact is not None:
        return 6 + (len(one.names) > 1) + bool(one.fact.date) + bool(one.fact.previous)
    if one.read or not one.tells:
        return 1 + (len(one.names) > 1)
    return min(6, 2 + min(3, len(one.names)) + bool(_DIGIT.search(one.text)))


def _wanted(focus: Sequence[str], newest: Sequence[Saying], facts: Facts) -> list[Saying]:
    """Return the sentences on a chain, then those that name the focus, then those on names that these lead to."""
    keys, names = aim(focus).reached(facts)
    on_chain = [one for one in newest if one.key in keys]
    about = [one for one in newest if _names(one, names)]
    led_to = dict.fromkeys(name for one in (*on_chain, *about) for name in one.names)
    return list(dict.fromkeys((*on_chain, *about, *(one for one in newest if _names(one, led_to)))))


def _names(one: Saying, wanted: Iterable[str]) -> bool:
    return any(name in one.names or (not one.read and name in one.text) for name in wanted)


def _fitting(ranked: Sequence[Saying], limit: int, count: Count) -> set[str]:
    """Take sentences as long as they fit; a line break is counted as one token."""
    kept: set[str] = set()
    for one in ranked:
        cost = count(one.text) + 1
        if cost <= limit:
            kept.add(one.text)
            limit -= cost
    return kept


def _pairs(said: Sequence[_Known]) -> Iterator[tuple[_Known, _Known]]:
    """Yield two sentences of two memories, the second about what the first leads to or, unread, also names."""
    by_name: dict[str, list[_Known]] = {}
    for one in said:
        opening = one.saying.fact.subject if one.saying.fact else next(iter(one.saying.names), "")
        by_name.setdefault(opening, []).append(one)
    for first in said:
        for name in _leads_to(first.saying):
            yield from ((first, second) for second in by_name.get(name, ()) if second.memory.id != first.memory.id)


def _leads_to(one: Saying) -> tuple[str, ...]:
    return (one.fact.object,) if one.fact is not None else one.names


def _asked(pair: tuple[_Known, _Known], wanted: Sequence[str]) -> int:
    return sum(name in one.saying.names for name in wanted for one in pair)


def _insight(words: str, first: _Known, second: _Known) -> dict[str, Any]:
    return {"text": words, "evidence": [first.memory.id, second.memory.id]}
