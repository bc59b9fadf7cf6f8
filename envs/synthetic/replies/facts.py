"""Replies about single facts: what a text states, and what a new fact does to the facts in memory.

Relations are functional at any date, so that a later date for the same subject and relation replaces a fact. Where
neither has a date, the fact that comes in is taken as newer than what is stored. Texts of another language are compared
word for word.
"""

from __future__ import annotations

import re
from typing import Any

from ..reader import supersedes
from ..relations import MONTHS, month
from ..world import Fact
from . import plain
from .sayings import Count, Inputs, Memory, Saying, memories, same_fact, sayings, spoken, text

_LONGEST_OBJECT = 120
_DATE = re.compile(rf"(?:\d{{1,2}} )?(?:(?:{'|'.join(MONTHS)}),? )?\b[12]\d{{3}}\b")


def extract(inputs: Inputs, count: Count) -> dict[str, Any]:
    """Every sentence that tells something, made to stand alone."""
    return {"facts": [_timed(one, text(inputs["time"])) for one in sayings(text(inputs["text"])) if one.tells]}


def edges(inputs: Inputs, count: Count) -> dict[str, Any]:
    """Every fact as an edge; a sentence of another language goes from its first name to its second."""
    time = text(inputs["time"])
    found = [_edge(one, time) for one in sayings(text(inputs["text"])) if one.tells]
    return {"edges": [one for one in found if one is not None]}


def decide(inputs: Inputs, count: Count) -> dict[str, Any]:
    """The same fact again, or an older one, changes nothing; a newer one updates; all else is added."""
    fact = text(inputs["fact"]).strip()
    shown = memories(inputs["memories"])
    said = sayings(fact)
    if not said:
        return _decision("none" if not fact or _repeated(fact, shown) else "add")
    facts = [one for one in said if one.fact is not None]
    if not facts:
        return _compared(fact, shown)
    if len(facts) > 1:
        held = [_decided(one, shown)["action"] == "none" for one in facts]
        return _decision("none" if all(held) else "add")
    return _decided(facts[0], shown)


def invalidate(inputs: Inputs, count: Count) -> dict[str, Any]:
    """The memories that say nothing but what a new fact of the same subject and relation replaces."""
    new = [one.fact for one in sayings(text(inputs["fact"])) if one.fact is not None]
    return {"ids": [one.id for one in memories(inputs["memories"]) if _replaced(one, new)]}


def _timed(one: Saying, time: str) -> str:
    """Put the time in front of a sentence that has no date of its own and comes from another language."""
    time = " ".join(time.split())
    return one.text if one.read or one.time or not time or _DATE.search(one.text) else f"({time}) {one.text}"


def _edge(one: Saying, time: str) -> dict[str, str] | None:
    if one.fact is not None:
        fact = one.fact
        since = month(fact.date) if fact.date else ""
        return _drawn(fact.subject, spoken(fact.relation), fact.object, since, one.text)
    if not one.names:
        return None
    subject, date = one.names[0], _DATE.search(one.text)
    _, _, rest = one.text.partition(subject)
    object = one.names[1] if len(one.names) > 1 and one.names[1] in rest else ""
    relation = rest.partition(object)[0] if object else rest
    words = plain.content(relation)
    since = one.time or (date.group() if date else " ".join(time.split()))
    return _drawn(
        subject, " ".join(words[:4]) or "concerns", object or rest.strip(" :.")[:_LONGEST_OBJECT], since, one.text
    )


def _drawn(subject: str, relation: str, object: str, since: str, sentence: str) -> dict[str, str]:
    return {"subject": subject, "relation": relation, "object": object, "valid_at": since, "text": sentence}


def _decision(action: str, id: str = "", text: str = "") -> dict[str, Any]:
    return {"action": action, "id": id, "text": text}


def _decided(new: Saying, shown: list[Memory]) -> dict[str, Any]:
    """Decide on one fact. Of several outdated memories the first one shown, the nearest, is brought up to date."""
    stale: list[tuple[Memory, Saying]] = []
    for memory in shown:
        for old in memory.sayings:
            if _says(old, new) or _contradicts(old, new):
                return _decision("none")
            if old.key == new.key and old.key is not None:
                stale.append((memory, old))
    if not stale:
        return _decision("add")
    memory, old = stale[0]
    return _decision("update", memory.id, _rewritten(memory, old, new))


def _says(old: Saying, new: Saying) -> bool:
    return old.fact is not None and new.fact is not None and same_fact(old.fact, new.fact)


def _contradicts(old: Saying, new: Saying) -> bool:
    """Whether a memory says something else of the same subject and relation, and is not older."""
    if old.fact is None or new.fact is None or old.key != new.key:
        return False
    return not supersedes(new.fact, old.fact)


def _rewritten(memory: Memory, old: Saying, new: Saying) -> str:
    """Return the text of a memory with one sentence replaced; all that is kept is written to stand alone."""
    if memory.text.count(old.text) == 1:
        return memory.text.replace(old.text, new.text).strip()
    return " ".join(new.text if one == old else one.text for one in memory.sayings)


def _compared(fact: str, shown: list[Memory]) -> dict[str, Any]:
    """Decide on a text of another language: word for word, and a longer text takes the place of its part."""
    if _repeated(fact, shown):
        return _decision("none")
    part = next((one for one in shown if one.text.strip() and _plainly(one.text) in _plainly(fact)), None)
    return _decision("update", part.id, fact) if part else _decision("add")


def _repeated(fact: str, shown: list[Memory]) -> bool:
    return any(_plainly(fact) in _plainly(one.text) for one in shown)


def _plainly(text: str) -> str:
    return " ".join(text.split()).casefold()


def _replaced(memory: Memory, new: list[Fact]) -> bool:
    old = [one.fact for one in memory.sayings if one.fact is not None]
    return bool(old) and all(any(_later(one, fact) for one in new) for fact in old)


def _later(new: Fact, old: Fact) -> bool:
    same = (new.subject, new.relation) == (old.subject, old.relation)
    return same and new.object != old.object and supersedes(new, old)
