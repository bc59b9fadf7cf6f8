"""Entries as a journal's file holds them, and a store's entries that are decoded one by one, when somebody looks.

Separate from the file because a store takes them over: of a hundred thousand entries a read shows six.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import ItemsView, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from typing import Any, cast, overload

import numpy as np
from numpy.typing import NDArray

from memgym.memory.entry import Entry, Write

NO_LINKS = b",[]]"
"""How the bytes of an entry without links end: links stand last, so that they are seen without decoding."""

Bytes = tuple[str, bytes]
"""The text of an entry, and everything else."""

_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_PLAIN = ',[],[],"","",[],[],[]]'


def written(value: Any) -> bytes:
    # Not ASCII: there, the two halves of a surrogate pair would be read back as one character.
    return _JSON.encode(value).encode("utf-8", "surrogatepass")


def read(value: bytes) -> Any:
    return json.loads(value.decode("utf-8", "surrogatepass"))


def rest_of(entry: Entry) -> bytes:
    """Return an entry less its id, its text and its store; ``decoded`` is the inverse."""
    created = _source(entry.created)
    updated = created if entry.updated is entry.created else _source(entry.updated)
    begin = f"[{created},{updated},{entry.version}"
    if entry.keywords or entry.tags or entry.context or entry.time or entry.attributes or entry.contents or entry.links:
        said: list[Any] = [
            entry.keywords, entry.tags, entry.context, entry.time, entry.attributes, entry.contents, entry.links
        ]  # fmt: skip
        return f"{begin},{_JSON.encode(said)[1:]}".encode("utf-8", "surrogatepass")
    return f"{begin}{_PLAIN}".encode("utf-8", "surrogatepass")


def columns(entry: Entry) -> tuple[bytes, bytes, int]:
    """Return what a file holds of an entry beside its id and its store: text, rest, and the crc of both."""
    text, rest = entry.text.encode("utf-8", "surrogatepass"), rest_of(entry)
    return text, rest, zlib.crc32(rest, zlib.crc32(text))


@lru_cache(maxsize=256)
def _source(source: Write) -> str:
    return _JSON.encode([source.episode, source.step, source.operation, source.clock])


def decoded(key: int, store: str, text: str, rest: bytes) -> Entry:
    """Return the entry of a key, of its store, its text and what ``rest_of`` gave."""
    created, updated, version, keywords, tags, context, time, attributes, contents, links = read(rest)
    return Entry(
        f"m{key}", text, store, Write(*created), Write(*updated), tuple(keywords), tuple(tags), context,
        tuple(links), time, tuple((name, value) for name, value in attributes),
        tuple((name, value) for name, value in contents), version,
    )  # fmt: skip


class Unread(dict[int, Entry]):
    """A store's entries by key. A value is what the file holds until it is asked for; then it is the entry."""

    def __init__(self, store: str, values: Iterable[tuple[int, Bytes]]) -> None:
        super().__init__(cast("Iterable[tuple[int, Entry]]", values))
        self._store = store

    def _entry(self, key: int, value: Entry | Bytes | None) -> Entry | None:
        if not isinstance(value, tuple):
            return value
        entry = decoded(key, self._store, *value)
        self[key] = entry
        return entry

    def __getitem__(self, key: int) -> Entry:
        return cast("Entry", self._entry(key, super().__getitem__(key)))

    @overload
    def get(self, key: int, default: None = None, /) -> Entry | None: ...
    @overload
    def get(self, key: int, default: Any, /) -> Any: ...
    def get(self, key: int, default: Any = None, /) -> Any:
        return self._entry(key, super().get(key)) if key in self else default

    def pop(self, key: int, *default: Any) -> Any:
        if default and key not in self:
            return default[0]
        entry = self[key]
        del self[key]
        return entry

    def items(self) -> ItemsView[int, Entry]:  # type: ignore[override]
        return {key: self[key] for key in self}.items()

    def values(self) -> Any:
        return [self[key] for key in self]

    def copy(self) -> Unread:
        """Return a copy; what nobody looked at stays as it is in the file."""
        return Unread(self._store, cast("Iterable[tuple[int, Bytes]]", dict.items(self)))


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """What a file holds of one store.

    texts: the key of each text, the oldest if there are several; links: the entries that have some; vectors: the rows
        of the first keys of ``encoded``, float32 [at least as many, dimension].
    """

    entries: Unread
    texts: dict[str, int]
    links: Sequence[tuple[int, Sequence[str]]]
    encoded: Sequence[int]
    vectors: NDArray[np.float32]


def loaded(
    store: str, keys: Sequence[int], texts: Sequence[bytes], rests: Sequence[bytes], encoded: Sequence[int],
    vectors: NDArray[np.float32],
) -> Loaded:  # fmt: skip
    """Return what aligned keys (ascending), texts and rests are as a store."""
    words = list(map(str, texts, repeat("utf-8"), repeat("surrogatepass")))
    alone = map(bytes.endswith, rests, repeat(NO_LINKS))
    linked = [(key, read(rest)[-1]) for key, rest, free in zip(keys, rests, alone, strict=True) if not free]
    entries = Unread(store, zip(keys, zip(words, rests, strict=True), strict=True))
    return Loaded(entries, dict(zip(reversed(words), reversed(keys), strict=True)), linked, encoded, vectors)
