"""A run as its folder holds it: config, records, and whether the last record was cut off."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memgym.collecting import uncollected
from memgym.records import EpisodeRecord, read_records

from ..config import RunConfig
from ..folder import RECORDS, RunFolder
from ..judging.verdicts import with_verdicts
from ..scored import settings_of


@dataclass(frozen=True, slots=True)
class Run:
    """A run that was read. ``cut`` says which line of the records was cut off, "" if none."""

    name: str
    path: Path
    config: RunConfig
    records: tuple[EpisodeRecord, ...]
    cut: str = ""

    @property
    def settings(self) -> list[Any]:
        """The distinct settings under which the records were made."""
        return settings_of(self.records)


def read_run(path: Path) -> Run:
    """Read the folder of a run. Half a last line (a killed run) is left out and told in ``cut``.

    A later record of an episode replaces an earlier one, and what a judge said of the run is put in. No config or no
    records: FileNotFoundError; a line that is no record: ValueError with its number.
    """
    folder = RunFolder.resume(path)
    file = folder.path / RECORDS
    if not file.is_file():
        raise FileNotFoundError(f"{path} holds no {RECORDS}: no episode was played to its end.")
    with uncollected():
        read = list(read_records(file))
    found = {record.episode.id: record for record in read}
    cut = cut_line(file, len(read))
    records = with_verdicts(list(found.values()), folder.path)
    return Run(folder.path.resolve().name, folder.path, folder.config, tuple(records), cut)


def read_runs(paths: Sequence[Path]) -> list[Run]:
    """Read several runs and give each a name of its own: the folder's, or its number too where two are the same."""
    runs = [read_run(path) for path in paths]
    names = [run.name for run in runs]
    return [
        run if names.count(run.name) == 1 else Run(f"{run.name} ({n})", run.path, run.config, run.records, run.cut)
        for n, run in enumerate(runs, 1)
    ]


def cut_line(path: Path, whole: int) -> str:
    """Return what was left of the line after the ``whole`` ones, in words; "" if the file ends with a whole one."""
    if _ends_whole(path):
        return ""
    with open(path, "rb") as file:
        rest = next((line for number, line in enumerate(file) if number == whole), b"")
    if not rest:
        return ""
    return (
        f"Line {whole + 1} of {path.name} was cut off after {len(rest):,} bytes; the {whole:,} records before it are "
        "kept."
    )


def _ends_whole(path: Path) -> bool:
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 1))
        return file.read(1) == b"\n"
