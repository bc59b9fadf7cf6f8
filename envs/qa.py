"""Long-context question answering as AtomMem and MemAgent set it up: a benchmark's own file adds only its records.

Rules from the released AtomMem code (arXiv 2601.08323): the documents of a group of questions are hidden among others
of the same split, shuffled, numbered, read in chunks of 4000 tokens; half of the groups have one question, the others
two to ten; a group is consecutive records; the reward is the mean score of its questions.

Deviations from that code, all on purpose:
- It shuffles with one fixed seed, so needed documents always sit at the same numbers; here each episode has its own.
- It scores an answer against the accepted answers of every question of the group, and every boxed text of an episode,
  so swapped or repeated answers score and rewards pass 1; here answer i is scored once, against question i.
- Documents that two questions share are in its haystack twice; here once, and others are drawn in their place.
- It has one accepted answer a question and leaves out MuSiQue's aliases; here all that a record has are used.
- Its groups run past the end of a file that is too short; here that is an error, as is a haystack too small for its
  questions. In a schedule the last group of a pass over the file may be smaller.
- Distractors are drawn in forked workers there, and depend on their number; here on the episode's generator alone.
- It reads at most 40 chunks and cuts out the middle of longer texts; here everything is read.
- ``cut="document"`` keeps documents whole; ``cut="token", overlap=100`` are its windows. ``reward="em"`` is SQuAD's
  exact match; ``"em_math"`` is its own comparison.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from numpy.random import Generator

from memgym.registry import unknown
from memgym.task import Benchmark, Document, Sample, Task
from memgym.tokens import make_tokenizer

from .chunks import chunk, validate
from .haystack import build
from .reading import ReadingTask, load_metric
from .stock import Stock, shared_stock

ATOMMEM = "atommem"
OPTIONS = (
    "documents", "questions", "split", "data", "corpus", "chunk_tokens", "overlap", "cut", "reward", "tokenizer"
)  # fmt: skip


class LongContextQA(Benchmark):
    """Questions over a haystack of documents that is read in chunks.

    A subclass gives ``records`` and, if it likes, ``distractors``. If these return the same objects for all instances
    over the same files, so do all instances share one copy of what is built on them.

    Args:
        documents: How many documents an episode shows.
        questions: How many questions a sample has: a number, the (least, most) of a uniform choice, or "atommem"
            (1 in half of the samples, else uniformly 2 to 10).
        split: "validation" or "train", as the benchmark defines them.
        data: A file or folder with the benchmark's data.
        corpus: A file (or several) with further documents to hide among.
        chunk_tokens: The size of a chunk, in tokens of ``tokenizer``.
        overlap: Tokens by which a chunk shows its neighbours' text on each side; needs ``cut="token"``.
        cut: "document" (whole documents) or "token" (windows of equal length), see ``chunks.chunk``.
        reward: A metric by name: "em", "em_math" or "f1".
        tokenizer: "cl100k" or "huggingface:PATH".

    Raises:
        ValueError: An option out of range, at once; data that is too small for the options, at first use.
        UnknownName: A cut, reward or tokenizer that does not exist.
    """

    def __init__(
        self,
        *,
        documents: int = 200,
        questions: int | Sequence[int] | str = 1,
        split: str = "validation",
        data: str | None = None,
        corpus: str | Sequence[str] | None = None,
        chunk_tokens: int = 4000,
        overlap: int = 0,
        cut: str = "document",
        reward: str = "em",
        tokenizer: str = "cl100k",
    ) -> None:
        if documents < 1:
            raise ValueError(f"documents={documents}: a haystack has at least one document.")
        validate(chunk_tokens, overlap, cut)
        load_metric(reward)
        self._limits, self._tokenizer = _limits(questions), make_tokenizer(tokenizer)
        self.documents, self.questions = documents, questions
        self.split, self.data, self.corpus = split, data, corpus
        self.chunk_tokens, self.overlap, self.cut = chunk_tokens, overlap, cut
        self.reward, self.tokenizer = reward, tokenizer

    @abstractmethod
    def records(self) -> Sequence[Sample]:
        """Return the samples of the split in file order: one question each, unique ids without "+"."""

    def distractors(self) -> Sequence[Document]:
        """Return documents that belong to no record; none by default."""
        return ()

    def draw(self, rng: Generator) -> Sample:
        """Return a record, or a group of consecutive ones from a random start."""
        size = self._size(rng)
        start = int(rng.integers(len(self._stock.records) - size + 1))
        return self._stock.group(range(start, start + size))

    def sample(self, id: str) -> Sample:
        return self._stock.sample(id)

    def schedule(self, rng: Generator, count: int) -> Sequence[str]:
        """Return ``count`` ids. Each pass over the file cuts it into groups anew and shuffles them.

        A pass shows each record once, but for fewer than the least group size at the two ends of the file.
        """
        ids: list[str] = []
        while len(ids) < count:
            groups = list(self._groups(rng))
            ids += [self._stock.group(groups[at]).id for at in rng.permutation(len(groups))[: count - len(ids)]]
        return ids

    def task(self, sample: Sample, rng: Generator) -> Task:
        """Start one run: a fresh haystack in a fresh order."""
        haystack = build(sample.documents, self._stock.pool, self.documents, rng)
        chunks = chunk(haystack, self._tokenizer, size=self.chunk_tokens, overlap=self.overlap, cut=self.cut)
        return ReadingTask(sample.questions, chunks, reward=self.reward)

    def describe(self) -> dict[str, Any]:
        """Return every option, the number of records and of documents to draw from, and a checksum of both."""
        options = {name: _json(getattr(self, name)) for name in OPTIONS}
        stock = self._stock
        counts = {"records": len(stock.records), "pool": len(stock.pool)}
        return {**super().describe(), **options, **counts, "checksum": f"sha256:{stock.checksum}"}

    def __getstate__(self) -> dict[str, Any]:
        """Leave the data out of pickles and copies: it is found again, once per process, when it is used."""
        return {
            name: value
            for name, value in self.__dict__.items()
            if not isinstance(getattr(type(self), name, None), cached_property)
        }

    @cached_property
    def _stock(self) -> Stock:
        stock, most = shared_stock(self.records(), self.distractors()), self._limits[1]
        if most > len(stock.records):
            raise ValueError(f"questions={self.questions!r} needs {most} records; the data has {len(stock.records)}.")
        own = stock.most_documents(most)
        if own > self.documents:
            raise ValueError(
                f"With questions={self.questions!r} a sample can bring {own} documents of its own, more than "
                f"documents={self.documents}: ask for documents={own} or more, or for fewer questions."
            )
        return stock

    def _size(self, rng: Generator) -> int:
        if self.questions == ATOMMEM:
            return 1 if rng.random() < 0.5 else int(rng.integers(2, 11))
        least, most = self._limits
        return int(rng.integers(least, most + 1))

    def _groups(self, rng: Generator) -> Iterator[range]:
        least, total = self._limits[0], len(self._stock.records)
        start = int(rng.integers(total % least + 1))
        while total - start >= least:
            size = min(self._size(rng), total - start)
            yield range(start, start + size)
            start += size


def _limits(questions: object) -> tuple[int, int]:
    """Return the least and the greatest number of questions of a sample."""
    if isinstance(questions, str):
        if questions != ATOMMEM:
            raise unknown("distribution of questions", questions, [ATOMMEM], "A number or a pair of numbers does too.")
        return 1, 10
    pair: list[Any] = list(questions) if isinstance(questions, Sequence) else [questions, questions]
    if len(pair) != 2 or not all(type(one) is int for one in pair) or not 1 <= pair[0] <= pair[1]:
        raise ValueError(f'questions={questions!r}: expected a number from 1, a pair such as (1, 10), or "{ATOMMEM}".')
    return int(pair[0]), int(pair[1])


def _json(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value
