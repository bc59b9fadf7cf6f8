"""Runs of pieces that are looked at together: buffered up to a number of tokens, cut where the topic changes, rendered.

Shared by the systems that ask about many turns at once (LightMem, StructMem, SimpleMem).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from math import sqrt

from memgym.operations import Create, pairs

from ..budget import tokenizer
from ..lifecycle.components import Piece
from ..passages import halved

_WORD = re.compile(r"\w+")


def render(pieces: Sequence[Piece]) -> str:
    """Return pieces as one text, those under one title below it, each time at its first piece where no title has it."""
    parts = []
    for (title, time), group in groupby(pieces, key=lambda piece: (piece.title, piece.time)):
        head = title if not time or time in title else f"({time}) {title}".strip()
        parts.append("\n".join(part for part in (head, *(piece.text for piece in group)) if part))
    return "\n\n".join(parts)


def shared_time(pieces: Sequence[Piece]) -> str:
    """Return the time of pieces if they all have the same, else ""."""
    times = {piece.time for piece in pieces}
    return times.pop() if len(times) == 1 else ""


def entries(texts: Sequence[str], time: str, *, degraded: bool) -> list[Create]:
    """Return entries of one time; ``degraded`` marks the raw text that stands in for facts that were not to be had."""
    attributes = pairs(degraded="extract") if degraded else ()
    return [Create(text, time=time, attributes=attributes) for text in texts]


class Segments:
    """A buffer of ``tokens`` tokens. What is in it when it is full is cut at its weakest border; the rest stays.

    A piece that is longer than the buffer is cut into parts, so that no input is too long and none is lost.
    """

    def __init__(self, tokens: int) -> None:
        if tokens < 1:
            raise ValueError(f"A buffer of {tokens} tokens holds nothing; at least 1 was expected.")
        self._tokens = tokens
        self._held: list[Piece] = []

    def add(self, piece: Piece) -> Iterator[list[Piece]]:
        """Take a piece and yield the segments that are complete."""
        for part in halved(piece.text, tokenizer().count, self._tokens):
            new = replace(piece, text=part)
            while self._held and _size([*self._held, new]) > self._tokens:
                cut = _weakest([*self._held, new])
                segment, self._held = self._held[:cut], self._held[cut:]
                yield segment
            self._held.append(new)

    def finish(self) -> list[Piece]:
        """Return what is left and empty the buffer."""
        segment, self._held = self._held, []
        return segment


def _size(pieces: Sequence[Piece]) -> int:
    return sum(tokenizer().count(piece.text) for piece in pieces)


def _weakest(pieces: Sequence[Piece]) -> int:
    """Return before which piece a topic begins: in the later half, where two neighbours are least alike, else last."""
    bags = [Counter(word.lower() for word in _WORD.findall(f"{piece.title}\n{piece.text}")) for piece in pieces]
    borders = range(len(pieces) - 1, max(1, len(pieces) // 2) - 1, -1)
    return min(borders, key=lambda border: _alike(bags[border - 1], bags[border]))


def _alike(one: Counter[str], other: Counter[str]) -> float:
    """Return the cosine of two bags of words."""
    product = sum(count * other[word] for word, count in one.items())
    length = sqrt(sum(count**2 for count in one.values()) * sum(count**2 for count in other.values()))
    return product / length if length else 0.0
