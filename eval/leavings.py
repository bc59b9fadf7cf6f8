"""What episodes leave for others: their memory and what was lived, as files of a run, or made anew from its records.

Separate from records, which stay small: a record names the episode whose memory it began with, and holds no memory.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pydantic import TypeAdapter

from memgym.files import write_whole
from memgym.memory.memory import digest_of
from memgym.records import Episode, EpisodeRecord
from memgym.replay import played_again
from memgym.rollout import Cast, Played
from memgym.task import Experience

_CACHED = 32
"""Memories that are held beside the files; a chain asks for the last one only."""
_LONGEST = 150
"""Characters of a file's name that are an episode's id; of a longer one the rest is a digest."""


class Leavings:
    """What the episodes of one run left, by episode id, in ``folder``, one file each (None: held in memory alone).

    A file that is missing or broken, or is not what its record says, is made anew: the episode is played again from
    its record, and those that it comes after before it. So the folder may be deleted at any time.
    """

    def __init__(self, folder: Path | None, records: Mapping[str, EpisodeRecord]) -> None:
        self._folder = folder
        self._records = dict(records)
        self._held: dict[str, dict[str, Any]] = {}
        self._cast = Cast()

    def add(self, played: Played) -> None:
        """Keep what an episode left; of a frozen one only what was lived."""
        record = played.record
        self._records[record.episode.id] = record
        left: dict[str, Any] = {} if record.episode.frozen else {"memory": played.memory}
        if played.experience is not None:
            left["experience"] = asdict(played.experience)
        if left:
            self._hold(record.episode.id, left)
            if self._folder is not None:
                self._folder.mkdir(exist_ok=True)
                write_whole(self._path(record.episode.id), json.dumps(left))

    def before(self, episode: Episode) -> Mapping[str, Any] | None:
        """Return the memory that an episode starts with, if it comes after another one."""
        return None if episode.after is None else self.memory(episode.after)

    def memory(self, id: str) -> Mapping[str, Any]:
        """Return the memory that an episode left; one of which there is no record is a ValueError."""
        missing = [id]
        while (found := self._found(missing[-1])) is None:
            record = self._record(missing[-1])
            if record.episode.after is None:
                break
            missing.append(record.episode.after)
        for one in reversed(missing):
            found = self._found(one) or self._again(self._record(one))
        memory: Mapping[str, Any] = (found or {})["memory"]
        return memory

    def experience(self, id: str) -> Experience | None:
        """Return what was lived in an episode, or None if no command was given in it, or it failed."""
        record = self._record(id)
        acted = any(result.operation == "act" for step in record.steps for result in step.results)
        if record.outcome is None or not acted:
            return None
        left = self._left(id)
        if "experience" not in left:
            left = self._again(record)
        lived = left.get("experience")
        return None if lived is None else TypeAdapter(Experience).validate_python(lived)

    def _record(self, id: str) -> EpisodeRecord:
        if id not in self._records:
            raise ValueError(
                f"The memory that the episode {id!r} left is asked for, but that episode is not on record."
            )
        return self._records[id]

    def _found(self, id: str) -> dict[str, Any] | None:
        """Return what is held or filed of an episode's memory, if that is the memory of its record."""
        left = self._left(id)
        memory = left.get("memory")
        return left if memory is not None and digest_of(memory) == self._record(id).memory else None

    def _left(self, id: str) -> dict[str, Any]:
        if id not in self._held and self._folder is not None and self._path(id).is_file():
            try:
                self._hold(id, json.loads(self._path(id).read_text(encoding="utf-8")))
            except ValueError:
                return {}  # a broken file is as good as none: what it held is made anew
        left = self._held.get(id, {})
        return left if isinstance(left, dict) else {}

    def _again(self, record: EpisodeRecord) -> dict[str, Any]:
        """Play an episode again from its record, whose predecessor's memory is there, and keep what it leaves."""
        again = played_again(record, self._cast, self.before(record.episode))
        if again.record.memory != record.memory:
            raise ValueError(
                f"The memory that the episode {record.episode.id!r} left is lost, and it does not play as recorded: it "
                f"leaves {again.record.memory} now, not {record.memory}."
            )
        self.add(Played(record, again.memory, again.experience))
        lived = {} if again.experience is None else {"experience": asdict(again.experience)}
        return {"memory": again.memory, **lived}

    def _hold(self, id: str, left: dict[str, Any]) -> None:
        self._held.pop(id, None)
        self._held[id] = left
        if self._folder is not None:
            while len(self._held) > _CACHED:
                del self._held[next(iter(self._held))]

    def _path(self, id: str) -> Path:
        assert self._folder is not None
        name = quote(id, safe=" ", errors="surrogatepass")
        if len(name) > _LONGEST:
            name = f"{name[:_LONGEST]}-{blake2b(name.encode(), digest_size=8).hexdigest()}"
        return self._folder / f"{name}.json"
