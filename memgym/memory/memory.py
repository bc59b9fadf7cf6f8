"""The memory half of the state: named stores of entries, one scratchpad, and the operations on them.

Every change passes through ``Memory.apply``, every look through ``Memory.read``; nothing an agent writes can raise in
either. Ids are short ("m7"), count upwards over the life of the memory and are never given out twice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from memgym.memory.entry import Entry, Hit, Write
from memgym.memory.links import follow, unlink
from memgym.memory.scalable import Scaling
from memgym.memory.store import Store, StoreSnapshot
from memgym.memory.writes import no_store, write
from memgym.operations import Operation, Read, Result, Status

if TYPE_CHECKING:
    from memgym.memory.encoders import Encoder
    from memgym.tokens import Tokenizer


class Journal(Protocol):
    """What a memory tells as it changes: each change of an operation, then ``commit`` before the operation returns."""

    def put(self, entry: Entry, *, reindex: bool) -> None: ...
    def drop(self, entry: Entry) -> None: ...
    def note(self, scratchpad: str) -> None: ...
    def commit(self, next_id: int, clock: int) -> None: ...


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A memory at one moment. Restoring it is the identity; nothing in it changes later."""

    stores: tuple[tuple[str, StoreSnapshot], ...]
    scratchpad: str
    next_id: int
    clock: int


class Memory:
    """Entries in named stores, and a scratchpad.

    ``encoders`` maps each store's name to its Encoder, or None for text reads only; the first store is the default one.
    ``capacity`` bounds the entries over all stores, ``max_tokens`` the tokens of all texts and the scratchpad together
    (None: no bound). ``unique`` refuses a text that a store already holds (status ``duplicate``). ``scaling`` says from
    which size on a dense index is approximate.
    """

    def __init__(
        self,
        encoders: Mapping[str, Encoder | None] | None = None,
        *,
        capacity: int | None = None,
        max_tokens: int | None = None,
        tokenizer: Tokenizer | None = None,
        unique: bool = True,
        scaling: Scaling | None = None,
    ) -> None:
        if max_tokens is not None and tokenizer is None:
            raise ValueError("max_tokens needs a tokenizer to count with.")
        self.stores = {name: Store(name, encoder, scaling) for name, encoder in (encoders or {"main": None}).items()}
        self.default = next(iter(self.stores))
        self.capacity = capacity
        self.max_tokens = max_tokens
        self.unique = unique
        self.scaling = scaling
        self.frozen = False
        self.scratchpad = ""
        self.clock = 0
        self.journal: Journal | None = None
        self._tokenizer = tokenizer
        self._next = 1
        self._sizes: dict[int, int] | None = None
        self._size = 0

    # ---------------------------------------------------------------- looking

    def __len__(self) -> int:
        held = 0
        for store in self.stores.values():
            held += len(store.entries)
        return held

    def get(self, id: str) -> Entry | None:
        """Return the live entry of an id, or None."""
        key = key_of(id)
        for store in self.stores.values():
            if (entry := store.entries.get(key)) is not None:
                return entry
        return None

    def entries(self, store: str | None = None) -> list[Entry]:
        """Return the live entries of one store or of all, oldest first."""
        chosen = self.stores.values() if store is None else [self.stores[store]]
        found = [pair for one in chosen for pair in one.entries.items()]
        return [entry for _, entry in sorted(found, key=lambda pair: pair[0])]

    def tokens(self) -> int:
        """Return the number of tokens of all entries' texts and the scratchpad."""
        if self._tokenizer is None:
            raise ValueError("This memory has no tokenizer to count with.")
        count = self._tokenizer.count
        if self._sizes is None:
            entries = [pair for store in self.stores.values() for pair in store.entries.items()]
            self._sizes = {key: count(entry.text) for key, entry in entries}
            self._size = sum(self._sizes.values())
        return self._size + count(self.scratchpad)

    def read(self, read: Read, *, k: int, by: str | None = None) -> tuple[Result, list[Hit]]:
        """Carry out a read; ``k`` and ``by`` are what an unset field of it means. Never changes an entry."""
        store = self.stores.get(read.store or self.default)
        if store is None:
            return no_store(self, "read", read.store), []
        if not read.query.strip():
            return Result("read", Status.EMPTY, reason="the query is blank"), []
        way = read.by or by or store.ways[-1]
        if way not in store.ways:
            return Result("read", Status.MASKED, reason=f"this store is read by {' or '.join(store.ways)}"), []
        count = k if read.k is None else read.k
        if count < 1:
            return Result("read", Status.MALFORMED, reason=f"k is {count}; 1 or more was expected"), []
        hits = store.search(read.query, count, way)
        if read.follow > 0:
            hits += follow(hits, self.get, rounds=read.follow, limit=count)
        return Result("read", Status.OK, tuple([hit.entry.id for hit in hits])), hits

    def missing(self, reads: Sequence[Read], by: str | None) -> dict[str, list[tuple[str, bool]]]:
        """Return, by store, the texts (and whether each is a query) that these reads will need vectors of."""
        needed: dict[str, list[tuple[str, bool]]] = {}
        for read in reads:
            store = self.stores.get(read.store or self.default)
            if store is None or store.encoder is None or not read.query.strip():
                continue
            if (read.by or by or store.ways[-1]) != "text":
                texts = needed.setdefault(store.name, [(text, False) for text in store.missing()])
                texts.append((read.query, True))
        return needed

    # ---------------------------------------------------------------- changing

    def apply(self, operation: Operation, source: Write) -> Result:
        """Carry out one write; ``source`` says which step of which episode asks for it."""
        if self.frozen:
            return Result(operation.kind, Status.FROZEN, reason="this memory is frozen")
        result = write(self, operation, source)
        if self.journal is not None and result.ok:
            self.journal.commit(self._next, self.clock)
        return result

    def tick(self) -> None:
        """Count one step of the memory's life."""
        self.clock += 1

    # ---------------------------------------------------------------- changes without a check, for memgym.memory.writes

    def take_id(self) -> str:
        """Return an id that was never given out."""
        self._next += 1
        return f"m{self._next - 1}"

    def count_from(self, number: int) -> int:
        """Make ``number`` that of the next id, and return what it was; only to give out recorded ids again."""
        self._next, before = number, self._next
        return before

    def put(self, entry: Entry) -> None:
        """Add an entry to its store, or replace the one under its id."""
        key = key_of(entry.id)
        old = self.stores[entry.store].put(key, entry)
        if old is None or old.text != entry.text:
            self._resize(key, entry.text)
        if self.journal is not None:
            self.journal.put(entry, reindex=old is None or old.searchable != entry.searchable)

    def drop(self, entry: Entry) -> None:
        """Remove an entry, and the links to it."""
        key = key_of(entry.id)
        self.stores[entry.store].drop(key)
        self._resize(key, None)
        if self.journal is not None:
            self.journal.drop(entry)
        for changed in unlink(entry.id, self.stores.values()):
            self.put(changed)

    def note(self, text: str) -> None:
        """Replace the scratchpad."""
        self.scratchpad = text
        if self.journal is not None:
            self.journal.note(text)

    def _resize(self, key: int, text: str | None) -> None:
        """Keep the sum of tokens up to date, once somebody has asked for it."""
        if self._sizes is not None and self._tokenizer is not None:
            self._size -= self._sizes.pop(key, 0)
            if text is not None:
                self._sizes[key] = self._tokenizer.count(text)
                self._size += self._sizes[key]

    def over_budget(self, text: str, replaced: str = "") -> str | None:
        """Return why ``text`` in place of ``replaced`` would be too many tokens, or None if it fits."""
        if self.max_tokens is None or self._tokenizer is None:
            return None
        held = self.tokens() + self._tokenizer.count(text) - self._tokenizer.count(replaced)
        return f"that would be {held} tokens; at most {self.max_tokens} fit" if held > self.max_tokens else None

    # ---------------------------------------------------------------- whole states

    def snapshot(self) -> Snapshot:
        """Return the state now. Takes microseconds: entries are shared, being immutable; vectors are copied."""
        stores = tuple((name, store.snapshot()) for name, store in self.stores.items())
        return Snapshot(stores, self.scratchpad, self._next, self.clock)

    def restore(self, snapshot: Snapshot) -> None:
        """Return to a snapshot of a memory with the same stores."""
        if self.journal is not None:
            raise ValueError("A journaled memory only goes forward; fork it to go back.")
        if [name for name, _ in snapshot.stores] != list(self.stores):
            raise ValueError(f"The snapshot has other stores than {list(self.stores)}.")
        for name, state in snapshot.stores:
            self.stores[name].check(state)
        for name, state in snapshot.stores:
            self.stores[name].restore(state)
        self._sizes = None
        self.scratchpad, self._next, self.clock = snapshot.scratchpad, snapshot.next_id, snapshot.clock

    def fork(self) -> Memory:
        """Return an independent copy, never frozen and never journaled; encoders are shared, being stateless."""
        copy = Memory(
            {name: store.encoder for name, store in self.stores.items()},
            capacity=self.capacity,
            max_tokens=self.max_tokens,
            tokenizer=self._tokenizer,
            unique=self.unique,
            scaling=self.scaling,
        )
        copy.restore(self.snapshot())
        return copy

    def to_json(self) -> dict[str, Any]:
        """Return everything but vectors as JSON values, in a fixed order."""
        return {
            "next_id": self._next,
            "clock": self.clock,
            "scratchpad": self.scratchpad,
            "entries": [entry.to_json() for entry in self.entries()],
        }

    def load_json(self, data: Mapping[str, Any]) -> None:
        """Fill this memory, which must be empty, from ``to_json``; vectors are computed when they are needed."""
        if len(self):
            raise ValueError(f"The memory holds {len(self)} entries; load_json fills an empty one.")
        entries = [Entry.from_json(one) for one in data["entries"]]
        for entry in entries:
            if entry.store not in self.stores:
                raise ValueError(f"Entry {entry.id} is of store {entry.store!r}; there is {', '.join(self.stores)}.")
        for entry in entries:
            self.put(entry)
        self.scratchpad, self._next, self.clock = data["scratchpad"], data["next_id"], data["clock"]
        if self.journal is not None:
            self.journal.note(self.scratchpad)
            self.journal.commit(self._next, self.clock)

    def digest(self) -> str:
        """Return a short hash of the state: equal states, equal digests, on any machine."""
        return digest_of(self.to_json())


def digest_of(data: Mapping[str, Any]) -> str:
    """Return the digest of the memory that ``to_json`` gave as ``data``."""
    # Not ASCII: there, an emoji and the two halves of its surrogate pair would look the same.
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


@lru_cache(maxsize=1 << 14)
def key_of(id: str) -> int:
    """Return the number in an id of the form m<number>, or 0, which no entry has."""
    digits = id[1:]
    if id[:1] != "m" or not digits.isascii() or not digits.isdigit() or digits[0] == "0" or len(digits) > 18:
        return 0
    return int(digits)
