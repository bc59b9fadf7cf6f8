"""A run as its scores: rows, what its protocol measured, and which rows can be told apart. What metrics.json holds.

Separate from playing, so that a run that is scored again, or read by a report, says the same in the same words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    made, groups = rows(records), groups_of(records)
    return Scored(
        config, tuple(settings_of(records)), tuple(made), tuple(config.scheduler.measures(records)),
        tuple(_compared(config, made, groups)), tuple(judgements(groups)),
    )  # fmt: skip


def settings_of(records: Sequence[EpisodeRecord]) -> list[Any]:
    """Return the distinct settings under which records were made (versions, options, data checksum, encoder)."""
    return list({repr(record.setting): record.setting for record in records}.values())


def _compared(
    config: RunConfig, made: Sequence[Row], groups: Mapping[str, Sequence[EpisodeRecord]]
) -> list[Comparison]:
    """Compare the rows whose rewards say something."""
    scored = {row.agent: groups[row.agent] for row in made if is_scored(row, config.model)}
    return compare(scored, frozenset(row.agent for row in made if row.bound))
