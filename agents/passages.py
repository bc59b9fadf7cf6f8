"""From a stream of chunks to passages worth storing: documents are put together again where a chunk has cut them.

Separate from the agents that store passages, because how text is cut decides what retrieval can find.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

Count = Callable[[str], int]

OVERLAP = 40
"""Characters that must agree before the start of a chunk is taken for a repetition of the last one's end."""

_SESSION = re.compile(r"^Session \d+ \(.*\) with (.+):[ \t]*\r?\n", re.MULTILINE)
_DATED = re.compile(r"Session \d+ \((.*)\) with ")
_HEADER = re.compile(r"^(?:Document \d+:|Session \d+ \(.*\) with .+:)[ \t]*\r?\n", re.MULTILINE)
_BLANK = re.compile(r"\n[ \t\r]*\n")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？।])")
_GRANULARITY = ("document", "sentence", "turns", "chunk")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of text under the title of its document, or the header of its session ("" where it has none)."""

    title: str
    text: str

    @property
    def time(self) -> str:
        """The date in the header of its session, as it is written there; "" where there is none."""
        dated = _DATED.match(self.title)
        return dated[1] if dated else ""

    def render(self) -> str:
        return f"{self.title}\n{self.text}" if self.title else self.text


class Joined:
    """Puts chunks together: ``feed`` returns what a chunk adds, without what repeats the end of the last one.

    Chunks that end with a document have lost the blank line that followed it; it is put back. A chunk that begins with
    the header of a session repeats nothing but that.
    """

    def __init__(self) -> None:
        self._last = ""

    def feed(self, chunk: str) -> str:
        repeated = 0 if _SESSION.match(chunk) else _overlap(self._last, chunk)
        lost = not repeated and self._last[-1:] not in {"", "\n"} and _HEADER.match(chunk)
        self._last = chunk
        return f"\n\n{chunk}" if lost else chunk[repeated:]


def _overlap(last: str, chunk: str) -> int:
    """Return how many characters at the start of ``chunk`` are the end of ``last``: 0, or at least OVERLAP."""
    anchor = chunk[:OVERLAP]
    start = last.find(anchor) if len(anchor) == OVERLAP else -1
    while start >= 0:
        if chunk.startswith(last[start:]):
            return len(last) - start
        start = last.find(anchor, start + 1)
    return 0


class Splitter:
    """Cuts a stream of chunks into passages of at most ``tokens`` tokens.

    granularity: "document" (one passage a document, long ones by sentences; without "Document 3:" headers, one a
    paragraph; of a conversation, one a turn under its session's header, whatever its length), "sentence" (one a
    sentence, under the same title), "turns" (of a conversation, as many turns as fit; else as "document"), or "chunk"
    (each chunk as it comes).

    Only the next chunk shows where the last document of a chunk ends, so ``feed`` holds it back and ``finish``
    gives it out. A document's first line is its title.
    """

    def __init__(self, count: Count, granularity: str = "document", tokens: int = 300) -> None:
        if granularity not in _GRANULARITY:
            raise ValueError(f"granularity is {granularity!r}; one of {', '.join(_GRANULARITY)} was expected.")
        self._count = count
        self._granularity = granularity
        self._tokens = tokens
        self._joined = Joined()
        self._held = ""

    def feed(self, chunk: str) -> list[Passage]:
        """Take the next chunk and return the passages that are complete."""
        if self._granularity == "chunk":
            return [Passage("", chunk)] if chunk.strip() else []
        text = self._held + self._joined.feed(chunk)
        starts = [header.start() for header in _HEADER.finditer(text)]
        cut = starts[-1] if starts else len(text)
        self._held = text[cut:]
        return list(self._passages(text[:cut]))

    def finish(self) -> list[Passage]:
        """Return what was held back, at the end of the input."""
        text, self._held = self._held, ""
        return list(self._passages(text))

    def _passages(self, text: str) -> Iterator[Passage]:
        for document in _documents(text):
            session = _SESSION.fullmatch(f"{document.title}\n")
            if self._granularity == "sentence":
                yield from (Passage(document.title, one) for one in _sentences(document.text))
            elif session:
                turns = _turns(document.text, session[1].split(", "))
                yield from (Passage(document.title, one) for one in self._grouped(turns))
            elif self._count(document.text) <= self._tokens:
                yield document
            else:
                yield from (Passage(document.title, part) for part in self._parts(document.text))

    def _parts(self, text: str) -> Iterator[str]:
        """Pack sentences into parts; a sentence that is too long alone is cut at words, and a word anywhere."""
        part, size = "", 0
        for sentence in self._bounded(text):
            length = self._count(sentence)
            if part and size + length > self._tokens:
                yield part
                part, size = "", 0
            part = f"{part} {sentence}" if part else sentence
            size += length
        if part:
            yield part

    def _grouped(self, turns: list[str]) -> Iterator[str]:
        """Yield turns alone, or as many as fit ("turns"); a turn is never cut."""
        group, size = "", 0
        for turn in turns:
            length = self._count(turn)
            if group and (self._granularity != "turns" or size + length > self._tokens):
                yield group
                group, size = "", 0
            group, size = f"{group}\n{turn}" if group else turn, size + length
        if group:
            yield group

    def _bounded(self, text: str) -> Iterator[str]:
        for sentence in _sentences(text):
            yield from halved(sentence, self._count, self._tokens)


def halved(text: str, count: Count, tokens: int) -> Iterator[str]:
    """Yield a text in pieces of at most ``tokens`` tokens, by halving it near the middle, at a space if it can."""
    if count(text) <= tokens or len(text) < 2:
        yield text
        return
    middle = len(text) // 2
    space = text.rfind(" ", 1, middle)
    cut = space if space > middle // 2 else middle
    for piece in (text[:cut].strip(), text[cut:].strip()):
        if piece:
            yield from halved(piece, count, tokens)


def _documents(text: str) -> Iterator[Passage]:
    """Yield titled documents where there are headers, and plain paragraphs before the first of them."""
    starts = [header.start() for header in _HEADER.finditer(text)]
    lead = text[: starts[0]] if starts else text
    yield from (Passage("", piece.strip()) for piece in _BLANK.split(lead) if piece.strip())
    for start, end in pairwise([*starts, len(text)]):
        body = text[start:end].strip() if _SESSION.match(text, start) else _untitled(text[start:end])
        title, _, rest = body.partition("\n")
        if rest.strip():
            yield Passage(title.strip(), rest.strip())
        elif title:
            yield Passage("", title.strip())


def _untitled(text: str) -> str:
    return _HEADER.sub("", text, count=1).strip()


def _turns(text: str, speakers: list[str]) -> list[str]:
    """Return the turns of a session; a turn begins with the name of a speaker and a colon, and may have many lines."""
    begins = re.compile(rf"^(?:{'|'.join(map(re.escape, speakers))}): ", re.MULTILINE)
    starts = [0, *(found.start() for found in begins.finditer(text) if found.start())]
    return [turn for start, end in pairwise([*starts, len(text)]) if (turn := text[start:end].strip())]


def _sentences(text: str) -> list[str]:
    return [piece.strip() for piece in _SENTENCE.split(text) if piece.strip()]
