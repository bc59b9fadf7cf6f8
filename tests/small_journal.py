"""What tests of journals share: a source of writes, an encoder that counts, and short ways to write and read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memgym.memory import Memory, Write
from memgym.memory.encoders import HashingEncoder
from memgym.memory.entry import Hit
from memgym.operations import Operation, Read, Result

SOURCE = Write("episode", 1, "test", 1)


class Counting(HashingEncoder):
    """Counts the texts that it encodes."""

    def __init__(self, dimension: int = 16) -> None:
        super().__init__(dimension)
        self.texts: list[str] = []

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Any:
        self.texts += texts
        return super().encode(texts, query=query)


def do(memory: Memory, *operations: Operation) -> list[Result]:
    return [memory.apply(operation, SOURCE) for operation in operations]


def hits(memory: Memory, query: str) -> list[Hit]:
    return list(memory.read(Read(query, by="dense"), k=9)[1])


def nearest(memory: Memory, query: str) -> list[str]:
    return [hit.entry.id for hit in hits(memory, query)]
