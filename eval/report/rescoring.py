"""Scores computed again from what a record holds: predictions, references and the name of each question's metric.

No model and no environment take part. What only a played episode can tell (evidence, memory size, a game won) is kept
as it was recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import fmean
from typing import Any, cast

from memgym import registry
from memgym.records import EpisodeRecord
from memgym.task import Outcome

Metric = Callable[[str, Sequence[str]], float]
BY_CATEGORY = "score/"
OTHER = "other"
_SHORT = 500
"""Characters of an answer whose scores are remembered."""


def metric_of(name: str) -> Metric:
    """Return a registered metric; an unknown one is an UnknownName error with the nearest."""
    return cast("Metric", registry.load("metric", name))


def prepare(metric: Metric, records: Iterable[EpisodeRecord]) -> None:
    """Tell a metric that asks for it (by a method ``prepare``) of all answers that it is about to score."""
    ready = getattr(metric, "prepare", None)
    if ready is not None:
        outcomes = [record.outcome for record in records if record.outcome is not None]
        pairs = (pair for one in outcomes for pair in zip(one.predictions, one.references, strict=True))
        ready([(said, accepted) for said, accepted in pairs if said is not None])


def described(names: Iterable[str]) -> dict[str, Any]:
    """Return what the scores of these metrics depend on, for those that say so (by a method ``describe``)."""
    told = {name: getattr(metric_of(name), "describe", None) for name in names}
    return {name: describe() for name, describe in told.items() if describe is not None}


def rescored(record: EpisodeRecord, more: Sequence[str] = ()) -> EpisodeRecord:
    """Return the record with its outcome scored again, and by the metrics ``more`` as well.

    A failed episode and one without questions come back as they are.
    """
    outcome = record.outcome
    if outcome is None or not outcome.references:
        return record
    return replace(record, outcome=_scored(outcome, more))


def question_scores(outcome: Outcome) -> list[float]:
    """Return each question's part of the reward; empty where the record does not name the metrics (a game)."""
    return _parts(outcome, _columns(outcome, dict.fromkeys(outcome.scored_by)))


def categories_of(outcome: Outcome) -> tuple[str, ...]:
    """Return each question's category, "other" where it has none; empty where no question has one."""
    return tuple(category or OTHER for category in outcome.categories)


def _columns(outcome: Outcome, names: Iterable[str]) -> dict[str, list[float]]:
    """Return the score of every question by each of these metrics, each computed once; not answered counts 0."""
    pairs = list(zip(outcome.predictions, outcome.references, strict=True))
    metrics = {name: metric_of(name) for name in names}
    return {
        name: [0.0 if said is None else _once(metric, said, accepted) for said, accepted in pairs]
        for name, metric in metrics.items()
    }


def _once(metric: Metric, said: str, accepted: Sequence[str]) -> float:
    """Return a score; of a short answer it is computed once, however many episodes and diagnoses ask for it."""
    if len(said) > _SHORT:
        return metric(said, accepted)
    return _remembered(metric, said, tuple(accepted))


@lru_cache(maxsize=1 << 17)
def _remembered(metric: Metric, said: str, accepted: tuple[str, ...]) -> float:
    return metric(said, accepted)


def _parts(outcome: Outcome, columns: Mapping[str, Sequence[float]]) -> list[float]:
    if len(outcome.scored_by) != len(outcome.references):
        return []
    return [columns[name][at] for at, name in enumerate(outcome.scored_by)]


def _scored(outcome: Outcome, more: Sequence[str]) -> Outcome:
    known = registry.names("metric")
    named = [name for name in outcome.metrics if name in known]
    columns = _columns(outcome, dict.fromkeys([*named, *more, *outcome.scored_by]))
    parts = _parts(outcome, columns)
    made = {name: fmean(columns[name]) for name in dict.fromkeys([*named, *more])}
    return replace(
        outcome,
        reward=fmean(parts) if parts else outcome.reward,
        metrics={**outcome.metrics, **_by_category(outcome, parts), **made},
    )


def _by_category(outcome: Outcome, parts: Sequence[float]) -> dict[str, float]:
    """Return the means by category that the outcome reports."""
    groups: dict[str, list[float]] = {}
    for part, category in zip(parts, categories_of(outcome), strict=False):
        groups.setdefault(BY_CATEGORY + category, []).append(part)
    return {name: fmean(group) for name, group in groups.items() if name in outcome.metrics}


@dataclass(frozen=True, slots=True)
class Change:
    """A score that is not what it was: in which episode, which score, then and now."""

    episode: str
    score: str
    recorded: float
    now: float

    def __str__(self) -> str:
        return f"{self.episode}: {self.score} was {self.recorded!r} and is now {self.now!r}"


def changes(old: EpisodeRecord, new: EpisodeRecord) -> list[Change]:
    """Return every score that differs between a record and the same scored again; what was added is no change."""
    if old.outcome is None or new.outcome is None:
        return []
    then = _scores_of(old.outcome)
    now = _scores_of(new.outcome)
    return [Change(old.episode.id, name, value, now[name]) for name, value in then.items() if now[name] != value]


def _scores_of(outcome: Outcome) -> Mapping[str, float]:
    return {"reward": outcome.reward, **outcome.metrics}
