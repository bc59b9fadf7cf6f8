"""What every reply is made of: the self-contained sentences of a text with their names, and the fact where one is read.

A text of which the world's reader understands something is taken by it alone; any other is read sentence by sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..asking import Chain, parse
from ..reader import Facts, Statement, read, supersedes
from ..relations import INVERSE, KINDS, RELATIONS
from ..world import Fact
from . import plain

Inputs = Mapping[str, Any]
Count = Callable[[str], int]

_LONGEST_CACHED = 4000  # characters
_ID = re.compile(r"\s*\[([^\[\]\n]{1,64})\]\s*")


@dataclass(frozen=True, slots=True)
class Saying:
    """A sentence that makes sense alone. ``tells``: it is worth remembering; ``read``: the world's reader knows it."""

    text: str
    names: tuple[str, ...]
    tells: bool
    read: bool
    fact: Fact | None = None
    time: str = ""

    @property
    def key(self) -> tuple[str, str] | None:
        """Subject and relation: what only one sentence can be right about at a time."""
        return None if self.fact is None else (self.fact.subject, self.fact.relation)


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory as it was shown: its id and its text."""

    id: str
    text: str

    @property
    def sayings(self) -> tuple[Saying, ...]:
        return sayings(self.text)


def texts(value: Any) -> list[str]:
    """Return the texts of an input, whether it is one, several, or something else (none)."""
    if isinstance(value, str):
        return [value]
    return [one for one in value if isinstance(one, str)] if isinstance(value, (list, tuple)) else []


def text(value: Any) -> str:
    """Return an input as one text."""
    return "\n".join(texts(value))


def memories(value: Any) -> list[Memory]:
    """Read lines "[m3] text"; what has no id cannot be spoken of and is passed over, as is an id's second line."""
    found: dict[str, Memory] = {}
    for shown in texts(value):
        if (label := _ID.match(shown)) and (id := label.group(1).strip()):
            found.setdefault(id, Memory(id, shown[label.end() :]))
    return list(found.values())


def sayings(text: str) -> tuple[Saying, ...]:
    """Return what a text says, in its order, each sentence once."""
    return _short(text) if len(text) <= _LONGEST_CACHED else _said(text)


@lru_cache(maxsize=4096)
def _short(text: str) -> tuple[Saying, ...]:
    return _said(text)


def _said(text: str) -> tuple[Saying, ...]:
    said = [Saying(one.text, _entities(one), one.fact is not None, True, one.fact) for one in read(text)]
    if not said:
        said = [Saying(one.alone, one.names, one.tells, False, None, one.time) for one in plain.sentences(text)]
    return tuple(dict.fromkeys(said))


def _entities(one: Statement) -> tuple[str, ...]:
    """Return the names of a statement without the literals: two people of one height have no name in common."""
    fact = one.fact
    if fact is None or RELATIONS[fact.relation].object in KINDS:
        return one.names
    return (fact.subject,)


def facts_of(said: Iterable[Saying]) -> Facts:
    """Return the facts of sentences, each at its latest date."""
    facts = Facts()
    for one in said:
        if one.fact is not None:
            facts.add(one.fact)
    return facts


def outdated(one: Saying, facts: Facts) -> bool:
    """Whether something later is known for the same subject and relation: by date, or said last where there is none."""
    fact = one.fact
    known = None if fact is None else facts.fact(fact.subject, fact.relation)
    return fact is not None and known is not None and supersedes(known, fact)


def same_fact(one: Fact, other: Fact) -> bool:
    """Whether two facts say the same, whatever their dates."""
    if one.relation != other.relation:
        return False
    ends = (other.subject, other.object)
    swapped = RELATIONS[one.relation].symmetric and (one.object, one.subject) == ends
    return (one.subject, one.object) == ends or swapped


def spoken(relation: str) -> str:
    """Write the name of a relation as words: "born_in" is "born in"."""
    return relation.removeprefix(INVERSE).replace("_", " ")


def names_in(text: str) -> tuple[str, ...]:
    """Return the names of a text, those named most often first, ties in the order of the text."""
    count: dict[str, int] = {}
    for one in sayings(text):
        for name in one.names:
            count[name] = count.get(name, 0) + 1
    return tuple(sorted(count, key=lambda name: -count[name]))


@dataclass(frozen=True, slots=True)
class Aim:
    """What is looked for: the chains of questions that are understood, and the names in all of them."""

    chains: tuple[Chain, ...]
    names: tuple[str, ...]

    def reached(self, facts: Facts) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
        """Follow the chains as far as they are known: subjects and relations on them, and the names on the way."""
        keys: dict[tuple[str, str], None] = {}
        names = dict.fromkeys(self.names)
        for chain in self.chains:
            name: str | None = chain.start
            for relation in chain.relations:
                fact = facts.fact(name, relation) if name is not None else None
                if name is None or fact is None:
                    break
                keys[fact.subject, fact.relation] = None
                name = facts.follow(name, relation)
                names[name or chain.start] = None
        return tuple(keys), tuple(names)


def aim(questions: Iterable[str]) -> Aim:
    """Read questions or topics; one that is not understood is its names, or the topic itself where it has none."""
    chains: list[Chain] = []
    names: list[str] = []
    for question in questions:
        query = parse(question)
        if query is not None:
            chains += query.chains
            names += [chain.start for chain in query.chains]
        else:
            names += plain.names(question) or ([question.strip()] if question.strip() else [])
    return Aim(tuple(dict.fromkeys(chains)), tuple(dict.fromkeys(names)))


def named(one: str, text: str, said: Iterable[Saying]) -> bool:
    """Whether a text names something: as a name that was read in it, or word for word where it is not understood."""
    said = tuple(said)
    return any(one in saying.names for saying in said) or (not any(saying.read for saying in said) and one in text)
