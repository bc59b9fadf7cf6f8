"""One named store: its entries and the indexes over them.

Indexes are brought up to date when they are asked, not when entries change: a memory that is only written costs
nothing to index, and what one step created is encoded in one call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from memgym.memory.entry import Entry, Hit
from memgym.memory.indexes import Dense, DenseIndex, Scaling, TextIndex, hybrid_search

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memgym.memory.encoders import Encoder
    from memgym.memory.unread import Loaded

Vectors = Callable[[Sequence[int], "NDArray[np.float32]"], None]


@dataclass(frozen=True, slots=True)
class StoreSnapshot:
    """The state of a store at one moment; holds nothing that the store changes later."""

    entries: dict[int, Entry]
    text: TextIndex
    unindexed: dict[int, None]
    fingerprint: str | None
    dense: Dense | None
    unencoded: dict[int, None]


class Store:
    """Entries by sequence number (m12 is 12), a text index, and a dense one if there is an encoder.

    ``scaling`` says from which size on the dense index reads a graph and not every row.
    ``on_vectors`` is told of every vector that is computed (a journal keeps them).
    """

    def __init__(self, name: str, encoder: Encoder | None = None, scaling: Scaling | None = None) -> None:
        self.name = name
        self.encoder = encoder
        self.scaling = scaling or Scaling()
        self.entries: dict[int, Entry] = {}
        self.on_vectors: Vectors | None = None
        self._keys: dict[str, int] = {}
        self._linking: dict[str, set[int]] = {}
        self._text = TextIndex()
        self._dense: Dense | None = None if encoder is None else DenseIndex(encoder.dimension)
        self._unindexed: dict[int, None] = {}
        self._unencoded: dict[int, None] = {}

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def ways(self) -> tuple[str, ...]:
        """How this store can be read."""
        return ("text",) if self._dense is None else ("text", "dense", "hybrid")

    def key_of(self, text: str) -> int | None:
        """Return the key of a live entry with exactly this text, or None."""
        return self._keys.get(text)

    def linking(self, id: str) -> list[Entry]:
        """Return the entries that link to an id, oldest first."""
        return [self.entries[key] for key in sorted(self._linking.get(id, ()))]

    def put(self, key: int, entry: Entry) -> Entry | None:
        """Add an entry, or replace the one under this key, which is returned."""
        old = self.entries.get(key)
        self.entries[key] = entry
        if entry.links or (old is not None and old.links):
            self._relink(key, () if old is None else old.links, entry.links)
        if old is not None:
            if old.text != entry.text and self._keys.get(old.text) == key:
                del self._keys[old.text]
            if old.searchable == entry.searchable:
                return old
            if key not in self._unindexed:
                self._text.remove(key)
        self._keys.setdefault(entry.text, key)
        self._unindexed[key] = None
        if self._dense is not None:
            self._unencoded[key] = None
        return old

    def drop(self, key: int) -> None:
        """Remove an entry."""
        entry = self.entries.pop(key)
        if entry.links:
            self._relink(key, entry.links, ())
        if self._keys.get(entry.text) == key:
            del self._keys[entry.text]
        self._forget(key)

    def _relink(self, key: int, old: Sequence[str], new: Sequence[str]) -> None:
        for id in old:
            self._linking[id].discard(key)
            if not self._linking[id]:
                del self._linking[id]
        for id in new:
            self._linking.setdefault(id, set()).add(key)

    def _forget(self, key: int) -> None:
        if key in self._unindexed:
            del self._unindexed[key]
        else:
            self._text.remove(key)
        if self._dense is not None:
            self._unencoded.pop(key, None)
            if key in self._dense:
                self._dense.remove(key)

    def missing(self) -> list[str]:
        """Return the texts whose vectors a dense read would have to compute now."""
        return [self.entries[key].searchable for key in self._unencoded]

    def search(self, query: str, k: int, by: str) -> list[Hit]:
        """Return the k entries nearest to a query, by (-score, key); a blank query or k of 0 finds nothing."""
        if k <= 0 or not query.strip() or not self.entries:
            return []
        if by == "text":
            found = self.text_index().search(query, k)
        elif by == "dense":
            found = self.dense_index().search(self._vector(query), k)
        else:
            found = hybrid_search(self.text_index(), self.dense_index(), query, self._vector(query), k)
        return [Hit(self.entries[key], score, by) for key, score in found]

    def _vector(self, query: str) -> NDArray[np.float32]:
        if self.encoder is None:
            raise ValueError(f"The store {self.name!r} has no encoder.")
        return cast("NDArray[np.float32]", self.encoder.encode([query], query=True)[0])

    def text_index(self) -> TextIndex:
        """Return the text index, up to date."""
        if self._unindexed:
            keys = list(self._unindexed)
            self._text.add(keys, [self.entries[key].searchable for key in keys])
            self._unindexed.clear()
        return self._text

    def dense_index(self) -> Dense:
        """Return the dense index, up to date; encodes what is new in one call."""
        if self._dense is None or self.encoder is None:
            raise ValueError(f"The store {self.name!r} has no encoder.")
        if self._unencoded:
            keys = list(self._unencoded)
            vectors = self.encoder.encode(self.missing())
            if len(keys) == 1:
                self._dense.put(keys[0], vectors[0])
            else:
                self._dense.add(keys, vectors)
            self._dense = self.scaling.grown(self._dense)
            self._unencoded.clear()
            if self.on_vectors is not None:
                self.on_vectors(keys, vectors)
        return self._dense

    def load(self, held: Loaded) -> None:
        """Fill an empty store with what a file holds; entries with a vector are not encoded again."""
        self.entries, self._keys = held.entries, held.texts
        for key, links in held.links:
            self._relink(key, (), links)
        self._unindexed = dict.fromkeys(held.entries)
        if self._dense is not None:
            encoded = set(held.encoded)
            self._unencoded = {key: None for key in held.entries if key not in encoded}
            if encoded:
                self._dense = self.scaling.grown(DenseIndex.over(held.encoded, held.vectors))

    def snapshot(self) -> StoreSnapshot:
        return StoreSnapshot(
            self.entries.copy(),
            self._text.fork(),
            self._unindexed.copy(),
            None if self.encoder is None else self.encoder.fingerprint,
            None if self._dense is None else self._dense.fork(),
            self._unencoded.copy(),
        )

    def restore(self, snapshot: StoreSnapshot) -> None:
        """Return to a snapshot.

        Vectors of another encoder are a ValueError; where the snapshot has none, they are computed when needed.
        """
        self.check(snapshot)
        self.entries = snapshot.entries.copy()
        self._keys, self._linking = {}, {}
        for key, entry in self.entries.items():
            self._keys.setdefault(entry.text, key)
            if entry.links:
                self._relink(key, (), entry.links)
        self._text = snapshot.text.fork()
        self._unindexed = snapshot.unindexed.copy()
        if self.encoder is None:
            self._unencoded = {}
        elif snapshot.dense is None:
            self._dense, self._unencoded = DenseIndex(self.encoder.dimension), dict.fromkeys(self.entries)
        else:
            self._dense, self._unencoded = snapshot.dense.fork(), snapshot.unencoded.copy()

    def check(self, snapshot: StoreSnapshot) -> None:
        """Refuse a snapshot whose vectors mean something else here."""
        if self.encoder is not None and snapshot.fingerprint not in (None, self.encoder.fingerprint):
            raise ValueError(
                f"The snapshot of store {self.name!r} has vectors of {snapshot.fingerprint}; this one has the encoder "
                f"{self.encoder.fingerprint}. Start from Memory.to_json() to have the texts encoded anew."
            )
