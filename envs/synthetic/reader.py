"""Reads the world's sentences back into facts from any text: entries, chunks, a scratchpad, or pieces of them.

It knows the language (``language``, ``filler``) and nothing of any world. A pronoun stands for the name that the
sentence before it opens with, or for the title on the line above; with neither in the passage it stays unread.
Of a sentence that "(no longer holds)" follows, the fact is not taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from .filler import MENTIONS, OPENINGS, SMALL_TALK
from .language import PRONOUNS, WORDINGS, lead
from .relations import INVERSE, MONTHS, RELATIONS
from .undated import UNDATED
from .world import Fact

_NAME = r"\w[^.,:;?!\"()\[\]{}<>=|\n]*"
_MONTH = rf"(?:{'|'.join(MONTHS)}) \d{{4}}"
_OBJECTS = {
    "date": rf"\d{{1,2}} {_MONTH}",
    "year": r"\d{4}",
    "count": r"\d{1,3}(?:,\d{3})*",
    "length": r"\d+ cm",
}
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+")
_LABEL = re.compile(r"(?:[\[(<{][^\[\](){}<>]*[\])>}]|[^\w\[(<{]+|\d+[.):]|\w+ ?\d*:)\s*")
_TAIL = r"\.\s*(?:[\])}>\"<(\[{|][^.]*)?"
_LONGEST_SENTENCE, _LONGEST_CACHED = 400, 4000  # characters; no sentence of the world comes near the first
_OVER = "(no longer holds)"
_NOTE_TITLE = re.compile(r" \(note \d+(?:, " + _MONTH + r")?\)$")


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence that was understood: its text with the pronoun resolved, its names, and its fact if it has one."""

    text: str
    names: tuple[str, ...]
    fact: Fact | None


@dataclass(frozen=True, slots=True)
class _Rule:
    pattern: re.Pattern[str]
    template: str
    relation: str | None
    lead: str


def _rule(template: str, relation: str | None) -> _Rule:
    kinds = {"s": _NAME, "o": _NAME, "p": _NAME, "x": _NAME, "d": _MONTH, "a": r"[\w-]+", "t": r"\w+"}
    if relation is not None:
        kinds["o"] = kinds["p"] = _OBJECTS.get(RELATIONS[relation].object, _NAME)
    text = re.escape(template.removesuffix("."))
    for slot, kind in kinds.items():
        text = text.replace(r"\{" + slot + r"\}", f"(?P<{slot}>{kind}?)" if kind is _NAME else f"(?P<{slot}>{kind})")
    # The full stop is required: a sentence that a chunk border cut may end inside a name.
    return _Rule(re.compile(text + _TAIL), template, relation, lead(template))


def _rules() -> Iterator[_Rule]:
    for relation, wording in (*WORDINGS.items(), *UNDATED.items()):
        for template in (*wording.forward, *wording.inverse, *wording.revision):
            yield _rule(template, relation)
    for table in (OPENINGS, SMALL_TALK, MENTIONS):
        for template in dict.fromkeys(template for templates in table.values() for template in templates):
            yield _rule(template, None)


def _words(text: str) -> list[str]:
    return re.findall(r"[^\s.,:;?!\"()\[\]{}<>=|]+", text)


def _dispatch() -> dict[str, tuple[_Rule, ...]]:
    """Index the rules by the rarest fixed word of each, so that a sentence is tried against one or two of them."""
    rules = sorted(_rules(), key=lambda rule: (-len(rule.template), rule.template))
    fixed = {rule.template: _words(re.sub(r"\{\w\}('s)?", " ", rule.template)) for rule in rules}
    count: dict[str, int] = {}
    for words in fixed.values():
        for word in dict.fromkeys(words):
            count[word] = count.get(word, 0) + 1
    table: dict[str, list[_Rule]] = {}
    for rule in rules:
        table.setdefault(min(fixed[rule.template], key=lambda word: (count[word], word)), []).append(rule)
    return {word: tuple(found) for word, found in table.items()}


_DISPATCH = _dispatch()


def read(text: str) -> Iterator[Statement]:
    """Yield what is understood of a text, in its order. Never raises; what is not of this language is passed over."""
    title = ""
    for line in text.splitlines():
        read_line = _passage if len(line) <= _LONGEST_CACHED else _passage.__wrapped__
        found = read_line(line, title)
        yield from found
        title = "" if found else _title(line)


def _title(line: str) -> str:
    text = _NOTE_TITLE.sub("", _strip(line))
    return "" if text.endswith((".", "?", "!")) else text


def _strip(text: str) -> str:
    """Drop ids, brackets, bullets and labels in front, and marks behind."""
    start = 0
    while (found := _LABEL.match(text, start)) and found.end() > start:
        start = found.end()
    return text[start:].rstrip()


@lru_cache(maxsize=8192)
def _passage(line: str, title: str) -> tuple[Statement, ...]:
    """Read one line. ``topic`` is what a pronoun stands for: the opening name of the sentence before."""
    statements, topic = [], title
    for sentence in _SENTENCE_END.split(line):
        found = _sentence(sentence, topic)
        if found is not None:
            statement, topic = found
            statements.append(statement)
        elif sentence.strip() == _OVER and statements:
            statements[-1] = replace(statements[-1], fact=None)
        elif sentence.strip():
            topic = title
    return tuple(statements)


def _sentence(sentence: str, topic: str) -> tuple[Statement, str] | None:
    """Return the statement and its opening name; without one the pronoun found nothing to stand for."""
    body = _strip(sentence)
    if len(body) > _LONGEST_SENTENCE:
        return None
    for word in _words(body):
        for rule in _DISPATCH.get(word, ()):
            if found := rule.pattern.fullmatch(body):
                return _statement(rule, found, topic)
    return None


def _statement(rule: _Rule, found: re.Match[str], topic: str) -> tuple[Statement, str] | None:
    values = found.groupdict()
    if values[rule.lead] in PRONOUNS:
        if not topic:
            return None
        values[rule.lead] = topic
    names = tuple(values[slot] for slot in ("s", "o", "p", "x") if values.get(slot))
    fact = None
    if rule.relation is not None:
        fact = Fact(values["s"], rule.relation, values["o"], _date(values.get("d")), values.get("p") or "")
    return Statement(rule.template.format_map(values), names, fact), values[rule.lead]


def _date(text: str | None) -> int:
    if text is None:
        return 0
    name, year = text.split()
    return int(year) * 12 + MONTHS.index(name)


def supersedes(new: Fact, old: Fact) -> bool:
    """Whether a statement that is read after another, of the same subject and relation, takes its place.

    A later date does; without any dates a revisable relation is what was said of it last.
    """
    if new.date != old.date:
        return new.date > old.date
    return not new.date and RELATIONS[new.relation].dated and new.object != old.object


class Facts:
    """What a text says, each relation at its latest date; ``follow`` looks one hop on, None where nothing is known.

    Of two statements without a date nobody can tell which is newer: the one that stands last in the text is taken.
    """

    def __init__(self, statements: Iterable[Statement] = ()) -> None:
        self._known: dict[tuple[str, str], Fact] = {}
        self._back: dict[tuple[str, str], list[str]] = {}
        for statement in statements:
            if statement.fact is not None:
                self.add(statement.fact)

    def add(self, fact: Fact) -> None:
        """Take a fact in; an older date never replaces a newer one."""
        key = (fact.subject, fact.relation)
        old = self._known.get(key)
        if old is not None and old.date > fact.date:
            return
        self._known[key] = fact
        relation = RELATIONS[fact.relation]
        if relation.symmetric:
            self._known[fact.object, fact.relation] = fact
        if relation.invertible:
            subjects = self._back.setdefault((fact.object, fact.relation), [])
            if fact.subject not in subjects:
                subjects.append(fact.subject)

    def fact(self, name: str, relation: str) -> Fact | None:
        """Return the fact behind one hop; an inverse with several subjects counts as not known."""
        if relation.startswith(INVERSE):
            subjects = self._back.get((name, relation.removeprefix(INVERSE)), [])
            return self._known.get((subjects[0], relation.removeprefix(INVERSE))) if len(subjects) == 1 else None
        return self._known.get((name, relation))

    def follow(self, name: str, relation: str) -> str | None:
        fact = self.fact(name, relation)
        if fact is None:
            return None
        if relation.startswith(INVERSE):
            return fact.subject
        return fact.subject if RELATIONS[relation].symmetric and fact.object == name else fact.object
