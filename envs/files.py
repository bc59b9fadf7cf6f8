"""Find the data of a benchmark: the ``data`` option, then the data folder, then the hub; else say all that was tried.

Separate from reading, so that ``memgym data status`` and the benchmarks can never disagree about which file is used.
"""

from __future__ import annotations

import fnmatch
import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from . import hub
from .formats import BrokenData, Row, read_rows
from .sources import SOURCES, Hub, Source

VARIABLE = "MEMGYM_DATA"
SUMS = "SHA256SUMS"
_SHARD = re.compile(r"(?P<stem>.*)-(?P<number>\d{5})-of-(?P<count>\d{5})(?P<end>\.\w+)")


class DataNotFound(FileNotFoundError):
    """No data for a benchmark; the message lists every way to provide it, and what was tried."""


@dataclass(frozen=True, slots=True)
class Found:
    """Where the records of a split come from: ``files`` (several shards of one split), or the hub when there are none.

    ``origin`` is "option", "folder" or "hub"; ``folder`` is where corpora are looked for.
    """

    source: Source
    split: str
    origin: str
    files: tuple[Path, ...] = ()
    folder: Path | None = None

    def rows(self) -> Iterator[Row]:
        """Yield the records in order; raises BrokenData for a broken file, DataNotFound if the hub does not answer."""
        if self.files:
            for path in self.files:
                yield from read_rows(path)
            return
        at = self.hub
        try:
            values = hub.load_split(at, self.split)
        except hub.HubError as error:
            raise _not_found(self.source, self.split, None, str(error)) from error
        for number, record in enumerate(values):
            yield Row(f"{at.id}, record {number}", record)

    @property
    def hub(self) -> Hub:
        """Where the records are if there are no files."""
        assert self.source.hub is not None
        return self.source.hub

    def describe(self) -> dict[str, object]:
        """Return what identifies the records: file names with their SHA-256, or the pinned revision on the hub."""
        if not self.files:
            at = self.hub
            return {"origin": self.origin, "hub": at.id, "config": at.config, "revision": at.revision}
        return {
            "origin": self.origin,
            "files": [{"name": path.name, "sha256": digest(path)} for path in self.files],
        }


def root() -> Path:
    """Return the data folder: the environment variable MEMGYM_DATA, else ~/.cache/memgym."""
    given = os.environ.get(VARIABLE)
    return Path(given).expanduser() if given else Path.home() / ".cache" / "memgym"


def digest(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def find(source: Source, split: str, data: str | os.PathLike[str] | None = None) -> Found:
    """Return where a split comes from, without reading it. A given ``data`` is never passed over for another place.

    A folder is searched for the known file names of the split, in the order of ``Source.files``, first directly,
    then in a sub-folder named like the benchmark. Raises DataNotFound.
    """
    if data is not None:
        path = Path(data).expanduser()
        if path.is_file():
            return Found(source, split, "option", shards(path), path.parent)
        files = lookup(source, split, path)
        if files:
            check_sums(files)
            return Found(source, split, "option", files, files[0].parent)
        raise _not_found(source, split, path)
    files = lookup(source, split, root(), direct=False)
    if files:
        check_sums(files)
        return Found(source, split, "folder", files, files[0].parent)
    if source.hub is not None and hub.installed():
        return Found(source, split, "hub")
    raise _not_found(source, split, None)


def lookup(source: Source, split: str, folder: Path, direct: bool = True) -> tuple[Path, ...]:
    """Return the files of a split in a folder (``direct``) or its sub-folder for the benchmark, () when it has none."""
    for place in _places(source, folder, direct):
        names = sorted(entry.name for entry in place.iterdir() if entry.is_file() and "corpus" not in entry.name)
        for pattern in source.files[split]:
            for name in fnmatch.filter(names, pattern):
                return shards(place / name)
    return ()


def _places(source: Source, folder: Path, direct: bool) -> list[Path]:
    """Return the folder, its sub-folders named like the benchmark, and in each that of a hub configuration."""
    if not folder.is_dir():
        return []
    wanted = {name: rank for rank, name in enumerate(source.names)}
    named = [entry for entry in sorted(folder.iterdir()) if entry.is_dir() and entry.name.casefold() in wanted]
    places = [*([folder] if direct else []), *sorted(named, key=lambda entry: wanted[entry.name.casefold()])]
    config = source.hub.config if source.hub else None
    inner = [place / name for place in places for name in (config, "data") if name]
    return [*places, *(place for place in inner if place.is_dir())]


def shards(path: Path) -> tuple[Path, ...]:
    """Return all parts of a file that is one of several (NAME-00000-of-00002.parquet); a missing part is BrokenData."""
    match = _SHARD.fullmatch(path.name)
    if match is None:
        return (path,)
    count = int(match["count"])
    parts = [path.with_name(f"{match['stem']}-{n:05d}-of-{match['count']}{match['end']}") for n in range(count)]
    for part in parts:
        if not part.is_file():
            raise BrokenData(f"{part.name} is missing beside {path.name}: the split has {count} files.")
    return tuple(parts)


def check_sums(files: tuple[Path, ...]) -> None:
    """Compare files with the SHA256SUMS beside them, where ``memgym data get`` wrote one; BrokenData if one differs."""
    sums = read_sums(files[0].parent)
    for path in files:
        if path.name in sums and digest(path) != sums[path.name]:
            raise BrokenData(
                f"{path.name} differs from its checksum in {path.parent / SUMS}: it was changed after it was fetched. "
                f"Fetch it again with `memgym data get`, or delete its line there if the change is meant."
            )


def read_sums(folder: Path) -> dict[str, str]:
    """Return the checksums by file name that a folder records ({} when it records none)."""
    path = folder / SUMS
    if not path.is_file():
        return {}
    lines = (line.split(maxsplit=1) for line in path.read_text("utf-8").splitlines() if line.strip())
    return {name.lstrip("*"): value for value, name in lines}


def corpora(source: Source, folder: Path) -> tuple[Path, ...]:
    """Return the passage files (``*corpus*.json*``) of a folder; those named after another benchmark are left out."""
    others = [name for row in SOURCES.values() if row is not source for name in row.names]
    return tuple(
        path
        for path in sorted(folder.iterdir())
        if path.is_file()
        and fnmatch.fnmatch(path.name, "*corpus*.json*")
        and (any(name in path.name.casefold() for name in source.names) or not _mentions(path.name, others))
    )


def _mentions(name: str, words: list[str]) -> bool:
    return any(word in name.casefold() for word in words)


def _not_found(source: Source, split: str, data: Path | None, reason: str = "") -> DataNotFound:
    patterns = ", ".join(source.files[split])
    folder = root() / source.folder
    lines = [
        f"There is no data for {source.benchmark} ({split}). It can come from three places:",
        f"  1. data=FILE or FOLDER: {_state(data, patterns) if data else 'not given'}.",
        f"  2. {folder} ({VARIABLE} is {'set' if os.environ.get(VARIABLE) else 'not set'}): "
        + ("not looked at, since data was given." if data else f"{_state(folder, patterns)}."),
    ]
    if source.hub is None:
        lines[0] = lines[0].replace("three", "two")
        lines.append(f"memgym does not fetch it: put {source.home} into that folder (licence: {source.licence}).")
        return DataNotFound("\n".join(lines))
    lines += [
        f"  3. the Hugging Face hub ({source.hub.id}): {_hub_state(data, reason)}",
        f"`memgym data get {source.folder}` fetches it; `memgym data status` shows what is there.",
    ]
    return DataNotFound("\n".join(lines))


def _state(path: Path, patterns: str) -> str:
    if not path.exists():
        return f"{path} does not exist"
    inside = sorted(entry.name for entry in path.iterdir()) if path.is_dir() else []
    shown = ", ".join(inside[:8]) + (", ..." if len(inside) > 8 else "")
    return f"{path} holds none of {patterns} (it holds: {shown or 'nothing'})"


def _hub_state(data: Path | None, reason: str) -> str:
    if not hub.installed():
        return "the package 'datasets' is not installed: pip install \"memgym[data]\""
    if data is not None:
        return "not asked, since data was given."
    flags = [name for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE") if os.environ.get(name)]
    return f"it did not answer ({reason})" + (f"; {' and '.join(flags)} may forbid the network." if flags else ".")
