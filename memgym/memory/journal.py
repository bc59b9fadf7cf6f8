"""A memory that outlives its process: every operation is in an SQLite file before its result is given.

The file holds the present state (entries, vectors, scratchpad, counters), one transaction an operation, in WAL mode: a
process killed between any two operations loses nothing that it was told was done. A power cut can lose the last
operations unless ``sync="full"``.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from memgym.collecting import uncollected
from memgym.memory.file import JournalError, MemoryFile
from memgym.memory.memory import Memory

if TYPE_CHECKING:
    from memgym.memory.encoders import Encoder

__all__ = ["DurableMemory", "JournalError"]


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
        self._file = MemoryFile(Path(path), sync)
        try:
            self._open(reembed)
        except BaseException:
            self._file.close()
            raise
        self.journal = self._file
        for name, store in self.stores.items():
            store.on_vectors = partial(self._file.vectors, name)

    def _open(self, reembed: bool) -> None:
        try:
            self._file.check(self._identity(), reembed=reembed)
            with uncollected():
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
        encoders = {name: store.encoder for name, store in self.stores.items()}
        dimensions = {name: None if one is None else one.dimension for name, one in encoders.items()}
        found, self._next, self.clock = self._file.load(dimensions)
        for name, store in self.stores.items():
            store.load(found[name])
        self.scratchpad = self._file.get("scratchpad", "")

    @contextmanager
    def together(self) -> Iterator[None]:
        """Write what is done inside as one transaction: with ``sync="full"`` one wait for the disk and not one each.

        What was done inside is kept once the block has ended, also by an error; until then a kill loses it.
        """
        with self._file.together():
            yield

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
