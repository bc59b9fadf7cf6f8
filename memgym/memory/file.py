"""The SQLite file of a memory that outlives its process: its tables, and what a transaction is.

Separate from the memory, which says what changes; here is how that is written so that a kill loses nothing.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import compress, groupby
from operator import eq
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from memgym.memory.chunks import TABLE, Chunks
from memgym.memory.entry import Entry
from memgym.memory.memory import key_of
from memgym.memory.unread import Loaded, columns, loaded, read, written
from memgym.memory.upgrade import from_two
from memgym.registry import unknown

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCHEMA = 3
SYNC = {"normal": "NORMAL", "full": "FULL"}
_TABLES = f"""
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS counters (id INTEGER PRIMARY KEY, next_id INTEGER NOT NULL, clock INTEGER NOT NULL);
INSERT OR IGNORE INTO counters VALUES (0, 1, 0);
CREATE TABLE IF NOT EXISTS entries (
    key INTEGER PRIMARY KEY, store INTEGER NOT NULL, text BLOB NOT NULL, entry BLOB NOT NULL, crc INTEGER NOT NULL,
    since INTEGER NOT NULL, clock INTEGER NOT NULL
);
{TABLE}"""
_PUT = (
    "INSERT INTO entries VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
    " ON CONFLICT (key) DO UPDATE SET text = ?3, entry = ?4, crc = ?5, clock = ?7"
)
_PUT_ANEW = _PUT + ", since = ?6"
_SET = "INSERT OR REPLACE INTO meta VALUES (?, ?)"
_COUNT = "UPDATE counters SET next_id = ?, clock = ? WHERE id = 0"
MOST = 4096
"""Statements of a group that wait in memory."""

Statement = tuple[str, tuple[Any, ...]]


class JournalError(ValueError):
    """A journal cannot be opened as asked; the message says what it holds and what was expected."""


class MemoryFile:
    """The file: a table of entries, one of their vectors and one of named values; one transaction an operation."""

    def __init__(self, path: Path, sync: str) -> None:
        if sync not in SYNC:
            raise unknown("value of the option sync:", sync, SYNC)
        self.path = path
        self._closed = False
        self._group: list[Statement] | None = None
        self._pending: list[Statement] = []
        self._last: int | None = None
        self._counted = 1, 0
        self._stores: dict[str, int] = {}
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
        self._chunks = Chunks(self._db)

    def _claim(self, sync: str) -> None:
        """Lock the file and make the tables in a new one; somebody else's database stays as it is."""
        self._db.execute("PRAGMA locking_mode=EXCLUSIVE")
        tables = {name for (name,) in self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if tables and not {"meta", "entries"} <= tables:
            raise JournalError(f"{self.path} is not a memory journal; it has the tables {', '.join(sorted(tables))}.")
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute(f"PRAGMA synchronous={SYNC[sync]}")
        self._db.executescript(f"BEGIN IMMEDIATE;{'' if tables else _TABLES}COMMIT;")

    # ---------------------------------------------------------------- opening

    def check(self, identity: Mapping[str, Any], *, reembed: bool) -> None:
        """Compare what the file says of itself with what is asked; a new file is marked, one of schema 2 rewritten."""
        self._stores = {name: at for at, name in enumerate(identity)}
        schema = self.get("schema", None)
        if schema is None:
            self._mark(schema=SCHEMA, encoders=identity)
            return
        if schema not in (2, SCHEMA):
            raise JournalError(f"{self.path} has schema {schema}; this version of memgym reads {SCHEMA}.")
        asked = self._compared(identity, reembed)
        if schema != SCHEMA:
            self._db.execute("BEGIN IMMEDIATE")
            from_two(self._db, self._chunks, list(identity), _TABLES)
            self._set(schema=SCHEMA)
            self._db.execute("COMMIT")
        if asked:
            self._mark(encoders=identity)

    def _compared(self, identity: Mapping[str, Any], reembed: bool) -> bool:
        """Return whether the vectors are others' and may be thrown away."""
        stored = self.get("encoders", {})
        if stored == identity:
            return False
        if list(stored) != list(identity):
            raise JournalError(f"{self.path} holds the stores {list(stored)}; {list(identity)} were asked for.")
        if not reembed:
            changed = [name for name in identity if stored[name] != identity[name]]
            told = "; ".join(
                f"store {n!r}: written with {_said(stored[n])}, opened with {_said(identity[n])}" for n in changed
            )
            raise JournalError(
                f"{self.path}: {told}. Open it with the same encoder, or with reembed=True to embed anew."
            )
        return True

    def _mark(self, **values: Any) -> None:
        """Say anew whose vectors the file holds: none yet."""
        self._db.execute("BEGIN")
        self._chunks.clear()
        self._set(**values)
        self._db.execute("COMMIT")

    def load(self, dimensions: Mapping[str, int | None]) -> tuple[dict[str, Loaded], int, int]:
        """Return each store's entries and vectors, the number of the next id, and the clock.

        ``dimensions`` are those of the vectors, None for no vectors. The counters are as noted, or as the entries say
        if that is more. Damage is a ValueError.
        """
        rows = self._db.execute(
            "SELECT key, store, text, entry, crc, since, clock FROM entries ORDER BY key"
        ).fetchall()
        keys, stores, texts, rests, crcs, since, clocks = zip(*rows, strict=True) if rows else [()] * 7
        del rows
        right = list(map(eq, map(zlib.crc32, rests, map(zlib.crc32, texts)), crcs))
        if not all(right):
            wrong = keys[right.index(False)]
            raise ValueError(f"entry m{wrong} is not what was written")
        if not set(stores) <= set(self._stores.values()):
            raise ValueError(f"there are entries of stores other than {list(self._stores)}")
        next_id, clock = self._db.execute("SELECT next_id, clock FROM counters").fetchone()
        self._counted = max(next_id, 1 + max(keys, default=0)), max(clock, *clocks, 0)
        last = self._db.execute("SELECT coalesce(max(id), 0) FROM vectors").fetchone()[0]
        self._chunks.last = max(last, *since, 0)
        found = {}
        for name, at in self._stores.items():
            parts: Sequence[Sequence[Any]] = (keys, texts, rests, since)
            if len(self._stores) > 1:
                own = [one == at for one in stores]
                parts = [list(compress(column, own)) for column in parts]
            found[name] = self._loaded(name, dimensions[name], *parts)
        return found, *self._counted

    def _loaded(self, name: str, dimension: int | None, keys: Any, texts: Any, rests: Any, since: Any) -> Loaded:
        encoded: list[int] = []
        vectors = np.empty((0, dimension or 0), np.float32)
        if dimension is not None:
            live, changed = np.array(keys, np.int64), np.array(since, np.int64)
            encoded, vectors = self._chunks.load(self._stores[name], dimension, live, changed)
        return loaded(name, keys, texts, rests, encoded, vectors)

    def get(self, name: str, default: Any) -> Any:
        row = self._db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return default if row is None else read(row[0])

    def _set(self, **values: Any) -> None:
        self._db.executemany(_SET, [(name, written(value)) for name, value in values.items()])

    # ---------------------------------------------------------------- writing

    def _check_open(self) -> None:
        if self._closed:
            raise JournalError(f"{self.path} is closed; open it again to write.")

    def put(self, entry: Entry, *, reindex: bool) -> None:
        """Keep an entry; ``reindex`` says that its vector, if there is one, is that of another text."""
        self._check_open()
        key = key_of(entry.id)
        values = (key, self._stores[entry.store], *columns(entry), self._chunks.last)
        self._pending.append((_PUT_ANEW if reindex else _PUT, values))
        self._last = key

    def drop(self, entry: Entry) -> None:
        self._check_open()
        self._pending.append(("DELETE FROM entries WHERE key = ?", (key_of(entry.id),)))
        self._last = None

    def note(self, scratchpad: str) -> None:
        self._check_open()
        self._pending.append((_SET, ("scratchpad", written(scratchpad))))
        self._last = None

    def commit(self, next_id: int, clock: int) -> None:
        """Write what the operation changed, in one transaction.

        One entry that carries the counters itself (see ``load``) is one statement: half the cost of four.
        """
        self._check_open()
        pending, last, self._pending, self._last = self._pending, self._last, [], None
        changes = [(sql, (*values, clock) if sql in (_PUT, _PUT_ANEW) else values) for sql, values in pending]
        before, self._counted = self._counted[0], (next_id, clock)
        if self._group is not None:
            self._group += changes
            if len(self._group) >= MOST:
                self._flush()
        elif len(changes) == 1 and last is not None and next_id == max(before, last + 1):
            with_values = changes[0]
            self._written(lambda: self._db.execute(*with_values))
        else:
            self._transaction([*changes, (_COUNT, self._counted)])

    def vectors(self, store: str, keys: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """Keep the vectors of entries of a store, [n, dimension]."""
        self._check_open()
        if self._group is not None:
            self._flush()
        self._written(lambda: self._add(store, keys, vectors))

    def _add(self, store: str, keys: Sequence[int], vectors: NDArray[np.float32]) -> None:
        self._send(())
        self._chunks.add(self._stores[store], keys, vectors)
        if self._group is None:
            self._db.execute("COMMIT")

    @contextmanager
    def together(self) -> Iterator[None]:
        """Commit once, when the block ends."""
        if self._group is not None:
            raise JournalError(f"{self.path}: a group of writes is open already.")
        self._check_open()
        self._group = []
        try:
            yield
        finally:
            self._end_group()

    def _end_group(self) -> None:
        if self._group is not None:
            if not self._closed and (self._group or self._db.in_transaction):
                self._group.append((_COUNT, self._counted))
                self._flush()
                self._written(lambda: self._db.execute("COMMIT"))
            self._group = None

    def _flush(self) -> None:
        """Send what waits of a group to the database, whose transaction stays open."""
        waiting, self._group = self._group or [], []
        self._written(lambda: self._send(waiting))

    def _transaction(self, statements: Iterable[Statement]) -> None:
        def send() -> None:
            self._send(statements)
            self._db.execute("COMMIT")

        self._written(send)

    def _send(self, statements: Iterable[Statement]) -> None:
        if not self._db.in_transaction:
            self._db.execute("BEGIN")
        for sql, run in groupby(statements, lambda statement: statement[0]):
            self._db.executemany(sql, (values for _, values in run))

    def _written(self, write: Callable[[], object]) -> None:
        """Write; where that fails, close the file, because the memory is ahead of it from then on."""
        try:
            write()
        except sqlite3.Error as failed:
            self.close()
            raise JournalError(
                f"{self.path} could not be written ({failed}) and is closed; it holds what was done before."
            ) from failed

    def end(self, next_id: int, clock: int) -> None:
        """Note the counters as they are now, and close; nothing for a file that is closed already."""
        if not self._closed:
            self._pending.clear()
            self._end_group()
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            self.commit(next_id, clock)
            self.close()

    def close(self) -> None:
        self._closed = True
        self._db.close()


def _said(identity: Sequence[Any] | None) -> str:
    return "no encoder" if identity is None else f"{identity[0]} ({identity[1]} dimensions, {identity[2]})"
