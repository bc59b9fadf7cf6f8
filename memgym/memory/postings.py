"""An inverted file that entries join and leave one at a time: which entries hold a feature, and with what weight.

Separate from the scores made of it. Entries are collected, sorted into an immutable segment when something is asked,
and small segments are merged into larger ones; so adding needs no work per feature, and forks share the segments.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

GROWTH = 4
"""A segment is merged with the one before it once that is less than this many times larger."""


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Postings sorted by feature; aligned arrays that nobody writes to."""

    ids: NDArray[np.uint64]
    rows: NDArray[np.int32]
    weights: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.ids)

    def only(self, kept: NDArray[np.bool_], row_of: NDArray[np.int32] | None = None) -> Segment:
        """Return the postings of kept rows, renumbered by ``row_of`` if it is given."""
        chosen = kept[self.rows]
        rows = self.rows[chosen]
        return Segment(self.ids[chosen], rows if row_of is None else row_of[rows], self.weights[chosen])


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """The live postings of some features; those of one entry are in the order in which the features were asked.

    ``features`` are positions among the features asked; ``frequencies`` counts the live entries of each of those.
    """

    features: NDArray[np.int64]
    rows: NDArray[np.int32]
    weights: NDArray[np.float32]
    frequencies: NDArray[np.int64]


class Postings:
    """The features of live entries by key. Keys are ints; adding a live key replaces its features."""

    def __init__(self) -> None:
        self.total = 0
        self.row_keys = np.empty(16, np.int64)
        self.row_totals = np.empty(16, np.float64)
        self._alive = np.zeros(16, np.bool_)
        self._used = 0
        self._rows: dict[int, int] = {}
        self._pending: dict[int, tuple[NDArray[np.uint64], NDArray[np.float32]]] = {}
        self._segments: list[Segment] = []

    def __len__(self) -> int:
        return len(self._rows)

    def keys(self) -> list[int]:
        """Return the live keys in ascending order."""
        return sorted(self._rows)

    @property
    def rows(self) -> int:
        """How many rows there are, dead ones included: the length of an array of scores."""
        return self._used

    def add(self, key: int, ids: NDArray[np.uint64], weights: NDArray[np.float32], total: int = 0) -> None:
        """Add an entry's distinct features, ids ascending. ``total`` is summed over the live entries."""
        if key in self._rows:
            self.remove(key)
        if self._used == len(self._alive):
            self._grow()
        row = self._used
        self._used += 1
        self.row_keys[row], self.row_totals[row], self._alive[row] = key, total, True
        self._rows[key] = row
        self._pending[row] = (ids, weights)
        self.total += total

    def remove(self, key: int) -> None:
        """Remove an entry; an unknown key is a KeyError."""
        if key not in self._rows:
            raise KeyError(f"There is no entry {key!r} in this index.")
        row = self._rows.pop(key)
        self._alive[row] = False
        self._pending.pop(row, None)
        self.total -= int(self.row_totals[row])
        if self._used > 2 * len(self._rows) + 64:
            self._compact()

    def match(self, ids: NDArray[np.uint64]) -> Matches:
        """Return the live postings of these distinct features."""
        self._settle()
        if len(self._segments) == 1 and len(self._rows) == self._used:
            part = _gather(self._segments[0], ids)
            return Matches(*part, np.bincount(part[0], minlength=len(ids)))
        parts = [_gather(segment, ids) for segment in self._segments]
        features = np.concatenate([_NOTHING[0], *(part[0] for part in parts)])
        rows = np.concatenate([_NOTHING[1], *(part[1] for part in parts)])
        weights = np.concatenate([_NOTHING[2], *(part[2] for part in parts)])
        if len(self._rows) < self._used:
            live = self._alive[rows]
            features, rows, weights = features[live], rows[live], weights[live]
        return Matches(features, rows, weights, np.bincount(features, minlength=len(ids)))

    def fork(self) -> Postings:
        """Return an independent copy; what is sealed is shared, being immutable."""
        other = Postings()
        other.total, other._used = self.total, self._used
        other.row_keys, other.row_totals = self.row_keys.copy(), self.row_totals.copy()
        other._alive = self._alive.copy()
        other._rows, other._pending = self._rows.copy(), self._pending.copy()
        other._segments = self._segments.copy()
        return other

    def _grow(self) -> None:
        self.row_keys, self.row_totals, self._alive = (
            np.concatenate([one, np.zeros(max(16, len(one)), one.dtype)])
            for one in (self.row_keys, self.row_totals, self._alive)
        )

    def _settle(self) -> None:
        """Seal what is pending, and merge until every segment is much larger than the next."""
        if self._pending:
            self._segments.append(_sealed(self._pending.items()))
            self._pending.clear()
        while len(self._segments) > 1 and len(self._segments[-2]) < GROWTH * len(self._segments[-1]):
            last, before = self._segments.pop(), self._segments.pop()
            self._segments.append(_merged(before.only(self._alive), last.only(self._alive)))

    def _compact(self) -> None:
        """Number the live rows anew, once more than half of all rows are dead."""
        row_of = np.cumsum(self._alive, dtype=np.int32) - np.int32(1)
        self._segments = [segment.only(self._alive, row_of) for segment in self._segments]
        self._pending = {int(row_of[row]): features for row, features in self._pending.items()}
        self._rows = {key: int(row_of[row]) for key, row in self._rows.items()}
        self.row_keys, self.row_totals = self.row_keys[self._alive], self.row_totals[self._alive]
        self._used = len(self._rows)
        self._alive = np.ones(self._used, np.bool_)


def _sealed(pending: Iterable[tuple[int, tuple[NDArray[np.uint64], NDArray[np.float32]]]]) -> Segment:
    rows, features = zip(*pending, strict=True)
    ids = np.concatenate([ids for ids, _ in features])
    weights = np.concatenate([weights for _, weights in features])
    owners = np.repeat(np.array(rows, np.int32), [len(ids) for ids, _ in features])
    if len(rows) == 1:
        return Segment(ids, owners, weights)
    order = np.argsort(ids, kind="stable")
    return Segment(ids[order], owners[order], weights[order])


def _merged(large: Segment, small: Segment) -> Segment:
    places = np.searchsorted(large.ids, small.ids, side="right") + np.arange(len(small))
    old = np.ones(len(large) + len(small), np.bool_)
    old[places] = False
    merged = Segment(np.empty(len(old), np.uint64), np.empty(len(old), np.int32), np.empty(len(old), np.float32))
    for into, one, two in (
        (merged.ids, large.ids, small.ids),
        (merged.rows, large.rows, small.rows),
        (merged.weights, large.weights, small.weights),
    ):
        into[old] = one
        into[places] = two
    return merged


Part = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]
_NOTHING: Part = (np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.float32))


def _gather(segment: Segment, ids: NDArray[np.uint64]) -> Part:
    starts = np.searchsorted(segment.ids, ids, side="left")
    stops = np.searchsorted(segment.ids, ids, side="right")
    counts = stops - starts
    features = np.repeat(np.arange(len(ids)), counts)
    if len(ids) <= 64:
        pieces = [
            slice(start, stop) for start, stop in zip(starts.tolist(), stops.tolist(), strict=True) if start < stop
        ]
        rows = np.concatenate([_NOTHING[1], *(segment.rows[piece] for piece in pieces)])
        return features, rows, np.concatenate([_NOTHING[2], *(segment.weights[piece] for piece in pieces)])
    ends = np.cumsum(counts)
    at = np.arange(len(features)) + np.repeat(starts - (ends - counts), counts)
    return features, segment.rows.take(at), segment.weights.take(at)
