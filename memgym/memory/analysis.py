"""From text to what the lexical indexes count: stemmed terms and character n-grams.

Separate from the indexes because it is pure: forked memories index the same texts again, and a cache makes that cheap.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from threading import Lock

import numpy as np
import Stemmer  # type: ignore[import-not-found]
from numpy.typing import NDArray

CACHED_FEATURES = 4_000_000
"""Features (12 bytes each) that each of the two caches holds, over all texts."""

LONGEST_REMEMBERED = 32
"""Longer words (a sentence of Chinese is one) are not kept: they seldom come again."""

_STOP_WORDS = (
    "a an the this that these those and or but nor if then than so as of at by for from in into on onto to with "
    "about i me my mine we us our ours you your yours he him his she her hers it its they them their theirs "
    "what which who whom whose when where why how am is are was were be been being do does did doing done "
    "have has had having can could will would shall should may might must not no there here "
    "s t d m ll re ve"
)
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Words without content, and what is left of "don't", "she's" and "we'll" once the apostrophe separates."""

_UNSPACED = (
    "\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
    "\u1100-\u11ff\u3130-\u318f\uac00-\ud7ff"
    "\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f\u1780-\u17ff"
)
"""Han, kana, bopomofo and Hangul; Thai, Lao, Burmese and Khmer: scripts whose words no space separates or delimits."""

_RUNS = re.compile(f"([{_UNSPACED}]+)")


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """The distinct features of a text: 64-bit ids in ascending order, and how often each occurs."""

    ids: NDArray[np.uint64]
    counts: NDArray[np.float32]

    @property
    def total(self) -> int:
        """How many features the text has, repetitions included."""
        return int(self.counts.sum(dtype=np.float64))


def fold(text: str) -> str:
    """Return the text as compared: NFKC and case-folded (NFKC_Casefold of Unicode, less its ignorable characters)."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def terms(text: str) -> tuple[str, ...]:
    """Return the terms of a text in order: stems of its words without English stop words, bigrams of unspaced scripts.

    A word is a run of letters, digits and combining marks, stemmed by English Snowball (which leaves other scripts
    alone). A run of an unspaced script gives its character bigrams, or the character if it is alone.
    """
    return tuple(chain.from_iterable(map(_word, _words(text))))


def term_features(text: str) -> Features:
    """Return the counted terms of a text; cached."""
    return _terms_cache.get(text)


def ngram_features(text: str) -> Features:
    """Return the counted 3- to 5-grams of characters within words, cached.

    The words are those that white space separates, with one space on each side (``char_wb`` of scikit-learn), so
    punctuation and emoji can be found too.
    """
    return _ngrams_cache.get(text)


class _Kinds(dict[int, str | None]):
    """For ``str.translate``: word characters stay, format characters vanish, everything else becomes a space."""

    def __missing__(self, code: int) -> str | None:
        character = chr(code)
        kind = unicodedata.category(character)
        kept: str | None = character if kind[0] in "LNM" else " "
        if kind == "Cf" and code != 0x200B:
            kept = None
        self[code] = kept
        return kept


_KINDS = _Kinds()


def _words(text: str) -> list[str]:
    return fold(text).translate(_KINDS).split()


def _word(word: str) -> tuple[str, ...]:
    """Return the terms of one word."""
    if word.isascii():
        return _parts(word)
    return tuple(part for run in _RUNS.split(word) if run for part in _parts(run))


def _word_ids(word: str) -> tuple[int, ...]:
    return _remembered_ids(word) if len(word) <= LONGEST_REMEMBERED else tuple(map(_id, _word(word)))


@lru_cache(maxsize=1 << 15)
def _remembered_ids(word: str) -> tuple[int, ...]:
    return tuple(map(_id, _word(word)))


def _parts(run: str) -> tuple[str, ...]:
    if not _RUNS.match(run):
        return () if run in STOP_WORDS else (_stem(run),)
    return tuple(run[at : at + 2] for at in range(max(1, len(run) - 1)))


def _stem(word: str) -> str:
    # A stemmer must not be shared by threads; making one costs less than stemming a word.
    return str(Stemmer.Stemmer("english", 0).stemWord(word))


def _id(term: str) -> int:
    return int.from_bytes(blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def _count_terms(text: str) -> Features:
    counts = Counter(chain.from_iterable(map(_word_ids, _words(text))))
    ids = sorted(counts)
    return Features(np.array(ids, np.uint64), np.array([counts[id] for id in ids], np.float32))


_BASE = np.uint64(0x9E3779B97F4A7C15)


def _count_ngrams(text: str) -> Features:
    words = fold(text).split()
    padded = f" {' '.join(words)} " if words else ""
    codes = np.frombuffer(padded.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.uint64)
    ids, counts = np.unique(_ngram_ids(codes), return_counts=True)
    return Features(ids, counts.astype(np.float32))


def _ngram_ids(codes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return polynomial hashes (mod 2^64) of all 3- to 5-grams that have no space inside, only at an end."""
    if len(codes) < 3:
        return np.empty(0, np.uint64)
    solid = codes != 32
    hashes = (codes[:-1] + _BASE) * _BASE + codes[1:]
    inside = np.ones(len(codes) - 1, dtype=bool)
    found = []
    for size in (3, 4, 5):
        if len(codes) < size:
            break
        hashes = hashes[:-1] * _BASE + codes[size - 1 :]
        inside = inside[:-1] & solid[size - 2 : -1]
        found.append(hashes[inside])
    return np.concatenate(found)


class FeatureCache:
    """The most recently used texts' features, bounded by the number of features, since texts differ a thousandfold."""

    def __init__(self, count: Callable[[str], Features], limit: int) -> None:
        self._count, self._limit = count, limit
        self._kept: OrderedDict[str, Features] = OrderedDict()
        self._size = 0
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, text: str) -> Features:
        """Return the features of a text, counted now or before."""
        with self._lock:
            features = self._kept.get(text)
            if features is not None:
                self._kept.move_to_end(text)
                return features
        features = self._count(text)
        with self._lock:
            self._keep(text, features)
        return features

    def _keep(self, text: str, features: Features) -> None:
        if text not in self._kept:
            self._size += self._weight(text, features)
        self._kept[text] = features
        while self._size > self._limit:
            self._size -= self._weight(*self._kept.popitem(last=False))

    @staticmethod
    def _weight(text: str, features: Features) -> int:
        return 16 + len(text) // 8 + len(features.ids)


_terms_cache = FeatureCache(_count_terms, CACHED_FEATURES)
_ngrams_cache = FeatureCache(_count_ngrams, CACHED_FEATURES)
