"""A memory that outlives its process: every operation is in an SQLite file before its result is given.

The file holds the present state (entries with their vectors, scratchpad, counters), one transaction an operation, in
WAL mode: a process killed between any two operations loses nothing that it was told was done. A power cut can lose
the last operations unless ``sync="full"``.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from memgym.memory.entry import Entry
from memgym.memory.memory import Memory, key_of
from memgym.registry import unknown

if TYPE_CHECKING:
    from memgym.memory.encoders import Encoder

SCHEMA = 1
SYNC = {"normal": "NORMAL", "full": "FULL"}
_TABLES = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS entries (key INTEGER PRIMARY KEY, entry BLOB NOT NULL, vector BLOB);
"""
_PUT = "INSERT INTO entries VALUES (?, ?, NULL) ON CONFLICT (key) DO UPDATE SET entry = excluded.entry"


class JournalError(ValueError):
    """A journal cannot be opened as asked; the message says what it holds and what was expected."""


class DurableMemory(Memory):
    """A Memory kept in a file; open it with the same stores and encoders each time, close it when done.

    Raises JournalError when the file was written with another encoder (name, dimension or fingerprint), with other
    stores or by a newer version, or is open in another process. Nothing is ever embedded again silently:
    ``reembed=True`` says that the old vectors may be thrown away.
    """

    def __init__(
        self,
        path: str | Path,
        encoders: Mapping[str, Encoder | None] | None = None,
        *,
        sync: str = "normal",
        reembed: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(encoders, **options)
        self._file = _SqliteJournal(Path(path), sync)
        try:
            self._open(reembed)
        except BaseException:
            self._file.close()
            raise
        self.journal = self._file
        for store in self.stores.values():
            store.on_vectors = self._file.vectors

    def _open(self, reembed: bool) -> None:
        try:
            self._file.check(self._identity(), reembed=reembed)
            self._load()
        except JournalError:
            raise
        except (sqlite3.DatabaseError, ValueError, TypeError, LookupError, AttributeError) as broken:
            raise JournalError(f"{self._file.path} is a damaged memory journal ({broken!r}).") from broken

    def _identity(self) -> dict[str, Any]:
        """Return what vectors mean here: for each store the encoder that makes them."""
        return {
            name: None
            if store.encoder is None
            else [store.encoder.name, store.encoder.dimension, store.encoder.fingerprint]
            for name, store in self.stores.items()
        }

    def _load(self) -> None:
        entries: dict[str, list[tuple[int, Entry]]] = {name: [] for name in self.stores}
        vectors: dict[int, NDArray[np.float32]] = {}
        for key, entry, vector in self._file.rows():
            entries[entry.store].append((key, entry))
            if vector is not None:
                vectors[key] = vector
        for name, store in self.stores.items():
            store.load(entries[name], _checked(vectors, entries[name], store.encoder, name))
        self.scratchpad = self._file.get("scratchpad", "")
        self._next = self._file.get("next_id", 1)
        self.clock = self._file.get("clock", 0)

    def close(self) -> None:
        """Close the file; the memory can still be read, and no longer be written. Closing twice is allowed."""
        self.frozen = True
        for store in self.stores.values():
            store.on_vectors = None
        self._file.end(self._next, self.clock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _checked(
    vectors: Mapping[int, NDArray[np.float32]], entries: Sequence[tuple[int, Entry]], encoder: Encoder | None, name: str
) -> dict[int, NDArray[np.float32]]:
    found = {key: vectors[key] for key, _ in entries if key in vectors}
    for key, vector in found.items():
        if encoder is None or vector.shape != (encoder.dimension,):
            expected = "none" if encoder is None else f"one of {encoder.dimension} numbers"
            raise JournalError(
                f"Entry m{key} of store {name!r} has a vector of {vector.size} numbers; expected {expected}."
            )
    return found


class _SqliteJournal:
    """The file: a table of entries and one of named values, changed inside one transaction an operation."""

    def __init__(self, path: Path, sync: str) -> None:
        if sync not in SYNC:
            raise unknown("value of the option sync:", sync, SYNC)
        self.path = path
        self._closed = False
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
        rows = [(name, _written(value)) for name, value in values.items()]
        self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)

    def _begin(self) -> None:
        if self._closed:
            raise JournalError(f"{self.path} is closed; open it again to write.")
        if not self._db.in_transaction:
            self._db.execute("BEGIN")

    def put(self, entry: Entry, *, reindex: bool) -> None:
        """Keep an entry; ``reindex`` says that its vector, if there is one, is that of another text."""
        self._begin()
        self._db.execute(_PUT + ", vector = NULL" * reindex, (key_of(entry.id), _written(entry.to_json())))

    def drop(self, entry: Entry) -> None:
        self._begin()
        self._db.execute("DELETE FROM entries WHERE key = ?", (key_of(entry.id),))

    def note(self, scratchpad: str) -> None:
        self._begin()
        self._set(scratchpad=scratchpad)

    def commit(self, next_id: int, clock: int) -> None:
        self._begin()
        self._set(next_id=next_id, clock=clock)
        self._db.execute("COMMIT")

    def vectors(self, keys: Sequence[int], vectors: NDArray[np.float32]) -> None:
        self._begin()
        rows = [(vector.tobytes(), key) for key, vector in zip(keys, vectors, strict=True)]
        self._db.executemany("UPDATE entries SET vector = ? WHERE key = ?", rows)
        self._db.execute("COMMIT")

    def end(self, next_id: int, clock: int) -> None:
        """Note the counters as they are now, and close; nothing for a file that is closed already."""
        if not self._closed:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            self.commit(next_id, clock)
            self.close()

    def close(self) -> None:
        self._closed = True
        self._db.close()


def _written(value: Any) -> bytes:
    # Not ASCII: there, the two halves of a surrogate pair would be read back as one character.
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _read(value: bytes) -> Any:
    return json.loads(value.decode("utf-8", "surrogatepass"))


def _said(identity: Sequence[Any] | None) -> str:
    return "no encoder" if identity is None else f"{identity[0]} ({identity[1]} dimensions, {identity[2]})"
