"""Reads a conversation of this world back into what was told, from chunks, from entries of a memory, from notes.

A turn needs its speaker for "I" and the date of its session for "yesterday"; a text without them says less.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from .asking import parse, pattern
from .days import PATTERN, plain, read_date, resolve
from .phrases import ATTRIBUTES, DONE, EVENTS, ROLE_TOLD, ROLES
from .solve import Knowledge, Told

UNKNOWN = "unknown"
LONGEST = 400
"""Characters; no sentence of this world is longer."""

_SESSION = re.compile(r"Session \d+ \((.*)\) with .+:\s*")
_LABELLED = re.compile(r"[(\[]([^()\[\]]*\d{4})[)\]] (.*)")
_TURN = re.compile(r"([^:]{1,60}): (.*)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_MARK = re.compile(r"^(?:Session \d+ \(.*\) with .+:|[(\[][^()\[\]\n]*\d{4}[)\]] [^:\n]{1,60}: )", re.MULTILINE)
_OWN = [(name, pattern(one)) for name, attribute in ATTRIBUTES.items() for one in (*attribute.anew, *attribute.told)]
_OF = [
    (name, pattern(one)) for name, attribute in ATTRIBUTES.items() for one in (*attribute.anew_of, *attribute.told_of)
]
_ROLE = [pattern(one, k="|".join(ROLES)) for one in ROLE_TOLD]
_PAST = {event.past: verb for verb, event in EVENTS.items()}
_VERBS = "|".join(_PAST)
_DONE = [pattern(one, past=_VERBS, o=".+?", d=PATTERN, D=f"(?i:{PATTERN})") for one in DONE]


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that tells something, and who said it when."""

    told: Told
    sentence: str
    speaker: str

    @property
    def note(self) -> str:
        """The sentence so that it makes sense alone; the reader reads it back."""
        return f"({plain(self.told.said)}) {self.speaker}: {self.sentence}"


def is_conversation(text: str) -> bool:
    """Whether a text has the header of a session, or turns with their date in front."""
    return _MARK.search(text) is not None


def answer(question: str, text: str) -> str:
    """Answer a question from a text alone; ``UNKNOWN`` where the text does not say it. Never raises."""
    query = parse(question)
    if query is None:
        return UNKNOWN
    solved = Knowledge([one.told for one in read(text)]).solve(query)
    return UNKNOWN if solved is None else solved.answers[0]


def read(text: str) -> Iterator[Statement]:
    """Yield every sentence that tells something, in the order of the text."""
    now: date | None = None
    for line in text.splitlines():
        if header := _SESSION.fullmatch(line):
            now = read_date(header[1])
            continue
        said, words = now, line
        if labelled := _LABELLED.fullmatch(line):
            said, words = read_date(labelled[1]) or now, labelled[2]
        if turn := _TURN.fullmatch(words):
            yield from _statements(turn[1], turn[2], said)


def _statements(speaker: str, words: str, said: date | None) -> Iterator[Statement]:
    for sentence in _SENTENCE.split(words):
        told = _told(speaker, sentence, said) if len(sentence) <= LONGEST else None
        if told is not None:
            yield Statement(told, sentence, speaker)


def _told(speaker: str, sentence: str, said: date | None) -> Told | None:
    heard = said or date.min
    for one in _DONE:
        if found := one.fullmatch(sentence):
            groups = found.groupdict()
            words = groups.get("d") or groups["D"]
            day = resolve(words[0].lower() + words[1:], said)
            return Told(speaker, _PAST[found["past"]], found["o"], heard, day)
    for one in _ROLE:
        if found := one.fullmatch(sentence):
            return Told(speaker, found["k"], found["o"], heard)
    for name, one in _OWN:
        if found := one.fullmatch(sentence):
            return Told(speaker, name, found["o"], heard)
    for name, one in _OF:
        if (found := one.fullmatch(sentence)) and found["s"] != "I":
            return Told(found["s"], name, found["o"], heard)
    return None
