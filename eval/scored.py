"""A run as its scores: rows, what its protocol measured, and which rows can be told apart. What metrics.json holds.

Separate from playing, so that a run that is scored again, or read by a report, says the same in the same words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from memgym.records import EpisodeRecord

from .config import RunConfig
from .judging.agreement import Judgement, judgements
from .metrics.paired import Comparison, compare
from .metrics.rows import Row, groups_of, is_scored, rows
from .protocols.protocol import Measure


@dataclass(frozen=True, slots=True)
class Scored:
    """What the records of a run come to, without any model."""

    config: RunConfig
    settings: tuple[Any, ...]
    rows: tuple[Row, ...]
    measures: tuple[Measure, ...]
    comparisons: tuple[Comparison, ...]
    judgements: tuple[Judgement, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return what metrics.json holds: the rows, the config, and what produced the data."""
        return {
            "config": self.config.model_dump(),
            "settings": list(self.settings),
            "rows": [row.to_json() for row in self.rows],
            "measures": [asdict(one) for one in self.measures],
            "comparisons": [asdict(one) for one in self.comparisons],
            "judgements": [asdict(one) for one in self.judgements],
        }


def score(config: RunConfig, records: Sequence[EpisodeRecord]) -> Scored:
    """Score the records of a run."""
    made = rows(records)
    distinct = {repr(record.setting): record.setting for record in records}
    measures = tuple(config.scheduler.measures(records))
    compared = tuple(_compared(config, made, records))
    judged = tuple(judgements(groups_of(records)))
    return Scored(config, tuple(distinct.values()), tuple(made), measures, compared, judged)


def _compared(config: RunConfig, made: Sequence[Row], records: Sequence[EpisodeRecord]) -> list[Comparison]:
    """Compare the rows whose rewards say something."""
    groups = groups_of(records)
    scored = {row.agent: groups[row.agent] for row in made if is_scored(row, config.model)}
    return compare(scored, frozenset(row.agent for row in made if row.bound))
