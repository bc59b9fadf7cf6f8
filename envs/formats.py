"""Read records by what a file holds, never by how it is called: JSON array, JSON Lines, columns, or parquet.

Separate from the benchmarks, so that a broken file is reported alike everywhere: its name, the record, the line.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from memgym.extras import require

BLOCK = 1 << 20
_BLANKS = " \t\r\n"
_FOREIGN = {
    b"\x1f\x8b": "it is compressed with gzip; unpack it first",
    b"PK": "it is a zip archive; unpack it first",
    b"version https://git-lfs": "it is a Git LFS pointer, not the data; fetch it with `git lfs pull`",
    b"\x80": "it looks like a pickle, which can run code and is never loaded",
}


class BrokenData(ValueError):
    """A data file that cannot be used as it stands; the message names the file, the record and what is wrong."""


@dataclass(frozen=True, slots=True)
class Row:
    """One record and its place ("FILE, record 3"), which every error about it begins with. Records count from 0."""

    place: str
    values: Mapping[str, Any]


def read_rows(path: Path) -> Iterator[Row]:
    """Yield the records of a file, one at a time. Raises BrokenData at the first that cannot be read."""
    if is_parquet(path):
        yield from _parquet(path)
        return
    values = read_objects(path)
    first = next(values, None)
    if first is None:
        raise BrokenData(f"{path.name} holds no records.")
    second = next(values, None)
    if second is None and _is_columns(first.values):
        yield from _unfold(path, first.values)
        return
    yield first
    if second is not None:
        yield second
        yield from values


def read_objects(path: Path) -> Iterator[Row]:
    """Yield the JSON objects of a file: the items of its array, or its objects one after another."""
    _refuse_foreign(path)
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            window = _Window(path.name, file)
            yield from _array(window) if window.peek() == "[" else _sequence(window)
    except UnicodeDecodeError as error:
        raise BrokenData(f"{path.name} is not UTF-8 text: {error.reason} near byte {error.start} of a block.") from None


def is_parquet(path: Path) -> bool:
    """Whether a file begins like a parquet file."""
    return _head(path).startswith(b"PAR1")


def _head(path: Path) -> bytes:
    with open(path, "rb") as file:
        return file.read(64)


def _refuse_foreign(path: Path) -> None:
    head = _head(path)
    if not head.removeprefix(codecs.BOM_UTF8).strip():
        raise BrokenData(f"{path.name} is empty.")
    for start, why in _FOREIGN.items():
        if head.startswith(start):
            raise BrokenData(f"{path.name} cannot be read: {why}.")


class _Window:
    """The unread part of a text file; grows until it holds one whole JSON value, so that a large file streams."""

    def __init__(self, name: str, file: TextIO) -> None:
        self.name, self.file = name, file
        self.text, self.at = "", 0
        self.line, self.count = 1, 0
        self.decoder = json.JSONDecoder()

    def peek(self) -> str:
        """Return the next character that is not blank, "" at the end of the file."""
        while True:
            while self.at < len(self.text) and (char := self.text[self.at]) in _BLANKS:
                self.line += char == "\n"
                self.at += 1
            if self.at < len(self.text):
                return self.text[self.at]
            if not self._grow():
                return ""

    def skip(self) -> None:
        self.at += 1

    def take(self) -> Row:
        """Decode the object that stands here."""
        place = f"{self.name}, record {self.count} (line {self.line})"
        if self.peek() != "{":
            raise BrokenData(f"{place}: expected a JSON object, found {self.text[self.at : self.at + 20]!r}.")
        while True:
            try:
                value, end = self.decoder.raw_decode(self.text, self.at)
            except ValueError as error:
                if self._grow():
                    continue
                raise BrokenData(f"{place} is cut off or malformed: {error}.") from None
            except RecursionError:
                raise BrokenData(f"{place} is nested too deeply.") from None
            self.line += self.text.count("\n", self.at, end)
            self.at, self.count = end, self.count + 1
            return Row(place, value)

    def _grow(self) -> bool:
        block = self.file.read(max(BLOCK, len(self.text) - self.at))
        if block:
            self.text, self.at = self.text[self.at :] + block, 0
        return bool(block)


def _array(window: _Window) -> Iterator[Row]:
    window.skip()
    if window.peek() == "]":
        window.skip()
    else:
        while True:
            yield window.take()
            mark = window.peek()
            if mark == "]":
                window.skip()
                break
            if mark != ",":
                found = repr(mark) if mark else "the end of the file"
                raise BrokenData(f"{window.name}, after record {window.count - 1}: expected ',' or ']', found {found}.")
            window.skip()
            window.peek()
    if window.peek():
        raise BrokenData(f"{window.name}, line {window.line}: text after the end of the array.")


def _sequence(window: _Window) -> Iterator[Row]:
    while window.peek():
        yield window.take()


def _is_columns(values: Mapping[str, Any]) -> bool:
    return bool(values) and all(isinstance(column, list) for column in values.values())


def _unfold(path: Path, columns: Mapping[str, list[Any]]) -> Iterator[Row]:
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise BrokenData(f"{path.name} holds columns of different lengths: {lengths}.")
    for number, cells in enumerate(zip(*columns.values(), strict=True)):
        yield Row(f"{path.name}, record {number}", dict(zip(columns, cells, strict=True)))


def _parquet(path: Path) -> Iterator[Row]:
    parquet = require("pyarrow.parquet", "data", f"Reading the parquet file {path.name}")
    number = 0
    try:
        for batch in parquet.ParquetFile(path).iter_batches(batch_size=256):
            for values in batch.to_pylist():
                yield Row(f"{path.name}, record {number}", values)
                number += 1
    except (ValueError, OSError) as error:
        raise BrokenData(f"{path.name} is not a readable parquet file: {error}") from error
    if not number:
        raise BrokenData(f"{path.name} holds no records.")
