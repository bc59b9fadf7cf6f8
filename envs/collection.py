"""A published data set, read whole: its samples, the passages of its corpora, and what was left out on the way.

Kept once per process for all environments that use the same files, and dropped with the last of them.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from memgym.task import Document, Sample

from .distractors import read_corpus
from .files import DataNotFound, Found, corpora, digest, find
from .formats import BrokenData, Row
from .sources import Source, check_split

Parse = Callable[[Row, Counter[str]], Sample | None]
Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Collection:
    """The samples of a split and its extra passages; ``description`` identifies both for a record, without any path.

    ``description["notes"]`` counts what the loader left out or could not use (see the benchmark's module).
    """

    samples: tuple[Sample, ...]
    passages: tuple[Document, ...]
    description: dict[str, Any]


_loaded: WeakValueDictionary[tuple[object, ...], Collection] = WeakValueDictionary()


def collect(source: Source, split: str, parse: Parse, data: Any = None, corpus: Paths | None = None) -> Collection:
    """Find, read and check a split. Without ``corpus`` the corpora that lie beside its files are used.

    Raises DataNotFound, BrokenData (also for two records of one id), ValueError for a split without answers.
    """
    found = find(source, check_split(source.benchmark, split), data)
    extra = _corpus_files(source, found, corpus)
    key = (parse, found.origin, source.benchmark, split, *(_stamp(path) for path in (*found.files, *extra)))
    known = _loaded.get(key)
    if known is None:
        known = _loaded[key] = _read(found, parse, extra)
    return known


def _stamp(path: Path) -> tuple[str, int, int]:
    state = path.stat()
    return str(path.resolve()), state.st_size, state.st_mtime_ns


def _corpus_files(source: Source, found: Found, corpus: Paths | None) -> tuple[Path, ...]:
    if corpus is None:
        return corpora(source, found.folder) if found.folder else ()
    given = [corpus] if isinstance(corpus, str | os.PathLike) else corpus
    files: list[Path] = []
    for path in (Path(one).expanduser() for one in given):
        inside = corpora(source, path) if path.is_dir() else ()
        if not path.is_file() and not inside:
            raise DataNotFound(f"corpus={str(path)!r}: there is no such file, nor a folder with *corpus*.json files.")
        files += inside or [path]
    return tuple(dict.fromkeys(files))


def _read(found: Found, parse: Parse, extra: tuple[Path, ...]) -> Collection:
    notes: Counter[str] = Counter()
    samples: dict[str, Sample] = {}
    for row in found.rows():
        sample = parse(row, notes)
        if sample is None:
            continue
        if sample.id in samples:
            raise BrokenData(f"{row.place} has the id {sample.id!r} of an earlier record.")
        samples[sample.id] = sample
    if not samples:
        raise BrokenData(f"No record of {found.source.benchmark} ({found.split}) is usable: {dict(notes)}.")
    passages = {path: read_corpus(path, found.source.joiner) for path in extra}
    return Collection(
        samples=tuple(samples.values()),
        passages=tuple(dict.fromkeys(one for file in passages.values() for one in file)),
        description={
            "split": found.split,
            "records": len(samples),
            "data": found.describe(),
            "corpus": [{"name": path.name, "sha256": digest(path), "passages": len(passages[path])} for path in extra],
            "notes": dict(sorted(notes.items())),
        },
    )
