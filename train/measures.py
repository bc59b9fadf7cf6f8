"""What an episode of training says beside its reward: one flat table of numbers, the same for every trainer.

The operations per step by kind are what AtomMem's Figure 3 draws over the steps of training.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from memgym.operations import OPERATIONS, Malformed, Result, Status
from memgym.records import EpisodeRecord

from .segments import Segment

KINDS = tuple(OPERATIONS)
UNREAD = "action"
"""The kind of result that a reply gets in which there was no operation and no command."""


def measures(record: EpisodeRecord, segments: Sequence[Segment]) -> dict[str, float]:
    """Return the numbers of one episode.

    ``operations/<kind>`` are counted per step, whatever became of them; "malformed" are those that could not be read as
    one, and replies in which there was nothing to do. ``malformed_share`` and ``read_share`` are shares of all
    operations (0 where there are none). ``memory/size`` is the mean number of entries over the steps,
    ``memory/final`` the last. ``tokens/prompt`` and ``tokens/response`` are the policy's own, per call. ``truncated``
    and ``unfinished`` count the calls whose prompt was over its budget, and whose reply was cut by its own.
    """
    found = operations(record)
    steps = max(1, len(record.steps))
    sizes = [float(step.size) for step in record.steps] or [0.0]
    return {
        "steps": float(len(record.steps)),
        **{f"operations/{kind}": sum(one.operation == kind for one in found) / steps for kind in KINDS},
        "operations/malformed": sum(map(malformed, found)) / steps,
        "operations/refused": sum(not one.ok for one in found) / steps,
        "malformed_share": malformed_share(found),
        "read_share": sum(one.operation == "read" for one in found) / max(1, len(found)),
        "memory/size": fmean(sizes),
        "memory/final": sizes[-1],
        "tokens/prompt": _mean(len(one.prompt_ids) for one in segments),
        "tokens/response": _mean(len(one.response_ids) for one in segments),
        "truncated": float(sum(one.truncated for one in segments)),
        "unfinished": float(sum(not one.finished for one in segments)),
        "failed": float(record.error is not None),
    }


def operations(record: EpisodeRecord) -> list[Result]:
    """Return how each operation of an episode ended; commands to the task are none."""
    counted = {*KINDS, Malformed.kind, UNREAD}
    return [one for step in record.steps for one in step.results if one.operation in counted]


def malformed(result: Result) -> bool:
    """Whether an operation, or its parts, could not be read."""
    return result.status is Status.MALFORMED or result.operation == UNREAD


def malformed_share(results: Sequence[Result]) -> float:
    """Return the share of operations that could not be read."""
    return sum(map(malformed, results)) / max(1, len(results))


def mean_measures(episodes: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of each measure over the episodes that have it; every episode counts once."""
    names = dict.fromkeys(name for episode in episodes for name in episode)
    return {name: fmean(one[name] for one in episodes if name in one) for name in names}


def _mean(values: Iterable[int]) -> float:
    listed = list(values)
    return fmean(listed) if listed else 0.0
