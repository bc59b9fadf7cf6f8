"""Questions as symbols, and their text: ``phrase`` writes a query, ``parse`` reads one; each is the other's inverse."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..synthetic.dice import Dice
from .phrases import ATTRIBUTES, BETWEEN, EVENTS, FIRST, ROLE_ASKED, ROLE_NOUNS, ROLES, WHEN

LONGEST = 600
"""Characters; no question of this world is longer."""

Deed = tuple[str, str]
"""A verb of EVENTS and its object."""


@dataclass(frozen=True, slots=True)
class Who:
    """A person by name, or by a role for somebody else ("Ana's sister")."""

    name: str
    role: str = ""


@dataclass(frozen=True, slots=True)
class Now:
    """What is an attribute at present?"""

    who: Who
    attribute: str


@dataclass(frozen=True, slots=True)
class Before:
    """What was it before it was ``object``?"""

    who: Who
    attribute: str
    object: str


@dataclass(frozen=True, slots=True)
class Role:
    """Who has a role for somebody?"""

    who: Who


@dataclass(frozen=True, slots=True)
class When:
    """On which day was something done?"""

    name: str
    deed: Deed


@dataclass(frozen=True, slots=True)
class Between:
    """How many days lie between two things that somebody did?"""

    name: str
    first: Deed
    second: Deed


@dataclass(frozen=True, slots=True)
class First:
    """Which of two things did somebody do first?"""

    name: str
    first: Deed
    second: Deed


Query = Now | Before | Role | When | Between | First


def phrase(query: Query, dice: Dice) -> str:
    """Write a query as an English question, in one of several ways."""
    match query:
        case Now(who, attribute):
            return dice.pick(ATTRIBUTES[attribute].asked).format(s=_noun(who, dice))
        case Before(who, attribute, object):
            return dice.pick(ATTRIBUTES[attribute].before).format(s=_noun(who, dice), o=object)
        case Role(who):
            return dice.pick(ROLE_ASKED).format(s=who.name, k=who.role)
        case When(name, (verb, object)):
            return dice.pick(WHEN).format(s=name, bare=EVENTS[verb].bare, o=object)
        case Between(name, first, second):
            return BETWEEN.format(a=f"{name} {past(first)}", b=f"{name} {past(second)}")
        case First(name, first, second):
            return FIRST.format(s=name, a=bare(first), b=bare(second))


def past(deed: Deed) -> str:
    return f"{EVENTS[deed[0]].past} {deed[1]}"


def bare(deed: Deed) -> str:
    return f"{EVENTS[deed[0]].bare} {deed[1]}"


def _noun(who: Who, dice: Dice) -> str:
    return dice.pick(ROLE_NOUNS).format(s=who.name, k=who.role) if who.role else who.name


def pattern(template: str, **parts: str) -> re.Pattern[str]:
    """Return a template as a regular expression; each place is a group that takes ``parts`` or any text."""
    text = re.escape(template)
    for place in ("past", "bare", "s", "o", "k", "d", "D", "a", "b"):
        text = text.replace(r"\{" + place + r"\}", f"(?P<{place}>{parts.get(place, '.+')})")
    return re.compile(text)


_ROLES = "|".join(ROLES)
_BARE = {event.bare: verb for verb, event in EVENTS.items()}
_PAST = {event.past: verb for verb, event in EVENTS.items()}
_ASKED = [(name, pattern(one)) for name, attribute in ATTRIBUTES.items() for one in attribute.asked]
_BEFORE = [(name, pattern(one)) for name, attribute in ATTRIBUTES.items() for one in attribute.before]
_WHO = [pattern(one, k=_ROLES) for one in ROLE_NOUNS]
_ROLE = [pattern(one, k=_ROLES) for one in ROLE_ASKED]
_WHEN = [pattern(one, bare="|".join(_BARE)) for one in WHEN]
_BETWEEN, _FIRST = pattern(BETWEEN), pattern(FIRST)
_DID = re.compile(rf"(?P<s>.+?) (?P<past>{'|'.join(_PAST)}) (?P<o>.+)")
_DO = re.compile(rf"(?P<bare>{'|'.join(_BARE)}) (?P<o>.+)")


@lru_cache(maxsize=4096)
def parse(text: str) -> Query | None:
    """Read a question; None if it is none of this world's. Never raises."""
    text = " ".join(text.split())
    return _parse(text) if len(text) <= LONGEST else None


def _parse(text: str) -> Query | None:
    if found := _BETWEEN.fullmatch(text):
        return _between(found["a"], found["b"])
    if found := _FIRST.fullmatch(text):
        first, second = _DO.fullmatch(found["a"]), _DO.fullmatch(found["b"])
        return First(found["s"], _deed(first), _deed(second)) if first and second else None
    if found := _any(_ROLE, text):
        return Role(Who(found["s"], found["k"]))
    for attribute, one in _BEFORE:
        if found := one.fullmatch(text):
            return Before(_who(found["s"]), attribute, found["o"])
    if found := _any(_WHEN, text):
        return When(found["s"], (_BARE[found["bare"]], found["o"]))
    for attribute, one in _ASKED:
        if found := one.fullmatch(text):
            return Now(_who(found["s"]), attribute)
    return None


def _between(first: str, second: str) -> Between | None:
    one, other = _DID.fullmatch(first), _DID.fullmatch(second)
    if one is None or other is None or one["s"] != other["s"]:
        return None
    return Between(one["s"], (_PAST[one["past"]], one["o"]), (_PAST[other["past"]], other["o"]))


def _deed(found: re.Match[str]) -> Deed:
    return _BARE[found["bare"]], found["o"]


def _who(text: str) -> Who:
    found = _any(_WHO, text)
    return Who(found["s"], found["k"]) if found else Who(text)


def _any(patterns: Sequence[re.Pattern[str]], text: str) -> re.Match[str] | None:
    return next((found for one in patterns if (found := one.fullmatch(text))), None)
