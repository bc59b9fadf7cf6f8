"""The vectors of a journal's entries: a few hundred in one row of the file, because a row for each is slow to open.

Separate from the entries, which change more often. A chunk is never written to; each has a greater number than those
before it, and an entry's ``since`` is the number of the last chunk when its text last changed: a vector counts if its
chunk came later. So a chunk needs no change when an entry is changed or deleted, in the same transaction or in none.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

TABLE = """
CREATE TABLE IF NOT EXISTS vectors
    (id INTEGER PRIMARY KEY, store INTEGER NOT NULL, keys BLOB NOT NULL, rows BLOB NOT NULL);
"""
ROWS = 256
"""Vectors in a full chunk."""

SMALL = 64
"""Chunks less than half full that may be there before they are joined."""

Keys = NDArray[np.int64]
Vectors = NDArray[np.float32]


class Chunks:
    """The table of chunks of all stores; ``last`` is the number of the last one."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._db = database
        self.last = 0

    def add(self, store: int, keys: Sequence[int], vectors: Vectors) -> None:
        """Write vectors [n, dimension] of entries; the caller says where the transaction begins and ends."""
        numbers = np.asarray(keys, "<i8")
        rows = np.ascontiguousarray(vectors, "<f4")
        for at in range(0, len(numbers), ROWS):
            self.last += 1
            part = slice(at, at + ROWS)
            values = (self.last, store, numbers[part].tobytes(), rows[part].tobytes())
            self._db.execute("INSERT INTO vectors VALUES (?, ?, ?, ?)", values)

    def clear(self) -> None:
        """Forget all vectors."""
        self._db.execute("DELETE FROM vectors")

    def load(self, store: int, dimension: int, live: Keys, since: Keys) -> tuple[list[int], Vectors]:
        """Return the keys that have a vector, and the vectors in the first rows of a matrix with room for more.

        ``live`` are the store's keys, ascending, ``since`` aligned. Many small chunks are joined on the way.
        """
        sizes = self._db.execute("SELECT id, length(keys) / 8 FROM vectors WHERE store = ?", (store,)).fetchall()
        held = sum(size for _, size in sizes)
        matrix = np.empty((held + held // 4 + 16, dimension), np.float32)
        found: list[int] = []
        for keys, rows in self._valid((id for id, _ in sizes), dimension, live, since):
            matrix[len(found) : len(found) + len(keys)] = rows
            found += keys.tolist()
        if len(set(found)) < len(found):
            row_of = {key: row for row, key in enumerate(found)}
            found, matrix = list(row_of), matrix[list(row_of.values())]
        small = [id for id, size in sizes if size < ROWS // 2]
        if held > 2 * len(found) + 1024:
            self._join(store, [id for id, _ in sizes], dimension, live, since)
        elif len(small) > SMALL:
            self._join(store, small, dimension, live, since)
        return found, matrix

    def _valid(self, ids: Iterable[int], dimension: int, live: Keys, since: Keys) -> Iterator[tuple[Keys, Vectors]]:
        """Yield of each chunk the keys and rows of entries that are live and whose text has not changed since."""
        for id in ids:
            one, two = self._db.execute("SELECT keys, rows FROM vectors WHERE id = ?", (id,)).fetchone()
            keys, rows = np.frombuffer(one, "<i8"), np.frombuffer(two, "<f4")
            if len(rows) != len(keys) * dimension:
                raise ValueError(f"chunk {id} has {len(rows)} numbers for {len(keys)} vectors of {dimension}")
            rows = rows.reshape(len(keys), dimension)
            if not len(live):
                continue
            places = np.minimum(np.searchsorted(live, keys), len(live) - 1)
            valid = (live[places] == keys) & (since[places] < id)
            yield (keys, rows) if valid.all() else (keys[valid], rows[valid])

    def _join(self, store: int, ids: Sequence[int], dimension: int, live: Keys, since: Keys) -> None:
        """Write what counts of some chunks as full ones, in one transaction."""
        parts = list(self._valid(ids, dimension, live, since))
        self._db.execute("BEGIN")
        self._db.executemany("DELETE FROM vectors WHERE id = ?", [(id,) for id in ids])
        if parts:
            keys = np.concatenate([keys for keys, _ in parts])
            self.add(store, keys.tolist(), np.concatenate([rows for _, rows in parts]))
        self._db.execute("COMMIT")
