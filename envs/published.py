"""A long-context benchmark over a published data set: where the two meet.

The three benchmarks add only how a record reads.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

from memgym.task import Document, Sample

from .collection import Collection, collect
from .formats import Row
from .qa import LongContextQA
from .sources import Source


class PublishedQA(LongContextQA):
    """A LongContextQA whose records are read from files; nothing is read before the first sample is asked for."""

    source: ClassVar[Source]

    @classmethod
    @abstractmethod
    def parse(cls, row: Row, notes: Counter[str]) -> Sample | None:
        """Read one record; None leaves it out, which ``notes`` counts. Raises BrokenData."""

    @cached_property
    def collection(self) -> Collection:
        """The data set. Raises DataNotFound or BrokenData."""
        return collect(self.source, self.split, self.parse, self.data, self.corpus)

    def records(self) -> Sequence[Sample]:
        return self.collection.samples

    def distractors(self) -> Sequence[Document]:
        return self.collection.passages

    def describe(self) -> dict[str, Any]:
        """Return what identifies the data: options, files with checksums, counts of what was left out."""
        return {**super().describe(), **self.collection.description}
