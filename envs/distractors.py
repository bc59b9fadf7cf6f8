"""Passages that belong to no question of the split: read from a corpus file, in any of its three published shapes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memgym.task import Document

from .formats import BrokenData, Row, is_parquet, read_objects, read_rows

_TEXTS = ("text", "paragraph_text", "contents")


def read_corpus(path: Path, joiner: str) -> tuple[Document, ...]:
    """Return the passages of a corpus file, in order, an exact repetition once (titles alone may repeat).

    Shapes: objects {title, text} as an array, as JSON Lines or as columns; one object {title: [sentences]}, whose
    sentences are joined with ``joiner`` as the benchmark joins its own. Raises BrokenData.
    """
    mapping = _mapping(path)
    passages = _of_mapping(mapping) if mapping else (_of_row(row) for row in read_rows(path))
    return tuple(dict.fromkeys(_document(place, title, body, joiner) for place, title, body in passages))


def _mapping(path: Path) -> Row | None:
    """Return the one object of the file if it maps titles to lists, and so is no single passage."""
    if is_parquet(path):
        return None
    rows = read_objects(path)
    first, second = next(rows, None), next(rows, None)
    if first is None or second is not None or any(name in first.values for name in _TEXTS):
        return None
    return first if any(isinstance(body, list) for body in first.values.values()) else None


def _of_mapping(row: Row) -> Iterator[tuple[str, Any, Any]]:
    file = row.place.partition(", record")[0]
    for number, (title, body) in enumerate(row.values.items()):
        yield f"{file}, passage {number}", title, body


def _of_row(row: Row) -> tuple[str, Any, Any]:
    for name in _TEXTS:
        if name in row.values:
            return row.place, row.values.get("title", ""), row.values[name]
    raise BrokenData(f"{row.place} is no passage: it has no 'text' (it has: {', '.join(map(str, row.values))}).")


def _document(place: str, title: Any, body: Any, joiner: str) -> Document:
    if isinstance(body, list) and all(isinstance(sentence, str) for sentence in body):
        body = joiner.join(body)
    if not isinstance(title, str) or not isinstance(body, str) or not body.strip():
        raise BrokenData(f"{place}: a passage is a title with a text, found {title!r:.40} with {body!r:.40}.")
    return Document(title, body)
