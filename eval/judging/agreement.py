"""What a judge's verdicts on a row come to: the score, both denominators, and how far it agrees with exact match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memgym import registry
from memgym.records import EpisodeRecord

from ..metrics.intervals import Estimate, estimate
from .verdicts import METRIC


@dataclass(frozen=True, slots=True)
class Judgement:
    """A row as its judge sees it.

    ``score`` is the mean over episodes of the share that is correct of what was judged; ``questions`` is how many there
    were in episodes that were played, ``judged`` how many have a verdict. ``agreement`` is the share of judged answers
    on which the verdict and exact match say the same, ``kappa`` that share corrected for chance (Cohen 1960; None where
    both always say one and the same, which chance explains wholly).
    """

    row: str
    judge: Mapping[str, Any]
    score: Estimate
    questions: int
    judged: int
    agreement: float | None
    kappa: float | None

    @property
    def failed(self) -> int:
        """Questions without a verdict; they are in no score."""
        return self.questions - self.judged


def judgements(groups: Mapping[str, Sequence[EpisodeRecord]]) -> list[Judgement]:
    """Return what the judge says of each row; rows that were not judged are left out."""
    made = ((name, [one for one in records if one.outcome and one.outcome.judged]) for name, records in groups.items())
    return [_judgement(name, records) for name, records in made if records]


def _judgement(name: str, records: Sequence[EpisodeRecord]) -> Judgement:
    outcomes = [record.outcome for record in records if record.outcome]
    pairs = [pair for record in records for pair in _pairs(record)]
    return Judgement(
        name,
        records[0].setting[METRIC],
        estimate([outcome.metrics[METRIC] for outcome in outcomes if METRIC in outcome.metrics]),
        sum(len(outcome.judged) for outcome in outcomes),
        len(pairs),
        sum(one == other for one, other in pairs) / len(pairs) if pairs else None,
        kappa(pairs),
    )


def _pairs(record: EpisodeRecord) -> Iterator[tuple[bool, bool]]:
    """Yield for each judged answer the verdict and what exact match says."""
    exact, outcome = registry.load("metric", "em"), record.outcome
    assert outcome is not None
    for judged, said, accepted in zip(outcome.judged, outcome.predictions, outcome.references, strict=True):
        if judged is not None:
            yield judged == 1.0, said is not None and exact(said, accepted) == 1.0


def kappa(pairs: Sequence[tuple[bool, bool]]) -> float | None:
    """Return Cohen's kappa of two raters with two marks; None without pairs, or if both gave one mark throughout."""
    if not pairs:
        return None
    n = len(pairs)
    first, second = (sum(pair[rater] for pair in pairs) / n for rater in (0, 1))
    chance = first * second + (1 - first) * (1 - second)
    if chance == 1.0:
        return None
    return (sum(one == other for one, other in pairs) / n - chance) / (1 - chance)
