"""Questions as symbols, and their text: ``phrase`` writes a query, ``parse`` reads one; each is the other's inverse."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from .dice import Dice
from .phrases import COMPARISONS, IDENTITIES, LOOKUPS, NOUN_PHRASES, ORDERS, SAMENESS, SHARED

_DEEPEST, _LONGEST = 6, 2000


@dataclass(frozen=True, slots=True)
class Chain:
    """A name and the relations that lead on from it, in order; no relation means the name itself."""

    start: str
    relations: tuple[str, ...] = ()

    def then(self, *relations: str) -> Chain:
        return Chain(self.start, self.relations + relations)


@dataclass(frozen=True, slots=True)
class Lookup:
    """What does the chain lead to?"""

    chain: Chain

    @property
    def chains(self) -> tuple[Chain, ...]:
        return (self.chain,)


@dataclass(frozen=True, slots=True)
class Compare:
    """Whose attribute is lower (``low``) or higher? The answer is a name, or yes/no if ``yesno`` (is it the first?)."""

    attribute: str
    low: bool
    first: Chain
    second: Chain
    yesno: bool = False

    @property
    def chains(self) -> tuple[Chain, ...]:
        return (self.first.then(self.attribute), self.second.then(self.attribute))


@dataclass(frozen=True, slots=True)
class Same:
    """Do two chains lead to the same?"""

    first: Chain
    second: Chain

    @property
    def chains(self) -> tuple[Chain, ...]:
        return (self.first, self.second)


Query = Lookup | Compare | Same


def phrase(query: Query, dice: Dice) -> str:
    """Write a query as an English question, in one of several ways."""
    match query:
        case Lookup(Chain(start, relations)):
            return dice.pick(LOOKUPS[relations[-1]]).format(x=_noun(Chain(start, relations[:-1]), dice))
        case Compare(attribute, low, first, second, yesno):
            table = ORDERS if yesno else COMPARISONS
            return dice.pick(table[attribute, low]).format(a=_noun(first, dice), b=_noun(second, dice))
        case Same(first, second):
            return _same(first, second, dice)


def _noun(chain: Chain, dice: Dice) -> str:
    text = chain.start
    for relation in chain.relations:
        text = dice.pick(NOUN_PHRASES[relation]).format(x=text)
    return text


def _same(first: Chain, second: Chain, dice: Dice) -> str:
    if not first.relations:
        return dice.pick(IDENTITIES).format(a=first.start, b=_noun(second, dice))
    for length in (2, 1):
        ends = first.relations[-length:]
        if ends in SHARED and ends == second.relations[-length:] and dice.chance(0.6):
            heads = [Chain(one.start, one.relations[:-length]) for one in (first, second)]
            return dice.pick(SHARED[ends]).format(a=_noun(heads[0], dice), b=_noun(heads[1], dice))
    return dice.pick(SAMENESS).format(a=_noun(first, dice), b=_noun(second, dice))


def _pattern(template: str) -> re.Pattern[str]:
    text = re.escape(template)
    for slot in "xab":
        text = text.replace(r"\{" + slot + r"\}", f"(?P<{slot}>.+)")
    return re.compile(text, re.DOTALL)


def _patterns(templates: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(_pattern(template) for template in templates)


_NOUNS = {relation: _patterns(templates) for relation, templates in NOUN_PHRASES.items()}
_LOOKUPS = {relation: _patterns(templates) for relation, templates in LOOKUPS.items()}
_COMPARES = {
    (*key, yesno): _patterns(templates)
    for yesno, table in ((False, COMPARISONS), (True, ORDERS))
    for key, templates in table.items()
}
_SHARED = {ends: _patterns(templates) for ends, templates in SHARED.items()}
_SAMENESS, _IDENTITIES = _patterns(SAMENESS), _patterns(IDENTITIES)


def parse(text: str) -> Query | None:
    """Read a question; None if it is none of this world's. Never raises."""
    return _parse(text) if len(text) <= _LONGEST else None


@lru_cache(maxsize=4096)
def _parse(text: str) -> Query | None:
    return next(_readings(" ".join(text.split())), None)


def _readings(text: str) -> Iterator[Query]:
    for key, patterns in _COMPARES.items():
        for first, second in _pairs(patterns, text):
            yield Compare(key[0], key[1], first, second, key[2])
    for ends, patterns in _SHARED.items():
        for first, second in _pairs(patterns, text):
            yield Same(first.then(*ends), second.then(*ends))
    for first, second in _pairs(_SAMENESS, text):
        if first.relations and second.relations:
            yield Same(first, second)
    for relation, patterns in _LOOKUPS.items():
        for pattern in patterns:
            if found := pattern.fullmatch(text):
                yield from (Lookup(chain.then(relation)) for chain in _chains(found["x"]))
    yield from _identities(text)


def _identities(text: str) -> Iterator[Query]:
    """Names have no lower-case "the", so the noun phrase begins at the first one."""
    for opening, between in (("Is it true that ", " is the "), ("Is ", " the ")):
        if text.startswith(opening) and text.endswith("?"):
            name, found, rest = text[len(opening) : -1].partition(between)
            if found and not name.startswith(("the ", "it true ")):
                yield from (Same(Chain(name), chain) for chain in _chains("the " + rest) if chain.relations)
                return


def _pairs(patterns: Sequence[re.Pattern[str]], text: str) -> Iterator[tuple[Chain, Chain]]:
    for pattern in patterns:
        if found := pattern.fullmatch(text):
            for first in _chains(found["a"]):
                yield from ((first, second) for second in _chains(found["b"]))


def _chains(text: str, depth: int = 0) -> Iterator[Chain]:
    """Yield every reading of a noun phrase; a name never begins with a lower-case "the"."""
    if not text.startswith("the "):
        yield Chain(text)
        return
    if depth == _DEEPEST:
        return
    for relation, patterns in _NOUNS.items():
        for pattern in patterns:
            if found := pattern.fullmatch(text):
                yield from (chain.then(relation) for chain in _chains(found["x"], depth + 1))
