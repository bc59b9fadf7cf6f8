"""What was lived, shown as a task: recorded trajectories come one a step, so that learning from them is memory too.

Separate from the worlds in which they were lived: ExpeL and AWM form their memory here by operations, like everybody
else, and a protocol decides when such an episode is played (after each task, after a batch, once).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from numpy.random import Generator

from memgym.operations import Advance, Command, Result, Status
from memgym.replay import experiences_of, lived_in, replays
from memgym.task import Benchmark, Experience, Outcome, Sample, Task, TaskView

from .files import DataNotFound
from .shelf import Shelf

GUIDE = (
    "You are shown what was lived in earlier episodes, one at a time: the task, what was observed and done, and how it "
    "ended. You will not see them again. Keep in memory what will help with such tasks."
)
CLOSING = f"{GUIDE}\n\nThat was the last one: advance when your memory is in order."
SPARE = 8
"""Steps that the horizon grants beyond one an experience."""

__all__ = ["ExperienceTask", "LivedExperience", "experiences_of"]


class ExperienceTask(Task):
    """Shows experiences in order (phase "read"), then an empty view in which memory can be tidied, until it advances.

    There is nothing to win: the reward is 1 if all was shown and the task was closed, else 0, and there are no metrics.
    """

    def __init__(self, experiences: Sequence[Experience], at: int = 0) -> None:
        self._experiences = tuple(experiences)
        self._at = at

    @property
    def view(self) -> TaskView:
        if self.done:
            return TaskView(GUIDE, "", "done", ())
        if self._at == len(self._experiences):
            return TaskView(CLOSING, "", "read", ("advance",))
        shown = self._experiences[self._at]
        guide = f"{GUIDE}\n\nNow showing {self._at + 1} of {len(self._experiences)}."
        return TaskView(guide, shown.render(), "read", ("advance",), experience=shown)

    @property
    def done(self) -> bool:
        return self._at > len(self._experiences)

    @property
    def horizon(self) -> int:
        """One step an experience, one to close, and some to spare."""
        return len(self._experiences) + 1 + SPARE

    def take(self, command: Command) -> Result:
        if self.done:
            return Result(command.kind, Status.MASKED, reason="Everything was shown.")
        if not isinstance(command, Advance):
            return Result(command.kind, Status.MASKED, reason="There is nothing to do here but to advance.")
        self._at += 1
        return Result("advance", Status.OK)

    def outcome(self) -> Outcome:
        return Outcome(float(self.done))

    def cheat(self) -> Command:
        if self.done:
            raise RuntimeError("There is no winning command: everything was shown.")
        return Advance()

    def fork(self) -> ExperienceTask:
        return ExperienceTask(self._experiences, self._at)

    def state(self) -> dict[str, Any]:
        """Return how far it is, and what is shown in which order."""
        return {"at": self._at, "experiences": [[one.task, one.success] for one in self._experiences]}


class LivedExperience(Benchmark):
    """Recorded trajectories to learn from, given as data or as the records of episodes played in a world.

    Args:
        experiences: Experiences as JSON: {"task", "steps": [[observed, done], ...], "success", "task_type"}.
        records: The path of a ``records.jsonl``. Records keep digests of observations, so every episode is played
            again to have the texts; episodes in which nothing was acted, and those that failed to play, are left out.
        per_episode: How many experiences an episode shows; None: all. Samples are runs of that many.
        shuffle: Show the experiences of an episode in an order of its own seed.

    Raises:
        DataNotFound: Neither is given, or the records hold no experience. ValueError: What is given is none, both are
        given, or a record cannot be played again as it was. All at first use.
    """

    name: ClassVar[str] = "Experience"
    provides: ClassVar[frozenset[str]] = frozenset({"sample_id", "task_spec", "steps", "success", "raw_text"})

    def __init__(
        self,
        *,
        experiences: Sequence[Mapping[str, Any]] = (),
        records: str | None = None,
        per_episode: int | None = None,
        shuffle: bool = True,
    ) -> None:
        if per_episode is not None and per_episode < 1:
            raise ValueError(f"per_episode={per_episode}: an episode shows at least one experience, or all (None).")
        if experiences and records is not None:
            raise ValueError("Give experiences or records, not both: whose order would hold?")
        self.given, self.records = experiences, records
        self.per_episode, self.shuffle = per_episode, shuffle

    def draw(self, rng: Generator) -> Sample:
        return self._shelf.draw(rng)

    def sample(self, id: str) -> Sample:
        return self._shelf.sample(id)

    def schedule(self, rng: Generator, count: int) -> Sequence[str]:
        """Return ``count`` ids in the order in which they were lived, from the start again when all were shown."""
        ids = [sample.id for sample in self._shelf.samples]
        return [ids[number % len(ids)] for number in range(count)]

    def task(self, sample: Sample, rng: Generator) -> Task:
        shown: tuple[Experience, ...] = sample.data["experiences"]
        order = rng.permutation(len(shown)) if self.shuffle else range(len(shown))
        return ExperienceTask([shown[int(at)] for at in order])

    def describe(self) -> dict[str, Any]:
        """Return the options, how many experiences there are and how many went well, and their checksum."""
        lived = self.experiences
        return {
            **super().describe(),
            "per_episode": self.per_episode,
            "shuffle": self.shuffle,
            "experiences": len(lived),
            "successes": sum(one.success for one in lived),
            "checksum": _checksum(lived),
        }

    @cached_property
    def experiences(self) -> tuple[Experience, ...]:
        """All experiences, in the order in which they were given or recorded."""
        if self.records is not None:
            found = tuple(_recorded(self.records))
            if not found:
                raise DataNotFound(f"{Path(self.records).name} holds no episode in which commands were given.")
            return found
        if not self.given:
            raise DataNotFound("There is nothing to show: give experiences=[...], or records=PATH of a played world.")
        return _validated(self.given)

    @cached_property
    def _shelf(self) -> Shelf:
        lived = self.experiences
        size = self.per_episode or len(lived)
        runs = [range(first, min(first + size, len(lived))) for first in range(0, len(lived), size)]
        samples = [
            Sample(f"{run[0] + 1}-{run[-1] + 1}", data={"experiences": tuple(lived[at] for at in run)}) for run in runs
        ]
        return Shelf(samples, "There is no experience to show.")


def _recorded(path: str) -> Iterator[Experience]:
    for record, again in replays(Path(path).expanduser()):
        yield from lived_in(record, again)


def _validated(given: Sequence[Mapping[str, Any]]) -> tuple[Experience, ...]:
    from pydantic import TypeAdapter

    return TypeAdapter(tuple[Experience, ...]).validate_python([dict(one) for one in given])


def _checksum(lived: Sequence[Experience]) -> str:
    values = [[one.task, [list(step) for step in one.steps], one.success, one.task_type] for one in lived]
    return f"sha256:{hashlib.sha256(json.dumps(values).encode()).hexdigest()}"
