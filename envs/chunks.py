"""A list of documents as the parts in which it is read: rendered as one text, then cut by tokens.

Separate from the reading task, which takes parts as they come, and from the haystack, which knows nothing of tokens.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from memgym.registry import unknown
from memgym.task import Document
from memgym.tokens import Tokenizer

CUTS = ("document", "token")
BLANK = "\n\n"
_SENTENCE = re.compile(r"[.!?…]+[\"'”’»)\]]*\s+|[。！？｡]+[」』”’）]*\s*|\n+")
_WORD = re.compile(r"\s+")
_SLACK = 8  # tokens by which a piece counted alone may differ from its share of the whole; more only costs fullness


def render(documents: Sequence[Document]) -> str:
    """Return the documents as MemAgent and AtomMem show them: "Document 1:", title, text; a blank line between."""
    return BLANK.join(_render(documents))


def chunk(
    documents: Sequence[Document], tokenizer: Tokenizer, *, size: int = 4000, overlap: int = 0, cut: str = "document"
) -> list[str]:
    """Cut the rendered documents into chunks of at most ``size`` tokens, none of them empty.

    "document" packs whole documents, in order, as many as fit; the blank lines at the cuts are left out. A document
    longer than ``size`` is cut after a sentence, else after a word, else after a token (else: when that would leave
    the chunk less than half full), and its rest is packed with what follows. But for those blank lines the chunks
    are the text, unchanged. A single character of more than ``size`` tokens is a chunk of its own. No overlap.

    "token" cuts windows of the whole text, whatever they cut through: tokens ``size*s - overlap`` up to
    ``size*(s+1) + overlap``, as the released AtomMem code does with 4000 and 100 (which reads 40 windows at most;
    here all are read). Counted again by itself, a window may differ from its share of the whole by a few tokens.

    Raises:
        ValueError: ``size`` below 1, ``overlap`` below 0 or above ``size``, an overlap with "document".
        UnknownName: another ``cut``.
    """
    validate(size, overlap, cut)
    rendered = _render(documents)
    text = BLANK.join(rendered)
    ends = tokenizer.offsets(text)
    if cut == "token":
        return list(_windows(text, ends, size, overlap))
    return list(_Packer(text, ends, tokenizer, size).pack(rendered))


def cut_text(text: str, tokenizer: Tokenizer, size: int) -> list[str]:
    """Cut one text into pieces of at most ``size`` tokens, as "document" cuts a long document; joined they are it."""
    ends = tokenizer.offsets(text)
    return list(_Packer(text, ends, tokenizer, size).pack([text])) if text else []


def validate(size: int, overlap: int, cut: str) -> None:
    """Raise what ``chunk`` would raise for these options, before there are documents."""
    if cut not in CUTS:
        raise unknown("cut", cut, CUTS)
    if size < 1:
        raise ValueError(f"Chunks of size={size} tokens hold nothing: size must be 1 or more.")
    if not 0 <= overlap <= size:
        raise ValueError(f"overlap={overlap} must lie between 0 and the size of a chunk, {size} tokens.")
    if overlap and cut == "document":
        raise ValueError(f'overlap={overlap} needs cut="token": chunks that end with a document share nothing.')


def _render(documents: Sequence[Document]) -> list[str]:
    return [f"Document {number}:\n{document.render()}" for number, document in enumerate(documents, 1)]


def _windows(text: str, ends: Sequence[int], size: int, overlap: int) -> Iterator[str]:
    edges = [0, *ends]
    for begin in range(0, len(ends), size):
        window = text[edges[max(0, begin - overlap)] : edges[min(len(ends), begin + size + overlap)]]
        if window:  # a few tokens can end within one character
            yield window


class _Packer:
    """Cuts one text greedily: the token ends of the whole text say where to try, a count of the piece decides."""

    def __init__(self, text: str, ends: Sequence[int], tokenizer: Tokenizer, size: int) -> None:
        self.text, self.ends, self.tokenizer, self.size = text, ends, tokenizer, size

    def pack(self, rendered: Sequence[str]) -> Iterator[str]:
        starts, stops = _bounds(rendered)
        at, begin = 0, 0
        while at < len(stops):
            stop = self._longest(begin, stops, at) or self._inside(begin, stops[at])
            yield self.text[begin:stop]
            at, begin = bisect_right(stops, stop), stop
            if 0 < at < len(starts) and stop == stops[at - 1]:
                begin = starts[at]

    def _longest(self, begin: int, stops: Sequence[int], at: int = 0) -> int | None:
        """Return the last of the ascending ``stops[at:]`` up to which a piece fits; None for none."""
        limit = self.size + _SLACK
        while limit > 0:
            last = bisect_right(stops, self._reach(begin, limit))
            if last <= at:
                return None
            excess = self.tokenizer.count(self.text[begin : stops[last - 1]]) - self.size
            if excess <= 0:
                return stops[last - 1]
            limit = min(limit, self._share(begin, stops[last - 1])) - excess  # several tokens can end at one offset
        return None

    def _inside(self, begin: int, end: int) -> int:
        """Return where to cut a document that is too long, or is only just not."""
        if self._share(begin, end) <= 2 * self.size and self.tokenizer.count(self.text[begin:end]) <= self.size:
            return end
        reach = min(end, self._reach(begin, self.size + _SLACK))
        window = self.text[begin:reach]
        for boundary in (_SENTENCE, _WORD):
            stop = self._longest(begin, [begin + match.end() for match in boundary.finditer(window)])
            if stop is not None and 2 * self._share(begin, stop) >= self.size:
                return stop
        tokens = self.ends[bisect_right(self.ends, begin) : bisect_right(self.ends, reach)]
        return self._longest(begin, tokens) or begin + 1

    def _reach(self, begin: int, limit: int) -> int:
        """Return the offset at which ``limit`` tokens of the whole text after ``begin`` end."""
        return self.ends[min(bisect_right(self.ends, begin) + limit, len(self.ends)) - 1]

    def _share(self, begin: int, end: int) -> int:
        """Return how many tokens of the whole text end in a piece."""
        return bisect_right(self.ends, end) - bisect_right(self.ends, begin)


def _bounds(rendered: Sequence[str]) -> tuple[list[int], list[int]]:
    starts, stops, position = [], [], 0
    for one in rendered:
        starts.append(position)
        stops.append(position + len(one))
        position += len(one) + len(BLANK)
    return starts, stops
