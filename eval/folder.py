"""A run's folder: the resolved config, the records as they come, the metrics. It can be resumed and rescored."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from memgym.files import next_free, write_whole
from memgym.records import Episode, EpisodeRecord, read_records

from .config import RunConfig

CONFIG, RECORDS, METRICS, MEMORIES = "config.yaml", "records.jsonl", "metrics.json", "memories"


class RunFolder:
    """The files of one run. Records are appended and flushed; ``close`` puts them in the order of the plan."""

    def __init__(self, path: Path, config: RunConfig) -> None:
        self.path = path
        self.config = config
        self._file: Any = None

    @classmethod
    def create(cls, path: Path | None, config: RunConfig) -> RunFolder:
        """Make a new folder: ``path``, or the next free ``runs/<env>-<number>``. A used one is a FileExistsError."""
        path = path or next_free(Path("runs"), config.env.rpartition("/")[2])
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise FileExistsError(f"{path} is in use. Give another --out, or go on with it: --resume {path}")
        path.mkdir(parents=True, exist_ok=True)
        config.save(path / CONFIG)
        return cls(path, config)

    @classmethod
    def resume(cls, path: Path) -> RunFolder:
        """Open a folder that a run left; without a config in it that is a FileNotFoundError."""
        if not (path / CONFIG).is_file():
            raise FileNotFoundError(f"{path} holds no {CONFIG}: it is not the folder of a run.")
        return cls(path, RunConfig.load(path / CONFIG))

    @property
    def memories(self) -> Path:
        """Where what episodes left for others is kept; it can be made anew from the records."""
        return self.path / MEMORIES

    def records(self) -> dict[str, EpisodeRecord]:
        """Return the records that are there by episode id; a later record of an episode replaces an earlier one."""
        path = self.path / RECORDS
        return {record.episode.id: record for record in read_records(path)} if path.exists() else {}

    def append(self, record: EpisodeRecord) -> None:
        """Add a record; it is on its way to the disk when this returns."""
        if self._file is None:
            self._mend()
            self._file = open(self.path / RECORDS, "a", encoding="utf-8")  # noqa: SIM115
        self._file.write(record.line() + "\n")
        self._file.flush()

    def _mend(self) -> None:
        """Drop a half-written last line, so that what is appended starts on a line of its own."""
        path = self.path / RECORDS
        if path.exists() and not path.read_bytes().endswith(b"\n"):
            self._rewrite(self.records().values())

    def close(self, plan: Iterable[Episode]) -> dict[str, EpisodeRecord]:
        """Put the records into the order of the plan, so that a file does not depend on workers, and return them."""
        if self._file is not None:
            self._file.close()
            self._file = None
        found = self.records()
        ordered = {episode.id: found[episode.id] for episode in plan if episode.id in found}
        self._rewrite(ordered.values())
        return ordered

    def _rewrite(self, records: Iterable[EpisodeRecord]) -> None:
        write_whole(self.path / RECORDS, "".join(record.line() + "\n" for record in records))

    def discard_if_unused(self) -> None:
        """Remove a folder in which nothing was played: a start that was refused is no run."""
        left = [path for path in self.path.iterdir() if path.name != CONFIG]
        if self._file is None and not left:
            (self.path / CONFIG).unlink(missing_ok=True)
            self.path.rmdir()

    def save_metrics(self, metrics: Mapping[str, Any]) -> None:
        write_whole(self.path / METRICS, json.dumps(metrics, indent=1) + "\n")
