"""Journals of schema 2, in which an entry was one JSON object with its vector beside it, become schema 3 when opened.

Separate because a file needs it once; all of it is one transaction, so a kill leaves the file as it was.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import numpy as np

from memgym.memory.chunks import ROWS, Chunks
from memgym.memory.entry import Entry
from memgym.memory.unread import columns, read


def from_two(database: sqlite3.Connection, chunks: Chunks, stores: Sequence[str], tables: str) -> None:
    """Move what a file of schema 2 holds into ``tables``; the caller opens and ends the transaction."""
    database.execute("ALTER TABLE entries RENAME TO entries_before")
    for statement in filter(None, map(str.strip, tables.split(";"))):
        database.execute(statement)
    waiting: dict[int, list[tuple[int, bytes]]] = {at: [] for at in range(len(stores))}
    for key, value, vector, clock in database.execute("SELECT * FROM entries_before ORDER BY key"):
        entry = Entry.from_json(read(value))
        store = stores.index(entry.store)
        row = (key, store, *columns(entry), 0, clock)
        database.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        if vector is not None:
            waiting[store].append((key, vector))
            if len(waiting[store]) == ROWS:
                _write(chunks, store, waiting[store])
    for store, rows in waiting.items():
        _write(chunks, store, rows)
    database.execute("DROP TABLE entries_before")


def _write(chunks: Chunks, store: int, rows: list[tuple[int, bytes]]) -> None:
    if rows:
        vectors = np.stack([np.frombuffer(vector, "<f4") for _, vector in rows])
        chunks.add(store, [key for key, _ in rows], vectors)
        rows.clear()
