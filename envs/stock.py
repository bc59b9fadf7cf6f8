"""What a long-context benchmark takes its samples and haystacks from: records, their index, the pool of documents.

Separate from the benchmark, because one process has many environments with other options over the same records.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain
from threading import Lock
from weakref import WeakValueDictionary

from memgym.registry import unknown
from memgym.task import Document, Sample

from .haystack import distinct

JOIN = "+"


class Stock:
    """Records of one question each, in a fixed order, and every document of theirs and of the corpus, once."""

    def __init__(self, records: Sequence[Sample], passages: Sequence[Document]) -> None:
        _check(records)
        self.records, self.passages = records, passages
        self.positions = {record.id: position for position, record in enumerate(records)}
        self.pool = distinct(chain(chain.from_iterable(record.documents for record in records), passages))

    def group(self, positions: range | Sequence[int]) -> Sample:
        """Return the records at these positions as one sample: ids joined by "+", a shared document once."""
        members = [self.records[position] for position in positions]
        if len(members) == 1:
            return members[0]
        return Sample(
            id=JOIN.join(member.id for member in members),
            questions=tuple(chain.from_iterable(member.questions for member in members)),
            documents=tuple(distinct(chain.from_iterable(member.documents for member in members))),
        )

    def sample(self, id: str) -> Sample:
        """Return a record, or the group that a joined id stands for; an unknown id is an UnknownName error."""
        for part in id.split(JOIN):
            if part not in self.positions:
                raise unknown("sample", part, self.positions)
        return self.group([self.positions[part] for part in id.split(JOIN)])

    def most_documents(self, questions: int) -> int:
        """Return how many documents ``questions`` consecutive records have at most, shared ones counted twice."""
        sizes = [len(record.documents) for record in self.records]
        total = most = sum(sizes[:questions])
        for gone, come in zip(sizes, sizes[questions:], strict=False):
            total += come - gone
            most = max(most, total)
        return most

    @cached_property
    def checksum(self) -> str:
        """SHA-256 over all records and passages, in order: two stocks with one checksum make the same episodes."""
        digest = hashlib.sha256()
        for text in self._texts():
            data = text.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "big") + data)
        return digest.hexdigest()

    def _texts(self) -> Iterator[str]:
        for record in self.records:
            yield record.id
            for question in record.questions:
                yield question.text
                yield from (str(len(question.answers)), *question.answers)
            yield str(len(record.documents))
            yield from (document.render() for document in record.documents)
        yield from (passage.render() for passage in self.passages)


_stocks: WeakValueDictionary[tuple[int, int], Stock] = WeakValueDictionary()
_lock = Lock()


def shared_stock(records: Sequence[Sample], passages: Sequence[Document]) -> Stock:
    """Return the one Stock of these very objects: benchmarks that share their records share all that is made of them.

    It lives as long as one of them holds it, and holds both sequences, so that no other can have their identity.
    """
    key = (id(records), id(passages))
    with _lock:
        stock = _stocks.get(key)
        if stock is None:
            stock = _stocks[key] = Stock(records, passages)
        return stock


def _check(records: Sequence[Sample]) -> None:
    if not records:
        raise ValueError("A benchmark needs at least one record; this split has none.")
    for record in records:
        if len(record.questions) != 1:
            raise ValueError(f"The record {record.id!r} has {len(record.questions)} questions; records have one each.")
        if JOIN in record.id:
            raise ValueError(f"The record id {record.id!r} holds {JOIN!r}, which joins the ids of a group.")
    id, times = Counter(record.id for record in records).most_common(1)[0]
    if times > 1:
        raise ValueError(f"The id {id!r} stands for {times} records; ids must be unique.")
