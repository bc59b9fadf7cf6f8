"""A fixed list of samples to draw from, by chance, by id or in a seeded order.

Separate from Stock, which makes samples of several records and a pool of documents; a conversation is one sample.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from numpy.random import Generator

from memgym.registry import unknown
from memgym.task import Sample


class Shelf:
    """Samples in a fixed order, none twice. An empty list is a ValueError that says ``why``."""

    def __init__(self, samples: Sequence[Sample], why: str) -> None:
        if not samples:
            raise ValueError(why)
        self.samples = tuple(samples)
        self._by_id = {sample.id: sample for sample in samples}

    def draw(self, rng: Generator) -> Sample:
        return self.samples[int(rng.integers(len(self.samples)))]

    def sample(self, id: str) -> Sample:
        """Return the sample of this id; an unknown id is an UnknownName error with the nearest ones."""
        if id not in self._by_id:
            raise unknown("sample", id, self._by_id)
        return self._by_id[id]

    def schedule(self, rng: Generator, count: int) -> list[str]:
        """Return ``count`` ids; each pass shows every sample once, in an order of its own."""
        ids: list[str] = []
        while len(ids) < count:
            ids += [self.samples[at].id for at in rng.permutation(len(self.samples))[: count - len(ids)]]
        return ids

    @property
    def questions(self) -> int:
        return sum(len(sample.questions) for sample in self.samples)

    def checksum(self) -> str:
        """SHA-256 over all that is read and asked: two shelves with one checksum give the same episodes."""
        digest = hashlib.sha256()
        for sample in self.samples:
            asked = [[one.text, one.category, *one.answers] for one in sample.questions]
            read = [document.render() for document in sample.documents]
            digest.update(json.dumps([sample.id, asked, read]).encode())
        return f"sha256:{digest.hexdigest()}"
