"""The benchmark "Synthetic": an endless supply of small invented worlds, written down as documents with questions.

It needs no download and is never a stand-in for a real data set: it is named as synthetic wherever it appears.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, ClassVar

from numpy.random import Generator

from memgym.task import Sample, Task
from memgym.tokens import make_tokenizer

from ..chunks import chunk
from ..chunks import validate as validate_cutting
from ..numbered import Numbered
from ..reading import ReadingTask, load_metric
from .generation import VERSION, generate
from .options import Span, recipe
from .stream import shuffled


class Synthetic(Numbered):
    """Samples of the synthetic world, by number: an id such as "train-0000123" always stands for the same sample.

    Args:
        documents: How many documents a sample has, exactly; 12 to 10,000.
        questions: A number, (low, high), or "atommem" (one with probability 0.5, else 2 to 10).
        hops: How many facts a question needs; 1 to 4, a number or (low, high).
        kinds: Some of "bridge", "comparison", "yesno", drawn alike.
        conflicts: The share of facts open to revision that a later statement revises. At 0.4, 27 % of the questions
            need a revised fact (800 samples): a memory that never updates is seen to fail, and one that never looks at
            dates is not lost.
        revisions: "dated": these facts carry dates, and the latest one is true in any order of the documents.
            "undated": the same world and questions without a date; what is said later in the stream is true, and no
            document that revises a fact is read before what it revises.
        similarity: How often a name borrows a word of another, and half as often a filler sentence names another.
        split: "train", "validation" or "test"; no two of them share a fact, or a name that is a part of one.
        scripts: In which scripts names are written: "latin", "cyrillic", "greek", "han", "thai", "arabic".
        chunk_tokens: Tokens of a chunk, by ``tokenizer``; ``overlap`` and ``cut`` as in ``chunk``.
        reward: The metric of an answer: "em", "em_math" or "f1".
    """

    name: ClassVar[str] = "Synthetic"
    synthetic: ClassVar[bool] = True

    def __init__(
        self,
        *,
        documents: int = 200,
        questions: Span | str = 1,
        hops: Span = (2, 4),
        kinds: str | Sequence[str] = ("bridge", "comparison", "yesno"),
        conflicts: float = 0.4,
        revisions: str = "dated",
        similarity: float = 0.5,
        split: str = "validation",
        scripts: str | Sequence[str] = "latin",
        chunk_tokens: int = 4000,
        overlap: int = 0,
        cut: str = "document",
        reward: str = "em",
        tokenizer: str = "cl100k",
    ) -> None:
        self._recipe = recipe(
            documents=documents, questions=questions, hops=hops, kinds=kinds,
            conflicts=conflicts, similarity=similarity, scripts=scripts, split=split,
            revisions=revisions,
        )  # fmt: skip
        load_metric(reward)
        validate_cutting(chunk_tokens, overlap, cut)
        self._size, self._overlap, self._cut = chunk_tokens, overlap, cut
        self._reward, self._tokenizer = reward, make_tokenizer(tokenizer)
        self._sample = lru_cache(maxsize=16)(lambda number: generate(self._recipe, number))

    @property
    def split(self) -> str:
        return self._recipe.split

    def made(self, number: int) -> Sample:
        return self._sample(number)

    def like(self, id: str) -> str:
        digits = re.findall("[0-9]+", id)
        return f"{self.split}-{int(digits[0][-7:]) if digits else 0:07d}"

    def task(self, sample: Sample, rng: Generator) -> Task:
        """Start one run: the documents in an order of its own, cut into chunks."""
        order = shuffled(len(sample.documents), sample.data.get("before", ()), rng)
        documents = [sample.documents[at] for at in order]
        chunks = chunk(documents, self._tokenizer, size=self._size, overlap=self._overlap, cut=self._cut)
        return ReadingTask(sample.questions, chunks, reward=self._reward)

    def describe(self) -> dict[str, Any]:
        """Return what determines a sample, next to its id: every option, and the version of the generator."""
        made = {name: getattr(self._recipe, name) for name in self._recipe.__slots__}
        options = {name: list(value) if isinstance(value, tuple) else value for name, value in made.items()}
        reading = {
            "chunk_tokens": self._size,
            "overlap": self._overlap,
            "cut": self._cut,
            "tokenizer": self._tokenizer.name,
            "reward": self._reward,
        }
        return {"benchmark": self.name, "synthetic": True, "version": VERSION, "options": {**options, **reading}}
