"""What a policy sees of a decision: numbers in [0, 1] made from words that sentence, question and memory share.

Apart from the view, because these features are hand-made and set the limit of what can be learned: wherever a score of
such a policy is shown, they are named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from memgym.memory.analysis import fold, term_features, terms
from memgym.memory.entry import Entry

FEATURES = {
    "place": "where the sentence stands in its chunk: 0 for the first one, near 1 for the last",
    "last": "1 if it is the last sentence of its chunk",
    "read": "n / (n + 12) for n sentences read before it in this episode",
    "used": "the share of slots that hold an entry",
    "full": "1 if no slot is free",
    "asked": "the share of the question's names that stand in the sentence",
    "known": "the share of the sentence's names that stand in any entry",
    "names": "the number of names in the sentence, divided by 8; at most 1",
    "held": "1 if an entry has the same words",
}
"""The features of a sentence. A name is a word, compared by its stem, that is not in the lexicon."""

SLOT_FEATURES = {
    "used": "1 if the slot holds an entry",
    "same opening": "1 if sentence and entry begin with the same word: a record of the same subject",
    "shared": "the share of the sentence's names that stand in the entry",
    "asked": "the share of the question's names that stand in the entry",
    "alike": "lexicon words of both sentence and entry, divided by those of either",
}
"""The features of each slot, all 0 where it is free. Slot 0 is the entry that shares most names with the sentence."""


@dataclass(frozen=True, slots=True)
class _Words:
    """A text as sets of word ids: those of the lexicon, the others, the first one (0: none); ``bag`` by lexicon."""

    common: frozenset[int]
    names: frozenset[int]
    opening: int
    bag: NDArray[np.float32] = field(compare=False)


class Features:
    """Turns a decision into one vector: the sentence's features, one a lexicon word, then those of each slot.

    ``lexicon`` are the words that are told apart (1 if the sentence has a word of the same stem). ``labels`` names
    every number of the vector; all of them lie in [0, 1].
    """

    def __init__(self, slots: int, lexicon: Sequence[str]) -> None:
        self.slots, self.lexicon = slots, tuple(lexicon)
        self.labels = (
            *FEATURES,
            *(f"word {word}" for word in self.lexicon),
            *(f"slot {slot} {name}" for slot in range(slots) for name in SLOT_FEATURES),
        )
        self._ids = [_first(word) for word in self.lexicon]
        self._common = frozenset(self._ids)
        self._start, self._end = len(FEATURES), len(FEATURES) + len(self.lexicon)
        self._words = lru_cache(maxsize=4096)(self._split)

    def __len__(self) -> int:
        return len(self.labels)

    def of(
        self, sentence: str, question: str, entries: Sequence[str], *, at: int, count: int, read: int
    ) -> NDArray[np.float32]:
        """Return the vector of sentence ``at`` of the ``count`` of a chunk, after ``read`` others in this episode."""
        said, asked = self._words(sentence), self._words(question).names
        held = [self._words(entry) for entry in entries[: self.slots]]
        everything = frozenset[int]().union(*(one.names for one in held))
        used = len(held)
        numbers: list[float] = []
        for one in held:
            numbers += (
                1.0, one.opening == said.opening, _share(said.names, one.names), _share(asked, one.names),
                _alike(said.common, one.common),
            )  # fmt: skip
        vector = np.zeros(len(self.labels), np.float32)
        vector[: self._start] = (
            at / count, at == count - 1, read / (read + 12), used / self.slots, used == self.slots,
            _share(asked, said.names), _share(said.names, everything), min(1.0, len(said.names) / 8), said in held,
        )  # fmt: skip
        vector[self._start : self._end] = said.bag
        vector[self._end : self._end + len(numbers)] = numbers
        return vector

    def nearest(self, sentence: str, entries: Sequence[Entry]) -> list[Entry]:
        """Return the entries by how many names they share with the sentence, most first; equal ones as they were."""
        names = self._words(sentence).names
        return sorted(entries, key=lambda entry: -len(names & self._words(entry.text).names))

    def _split(self, text: str) -> _Words:
        ids = frozenset(term_features(text).ids.tolist())
        head = text.split(maxsplit=1)
        opening = term_features(head[0]).ids.tolist() if head else []
        bag = np.array([id in ids for id in self._ids], np.float32)
        return _Words(ids & self._common, ids - self._common, int(opening[0]) if opening else 0, bag)


def lexicon_of(texts: Iterable[str], size: int) -> tuple[str, ...]:
    """Return the ``size`` words that stand in most of the texts, one a stem; of equal ones the first in the alphabet.

    Made from the training split, it holds the words of a world's language and none of its names, which differ from
    sample to sample.
    """
    counts: Counter[str] = Counter()
    written: dict[str, str] = {}
    for text in texts:
        found = {stem: word for word in fold(text).split() for stem in terms(word)}
        counts.update(found.keys())
        for stem, word in found.items():
            written[stem] = min(written.get(stem, word), word)
    chosen = sorted(counts, key=lambda stem: (-counts[stem], stem))[:size]
    return tuple(sorted(dict.fromkeys(_bare(written[stem], stem) for stem in chosen)))


def _bare(word: str, stem: str) -> str:
    """Return a word without the marks around it, or its stem where the two are not told apart alike."""
    bare = "".join(one for one in word if one.isalnum())
    return bare if terms(bare) == (stem,) else stem


def _first(word: str) -> int:
    ids = term_features(word).ids.tolist()
    if not ids:
        raise ValueError(f"{word!r} is no word that can be told apart: it is a mark or a stop word.")
    return int(ids[0])


def _share(wanted: frozenset[int], found: frozenset[int]) -> float:
    return len(wanted & found) / len(wanted) if wanted else 0.0


def _alike(one: frozenset[int], other: frozenset[int]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0
