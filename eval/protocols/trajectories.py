"""Trajectories that were stored earlier: of the folder of a run, or of a file of experiences, with every doubt raised.

Separate from the protocol that forms memory from them, which does not care where experiences come from.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from memgym import registry
from memgym.records import EpisodeRecord, read_records
from memgym.task import Experience

from ..leavings import Leavings
from ..metrics.rows import row_of

_RECORDS, _MEMORIES = "records.jsonl", "memories"
_KEYS = ("task", "steps", "success", "task_type", "sample", "benchmark")


@dataclass(frozen=True, slots=True)
class Stored:
    """Experiences in their order, and of each the sample in which it was lived ("" where that is not known)."""

    experiences: tuple[Experience, ...]
    samples: tuple[str, ...]


def check_trajectories(path: str, benchmark: str, whose: str | None) -> None:
    """Raise what ``stored_trajectories`` would, as far as that is seen without playing anything."""
    where = Path(path).expanduser()
    if where.is_dir():
        list(_acted(where, _whole(where), benchmark, whose))
    else:
        _from_file(where, benchmark, whose)


def stored_trajectories(path: str, benchmark: str, whose: str | None = None) -> Stored:
    """Return what was lived in a run (its folder), or what a file of experiences holds, one a line.

    Of a run every episode counts in which commands were given and that did not fail; with ``whose`` those of that row.
    What was observed is not in a record: it is taken from the run's ``memories``, or the episode is played again.

    Raises:
        FileNotFoundError: There is no such file or folder, or the folder holds no records.
        ValueError: A line is broken or cut off, an episode is of another benchmark, or nothing was lived at all. A line
            of a file may name its "benchmark" (and its "sample").
    """
    where = Path(path).expanduser()
    found = _from_run(where, benchmark, whose) if where.is_dir() else _from_file(where, benchmark, whose)
    if not found:
        raise ValueError(f"{path} holds no trajectory: no episode in which commands were given.")
    return Stored(tuple(one for one, _ in found), tuple(sample for _, sample in found))


def _from_run(folder: Path, benchmark: str, whose: str | None) -> list[tuple[Experience, str]]:
    records = _whole(folder)
    memories = folder / _MEMORIES
    leavings = Leavings(memories if memories.is_dir() else None, records)
    lived = [
        (leavings.experience(record.episode.id), record.sample) for record in _acted(folder, records, benchmark, whose)
    ]
    return [(experience, sample) for experience, sample in lived if experience is not None]


def _acted(
    folder: Path, records: Mapping[str, EpisodeRecord], benchmark: str, whose: str | None
) -> Iterator[EpisodeRecord]:
    """Yield the records of a run in which somebody acted."""
    rows = dict.fromkeys(row_of(record) for record in records.values())
    if whose is not None and whose not in rows:
        raise registry.unknown(f"row of the run {folder} called", whose, rows)
    for record in records.values():
        if not any(result.operation == "act" for step in record.steps for result in step.results):
            continue
        _same(benchmark, record.setting["benchmark"]["benchmark"], record.episode.id, folder)
        if whose in (None, row_of(record)) and record.outcome is not None:
            yield record


def _whole(folder: Path) -> dict[str, EpisodeRecord]:
    """Return the records of a run by episode, each the last of it.

    A cut last line is an error, since what is formed from must not depend on a kill.
    """
    from ..report.runs import cut_line

    path = folder / _RECORDS
    if not path.is_file():
        raise FileNotFoundError(f"{folder} holds no {_RECORDS}: it is not the folder of a run that was played.")
    records = list(read_records(path))
    if cut := cut_line(path, len(records)):
        raise ValueError(f"{folder}: {cut} Go on with that run first: memgym bench --resume {folder}")
    return {record.episode.id: record for record in records}


def _from_file(path: Path, benchmark: str, whose: str | None) -> list[tuple[Experience, str]]:
    if not path.is_file():
        raise FileNotFoundError(f"There is no {path}; the folder of a run or a file of experiences was expected.")
    if whose is not None:
        raise ValueError(f"{path} is a file of experiences, which have no rows: whose={whose!r} is for runs.")
    with open(path, encoding="utf-8") as file:
        return [_read(line, f"{path}, line {number}", benchmark) for number, line in enumerate(file, 1) if line.strip()]


def _read(line: str, where: str, benchmark: str) -> tuple[Experience, str]:
    said = _object(line, where)
    _same(benchmark, said.pop("benchmark", benchmark), where, None)
    sample = str(said.pop("sample", ""))
    for key in said:
        if key not in _KEYS:
            raise ValueError(f"{where}: {registry.unknown('key of an experience named', key, _KEYS)}")
    try:
        return _EXPERIENCE.validate_python(said), sample
    except ValidationError as broken:
        raise ValueError(f"{where} is not an experience: {' '.join(str(broken).split())}") from None


def _object(line: str, where: str) -> dict[str, Any]:
    try:
        said = json.loads(line)
    except json.JSONDecodeError as broken:
        cut = "" if line.endswith("\n") else " (the file seems to be cut off there)"
        raise ValueError(f"{where} is not an experience{cut}: {broken}") from None
    if not isinstance(said, dict):
        raise ValueError(f"{where} is not an experience but a {type(said).__name__}; an object was expected.")
    return said


_EXPERIENCE: TypeAdapter[Experience] = TypeAdapter(Experience)


def _same(benchmark: str, other: Any, what: str, folder: Path | None) -> None:
    if other != benchmark:
        told = f"{what} of {folder}" if folder is not None else what
        raise ValueError(f"{told} was lived in {other}; trajectories of {benchmark} were expected.")
