"""The SQLite file of a memory that outlives its process: its tables, and what a transaction is.

Separate from the memory, which says what changes; here is how that is written so that a kill loses nothing.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memgym.memory.entry import Entry
from memgym.memory.memory import key_of
from memgym.registry import unknown

SCHEMA = 2
SYNC = {"normal": "NORMAL", "full": "FULL"}
_TABLES = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS counters (id INTEGER PRIMARY KEY, next_id INTEGER NOT NULL, clock INTEGER NOT NULL);
INSERT OR IGNORE INTO counters VALUES (0, 1, 0);
CREATE TABLE IF NOT EXISTS entries (key INTEGER PRIMARY KEY, entry BLOB NOT NULL, vector BLOB, clock INTEGER NOT NULL);
"""
_PUT = "INSERT INTO entries VALUES (?1, ?2, NULL, ?3) ON CONFLICT (key) DO UPDATE SET entry = ?2, clock = ?3"
_PUT_ANEW = _PUT + ", vector = NULL"
_SET = "INSERT OR REPLACE INTO meta VALUES (?, ?)"


class JournalError(ValueError):
    """A journal cannot be opened as asked; the message says what it holds and what was expected."""


class MemoryFile:
    """The file: a table of entries and one of named values, changed inside one transaction an operation."""

    def __init__(self, path: Path, sync: str) -> None:
        if sync not in SYNC:
            raise unknown("value of the option sync:", sync, SYNC)
        self.path = path
        self._closed = False
        self._group = False
        self._pending: list[tuple[str, tuple[Any, ...]]] = []
        self._last: int | None = None
        self._next = 1
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._db = sqlite3.connect(path, isolation_level=None, timeout=0.5)
            self._claim(sync)
        except sqlite3.OperationalError as busy:
            raise JournalError(
                f"{path} cannot be opened for writing ({busy}): is it open in another process?"
            ) from busy
        except sqlite3.DatabaseError as broken:
            raise JournalError(f"{path} is not a memory journal ({broken}).") from broken

    def _claim(self, sync: str) -> None:
        """Lock the file and make the tables in a new one; somebody else's database stays as it is."""
        self._db.execute("PRAGMA locking_mode=EXCLUSIVE")
        tables = {name for (name,) in self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if tables and not {"meta", "entries"} <= tables:
            raise JournalError(f"{self.path} is not a memory journal; it has the tables {', '.join(sorted(tables))}.")
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute(f"PRAGMA synchronous={SYNC[sync]}")
        self._db.executescript(f"BEGIN IMMEDIATE;{_TABLES}COMMIT;")

    def check(self, identity: Mapping[str, Any], *, reembed: bool) -> None:
        """Compare what the file says of itself with what is asked; a new file is marked."""
        schema = self.get("schema", None)
        if schema is None:
            self._mark(schema=SCHEMA, encoders=identity)
            return
        if schema != SCHEMA:
            raise JournalError(f"{self.path} has schema {schema}; this version of memgym reads {SCHEMA}.")
        written = self.get("encoders", {})
        if written == identity:
            return
        if list(written) != list(identity):
            raise JournalError(f"{self.path} holds the stores {list(written)}; {list(identity)} were asked for.")
        if not reembed:
            changed = [name for name in identity if written[name] != identity[name]]
            told = "; ".join(
                f"store {n!r}: written with {_said(written[n])}, opened with {_said(identity[n])}" for n in changed
            )
            raise JournalError(
                f"{self.path}: {told}. Open it with the same encoder, or with reembed=True to embed anew."
            )
        self._mark(encoders=identity)

    def _mark(self, **values: Any) -> None:
        """Say anew whose vectors the file holds: none yet."""
        self._db.execute("BEGIN")
        self._db.execute("UPDATE entries SET vector = NULL")
        self._set(**values)
        self._db.execute("COMMIT")

    def counters(self) -> tuple[int, int]:
        """Return the number of the next id, and the clock: as noted, or as the entries say if that is more."""
        row = self._db.execute(
            "SELECT max(next_id, 1 + coalesce((SELECT max(key) FROM entries), 0)),"
            " max(counters.clock, coalesce((SELECT max(clock) FROM entries), 0)) FROM counters"
        ).fetchone()
        self._next = int(row[0])
        return self._next, int(row[1])

    @contextmanager
    def together(self) -> Iterator[None]:
        """Commit once, when the block ends."""
        if self._group:
            raise JournalError(f"{self.path}: a group of writes is open already.")
        self._group = True
        try:
            yield
        finally:
            self._group = False
            if not self._closed and self._db.in_transaction:
                self._db.execute("COMMIT")

    def rows(self) -> list[tuple[int, Entry, NDArray[np.float32] | None]]:
        rows = self._db.execute("SELECT key, entry, vector FROM entries ORDER BY key")
        return [
            (key, Entry.from_json(_read(entry)), None if vector is None else np.frombuffer(vector, np.float32))
            for key, entry, vector in rows
        ]

    def get(self, name: str, default: Any) -> Any:
        row = self._db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return default if row is None else _read(row[0])

    def _set(self, **values: Any) -> None:
        self._db.executemany(_SET, [(name, _written(value)) for name, value in values.items()])

    def _check_open(self) -> None:
        if self._closed:
            raise JournalError(f"{self.path} is closed; open it again to write.")

    def put(self, entry: Entry, *, reindex: bool) -> None:
        """Keep an entry; ``reindex`` says that its vector, if there is one, is that of another text."""
        self._check_open()
        key = key_of(entry.id)
        self._pending.append((_PUT_ANEW if reindex else _PUT, (key, _written(entry.to_json()), 0)))
        self._last = key

    def drop(self, entry: Entry) -> None:
        self._check_open()
        self._pending.append(("DELETE FROM entries WHERE key = ?", (key_of(entry.id),)))
        self._last = None

    def note(self, scratchpad: str) -> None:
        self._check_open()
        self._pending.append((_SET, ("scratchpad", _written(scratchpad))))
        self._last = None

    def commit(self, next_id: int, clock: int) -> None:
        """Write what the operation changed, in one transaction.

        One entry that carries the counters itself (see ``counters``) is one statement: half the cost of four.
        """
        self._check_open()
        pending, last, self._pending, self._last = self._pending, self._last, [], None
        if len(pending) == 1 and last is not None and next_id == max(self._next, last + 1):
            self._next = next_id
            self._begin_group()
            statement, (key, entry, _) = pending[0]
            self._db.execute(statement, (key, entry, clock))
            return
        self._next = next_id
        self._change([*pending, ("UPDATE counters SET next_id = ?, clock = ? WHERE id = 0", (next_id, clock))])

    def vectors(self, keys: Sequence[int], vectors: NDArray[np.float32]) -> None:
        self._check_open()
        rows = ((vector.tobytes(), key) for key, vector in zip(keys, vectors, strict=True))
        self._change(("UPDATE entries SET vector = ? WHERE key = ?", row) for row in rows)

    def _begin_group(self) -> None:
        if self._group and not self._db.in_transaction:
            self._db.execute("BEGIN")

    def _change(self, statements: Iterable[tuple[str, tuple[Any, ...]]]) -> None:
        if not self._db.in_transaction:
            self._db.execute("BEGIN")
        for statement, values in statements:
            self._db.execute(statement, values)
        if not self._group:
            self._db.execute("COMMIT")

    def end(self, next_id: int, clock: int) -> None:
        """Note the counters as they are now, and close; nothing for a file that is closed already."""
        if not self._closed:
            if self._db.in_transaction and not self._group:
                self._db.execute("ROLLBACK")
            self._group = False
            self._pending.clear()
            self.commit(next_id, clock)
            self.close()

    def close(self) -> None:
        self._closed = True
        self._db.close()


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def _written(value: Any) -> bytes:
    # Not ASCII: there, the two halves of a surrogate pair would be read back as one character.
    return _ENCODER.encode(value).encode("utf-8", "surrogatepass")


def _read(value: bytes) -> Any:
    return json.loads(value.decode("utf-8", "surrogatepass"))


def _said(identity: Sequence[Any] | None) -> str:
    return "no encoder" if identity is None else f"{identity[0]} ({identity[1]} dimensions, {identity[2]})"
