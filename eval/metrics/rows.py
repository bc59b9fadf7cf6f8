"""One row of a table: everything that an agent's episodes say, with both denominators.

``reward`` counts a failed episode as 0 (all episodes asked for); ``reward_played`` leaves failed ones out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from memgym.model import Usage
from memgym.records import EpisodeRecord

from .bounds import BOUNDS, bound_of
from .diagnosis import diagnosis
from .growth import Growth, growth
from .intervals import Estimate, estimate, estimates
from .scores import is_score

_SIZES = 100
"""Steps for which the size of memory is kept."""


@dataclass(frozen=True, slots=True)
class Row:
    """The scores of one agent in one run. ``metrics`` are means over played episodes that define them.

    ``tokens`` are those observed and written an episode (cl100k), ``operations`` and their kinds are per step,
    ``calls`` and ``model_tokens`` per episode; ``per_step`` has all four per step. ``asked`` tells whether there were
    questions; a game has none. ``bound`` says what kind of bound the row is ("": a competitor), ``seeds`` are those of
    its episodes, ``size`` step numbers and the mean number of entries in memory after each.
    """

    agent: str
    privileged: bool
    n: int
    failed: int
    truncated: int
    reward: Estimate
    reward_played: Estimate
    metrics: Mapping[str, Estimate]
    steps: float
    operations: float
    kinds: Mapping[str, float]
    statuses: Mapping[str, int]
    tokens: float
    calls: float
    model_tokens: float
    degraded: int
    cost: float
    errors: tuple[str, ...]
    asked: bool = True
    bound: str = ""
    seeds: tuple[int, ...] = ()
    per_step: Mapping[str, float] = field(default_factory=dict)
    size: Growth = ((), ())

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def row_of(record: EpisodeRecord) -> str:
    """Return the name of the row to which a record belongs."""
    return record.episode.tags.get("row", record.episode.agent)


def groups_of(records: Sequence[EpisodeRecord]) -> dict[str, list[EpisodeRecord]]:
    """Return the records that are scores by their row, in the order in which rows first appear."""
    groups: dict[str, list[EpisodeRecord]] = {}
    for record in filter(is_score, records):
        groups.setdefault(row_of(record), []).append(record)
    return groups


def rows(records: Sequence[EpisodeRecord]) -> list[Row]:
    """Return a row for each agent, in the order in which agents first appear; of what is no score there is none."""
    return [_row(name, group) for name, group in groups_of(records).items()]


def is_scored(row: Row, model: str) -> bool:
    """Return whether a row's answers are its own: with the model "none" those of who would have asked one are not."""
    return model != "none" or not row.asked or row.privileged or row.bound == BOUNDS["random"]


def _row(name: str, records: Sequence[EpisodeRecord]) -> Row:
    played = [record for record in records if record.outcome is not None]
    rewards = [0.0 if record.outcome is None else record.outcome.reward for record in records]
    steps = max(1, sum(len(record.steps) for record in records))
    results = Counter((r.operation, r.status) for record in records for step in record.steps for r in step.results)
    kinds, statuses = Counter[str](), Counter[str]()
    for (kind, status), count in results.items():
        kinds[kind] += count
        statuses[str(status)] += count
    usages = [record.usage for record in records]
    memory_kinds = {
        kind: count for kind, count in sorted(kinds.items()) if kind not in ("action", "answer", "act", "advance")
    }
    return Row(
        agent=name,
        privileged=any(record.privileged for record in records),
        n=len(records),
        failed=len(records) - len(played),
        truncated=sum(record.truncated for record in records),
        reward=estimate(rewards),
        reward_played=estimate([record.outcome.reward for record in played if record.outcome]),
        metrics=_metrics(played),
        steps=steps / len(records),
        operations=sum(memory_kinds.values()) / steps,
        kinds={kind: count / steps for kind, count in memory_kinds.items()},
        statuses=dict(sorted(statuses.items())),
        tokens=sum(_tokens(record) for record in records) / len(records),
        calls=sum(usage.calls for usage in usages) / len(records),
        model_tokens=sum(usage.prompt_tokens + usage.completion_tokens for usage in usages) / len(records),
        degraded=sum(usage.failures for usage in usages),
        cost=sum(usage.cost for usage in usages),
        errors=tuple(sorted({record.error for record in records if record.error})),
        asked=not played or any(record.outcome.references for record in played if record.outcome),
        bound=bound_of(records[0]),
        seeds=tuple(dict.fromkeys(record.episode.seed for record in records)),
        per_step=_per_step(sum(memory_kinds.values()), records, usages, steps),
        size=growth(records, _SIZES),
    )


def _per_step(
    operations: int, records: Sequence[EpisodeRecord], usages: Sequence[Usage], steps: int
) -> dict[str, float]:
    """Return operations, tokens, model calls and model tokens a step; a first observation counts with the first."""
    totals = {
        "operations": operations,
        "tokens": sum(_tokens(record) for record in records),
        "calls": sum(usage.calls for usage in usages),
        "model_tokens": sum(usage.prompt_tokens + usage.completion_tokens for usage in usages),
    }
    return {name: total / steps for name, total in totals.items()}


def _metrics(played: Sequence[EpisodeRecord]) -> dict[str, Estimate]:
    """Return the means of what outcomes say, and of the diagnosis that is made of it."""
    told = [{**record.outcome.metrics, **diagnosis(record.outcome)} for record in played if record.outcome]
    names = dict.fromkeys(name for one in told for name in one)
    columns = ([one[name] for one in told if name in one] for name in names)
    return dict(zip(names, estimates(list(columns)), strict=True))


def _tokens(record: EpisodeRecord) -> int:
    return record.start_tokens + sum(sum(step.tokens) for step in record.steps)
