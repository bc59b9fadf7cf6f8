"""Texts within a budget: cut to a number of tokens, cut into parts, or the newest of many that fit together.

Separate from the systems, because a budget that a model is only asked to keep is no budget.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memgym.registry import unknown
from memgym.tokens import Tokenizer, make_tokenizer

OVERFLOW = ("cut", "refuse")


def tokenizer() -> Tokenizer:
    """Return the tokenizer that budgets are counted with: cl100k, as the environment counts."""
    return make_tokenizer("cl100k")


def cut(text: str, tokens: int) -> str:
    """Return the beginning of a text, at most ``tokens`` tokens of it, without white space at its end."""
    count = tokenizer().count
    if count(text) <= tokens:
        return text
    first = next(parts(text, tokens)).rstrip()
    return first if count(first) <= tokens else ""


def parts(text: str, tokens: int) -> Iterator[str]:
    """Yield a text in pieces of at most ``tokens`` tokens each; together they are the text."""
    count, offsets = tokenizer().count, tokenizer().offsets
    while count(text) > tokens:
        ends = offsets(text)
        size = tokens
        # A piece can have more tokens than the whole had at that place, where the border falls into a word.
        while size > 1 and (count(text[: ends[size - 1]]) > tokens or not ends[size - 1]):
            size -= 1
        end = max(ends[size - 1], 1)
        yield text[:end]
        text = text[end:]
    if text:
        yield text


def newest(texts: Sequence[str], tokens: int) -> list[str]:
    """Return the last texts that fit into ``tokens`` tokens together, whole ones, in their order."""
    kept: list[str] = []
    for text in reversed(texts):
        tokens -= tokenizer().count(text)
        if tokens < 0:
            break
        kept.append(text)
    return kept[::-1]


class Overwritten:
    """A text that is written anew again and again and never has more than ``limit`` tokens.

    ``overflow`` says what happens to a longer one: "cut" keeps its beginning, "refuse" keeps the old text.
    ``overflows`` counts them.
    """

    def __init__(self, limit: int, overflow: str = "cut") -> None:
        if limit < 1:
            raise ValueError(f"limit is {limit}; at least 1 was expected.")
        if overflow not in OVERFLOW:
            raise unknown("overflow", overflow, OVERFLOW)
        self.limit, self.overflow = limit, overflow
        self.overflows = 0

    def fit(self, new: str, old: str) -> str:
        """Return what is kept of a new text that would replace the old one."""
        if tokenizer().count(new) <= self.limit:
            return new
        self.overflows += 1
        return cut(old if self.overflow == "refuse" else new, self.limit)
