"""Any text as sentences with names: what the rules model falls back on where it does not know the language.

A sentence keeps who said it and when ("[May 2016] Mia: I moved."), and a pronoun that it opens with is replaced by the
name that the sentence before it opened with. Every pattern takes time linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_LONGEST = 2000  # characters of a sentence in which names are looked for; the sentence itself is kept whole
_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？।])")
_LABEL = re.compile(r"\s*(?:\[([^\[\]\n]{0,80})\]|\(([^()\n]{0,80})\)|[-*•>#]+(?=\s)|\d{1,4}[.)](?=\s))\s*")
_SPEAKER = re.compile(r"([^\W\d_][\w'’·.-]{0,30}(?: [^\W\d_][\w'’·.-]{0,30}){0,2}): +")
_WORD = re.compile(r"\w[\w'’·-]*")
_YEAR = re.compile(r"\b\d{4}\b")
_DIGIT = re.compile(r"\d")
_PRONOUN = re.compile(r"(?:He|She|It|They)\b(?!['’])")

_ROLES = ("user", "assistant")
_COMMON_WORDS = (
    "a about after all also am an and any are as at be because been before but by can could did do does for from had "
    "has have he her here him his how i i'd i'll i'm i've if in into is it it's its just like many me more most my no "
    "not now of off on one or our out over she should since so some still such than that that's the their them then "
    "there these they this those to too under until up was we we're were what when where which while who whom whose "
    "why will with would yes you you're your"
)
_TALK = (
    "awesome bye cheers congrats cool glad good goodbye great ha haha hello hey hi nice ok okay please sorry sure "
    "thank thanks welcome well wow yeah yep"
)
_SMALL_TALK = frozenset(_TALK.split())
_COMMON = frozenset(_COMMON_WORDS.split())
_NO_NAMES = _COMMON | _SMALL_TALK


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of any text; ``topic`` is the name that it opens with, or who said it."""

    text: str
    names: tuple[str, ...]
    speaker: str = ""
    time: str = ""

    @property
    def alone(self) -> str:
        """The sentence with its speaker and its time in front, so that it makes sense alone."""
        said = f"{self.speaker}: {self.text}" if self.speaker else self.text
        return f"({self.time}) {said}" if self.time else said

    @property
    def tells(self) -> bool:
        """Whether it says something: no question, no greeting, and a name, a number or some words of its own."""
        words = content(self.text)
        named = [name for name in self.names if name != self.speaker]
        if self.text.endswith(("?", "？")) or not words:
            return False
        if words[0] in _SMALL_TALK and (len(words) <= 3 or not named):
            return False
        return bool(named) or bool(_DIGIT.search(self.text)) or len(words) >= 2


def sentences(text: str) -> Iterator[Sentence]:
    """Yield the sentences of a text in its order; a first line without a full stop is the title, and no sentence."""
    lines = [line for line in text.splitlines() if line.strip()]
    title = ""
    for number, line in enumerate(lines):
        time, speaker, rest = _opening(line)
        if not speaker and number + 1 < len(lines) and _is_title(rest):
            title = (names(rest) or ("",))[0]
        else:
            yield from _line(rest, speaker, time, title)


def _opening(line: str) -> tuple[str, str, str]:
    """Take ids, bullets, a time in brackets and a speaker from the front of a line."""
    start, time = 0, ""
    while (label := _LABEL.match(line, start)) and label.end() > start:
        inside = label.group(1) or label.group(2) or ""
        time = inside if _YEAR.search(inside) else time
        start = label.end()
    speaker = _SPEAKER.match(line, start)
    if speaker is None or (speaker.group(1)[0].islower() and speaker.group(1) not in _ROLES):
        return time, "", line[start:].strip()
    return time, speaker.group(1), line[speaker.end() :].strip()


def _is_title(line: str) -> bool:
    return len(line) <= 100 and not line.endswith((".", "!", "?", "。", "！", "？"))


def _line(text: str, speaker: str, time: str, topic: str) -> Iterator[Sentence]:
    for part in _END.split(text):
        sentence = part.strip()
        if not sentence:
            continue
        pronoun = _PRONOUN.match(sentence)
        if pronoun and topic and not speaker:
            sentence = topic + sentence[pronoun.end() :]
        found = names(sentence)
        opening = next((name for name in found if sentence.startswith(name)), "")
        topic = opening or topic
        yield Sentence(sentence, tuple(dict.fromkeys((*([speaker] if speaker else ()), *found))), speaker, time)


def names(text: str) -> tuple[str, ...]:
    """Return the runs of capitalised words, each once, in their order; common words at the front do not count."""
    found: list[str] = []
    run: list[str] = []
    end = -1
    for word in _WORD.finditer(text[:_LONGEST]):
        capital = word.group()[0].isupper()
        if run and not (capital and text[end : word.start()] == " "):
            found.append(" ".join(run))
            run = []
        if capital and (run or word.group().lower() not in _NO_NAMES):
            run.append(_bare(word.group()))
        end = word.end()
    if run:
        found.append(" ".join(run))
    return tuple(name for name in dict.fromkeys(found) if len(name) > 1)


def _bare(word: str) -> str:
    """Drop the ending of the possessive."""
    return word.removesuffix("'s").removesuffix("’s")


def content(text: str) -> tuple[str, ...]:
    """Return the words that carry meaning, in lower case, each once, in their order."""
    words = (_bare(word.group().lower()) for word in _WORD.finditer(text[:_LONGEST]))
    return tuple(dict.fromkeys(word for word in words if word not in _COMMON and (len(word) > 2 or word > "\u00ff")))
