"""One row of a table: everything that an agent's episodes say, with both denominators.

``reward`` counts a failed episode as 0 (all episodes asked for); ``reward_played`` leaves failed ones out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from memgym.records import EpisodeRecord

from .intervals import Estimate, estimate
from .scores import is_score


@dataclass(frozen=True, slots=True)
class Row:
    """The scores of one agent in one run. ``metrics`` are means over played episodes that define them.

    ``tokens`` are those observed and written an episode (cl100k), ``operations`` and their kinds are per step,
    ``calls`` and ``model_tokens`` per episode. ``asked`` tells whether there were questions; a game has none.
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

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def rows(records: Sequence[EpisodeRecord]) -> list[Row]:
    """Return a row for each agent, in the order in which agents first appear; of what is no score there is none."""
    groups: dict[str, list[EpisodeRecord]] = {}
    for record in filter(is_score, records):
        groups.setdefault(record.episode.tags.get("row", record.episode.agent), []).append(record)
    return [_row(name, group) for name, group in groups.items()]


def _row(name: str, records: Sequence[EpisodeRecord]) -> Row:
    played = [record for record in records if record.outcome is not None]
    rewards = [0.0 if record.outcome is None else record.outcome.reward for record in records]
    steps = max(1, sum(len(record.steps) for record in records))
    kinds = Counter(r.operation for record in records for step in record.steps for r in step.results)
    statuses = Counter(str(r.status) for record in records for step in record.steps for r in step.results)
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
    )


def _metrics(played: Sequence[EpisodeRecord]) -> dict[str, Estimate]:
    names = dict.fromkeys(name for record in played if record.outcome for name in record.outcome.metrics)
    return {
        name: estimate([r.outcome.metrics[name] for r in played if r.outcome and name in r.outcome.metrics])
        for name in names
    }


def _tokens(record: EpisodeRecord) -> int:
    return record.start_tokens + sum(sum(step.tokens) for step in record.steps)
