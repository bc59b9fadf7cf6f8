"""What an episode earns in training: the environment's own reward, a metric of its answers, or a judge, by name.

Terms that shape a reward are off unless a weight is given, and are returned apart, so that curves can show both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, NamedTuple, Protocol, cast

from memgym import registry
from memgym.model import ChatModel
from memgym.records import EpisodeRecord
from memgym.task import Outcome
from memgym.verdict import Case, Judge, cases_of

from .measures import malformed_share, operations

OUTCOME, JUDGE = "outcome", "judge"
UNLIMITED = 100
"""What the number of entries is divided by where memory has no capacity."""


@dataclass(frozen=True, slots=True)
class Earned:
    """``reward`` is trained on: ``base`` less the weighed ``terms``. Of a failed episode all are 0.

    ``unjudged`` is the share of its questions on which a judge gave no verdict; they count 0 in ``base``.
    """

    reward: float
    base: float
    terms: Mapping[str, float] = field(default_factory=dict)
    unjudged: float = 0.0


class Scored(NamedTuple):
    """A score in [0, 1], and the share of its questions that a judge gave no verdict on."""

    value: float
    unjudged: float = 0.0


class Score(Protocol):
    """The part of a reward that is not shaping, of a record with an outcome."""

    async def __call__(self, record: EpisodeRecord, /) -> Scored: ...


class Reward:
    """Scores episodes.

    Args:
        name: "outcome" (what the environment gave: exact match question by question, or the success of a task), the
            name of a metric of answers ("em", "em_math", "f1"), or "judge".
        model: answers a judge's requests, each in ``max_tokens`` or fewer (1,024).
        format, memory: weights of what is taken off: the share of malformed operations, and the mean number of entries
            over the capacity (without one: over 100), each at most 1.
    """

    def __init__(
        self,
        name: str = OUTCOME,
        *,
        model: ChatModel | None = None,
        max_tokens: int = 1024,
        format: float = 0.0,
        memory: float = 0.0,
    ) -> None:
        self._score = _score(name, model, max_tokens)
        self._weights = {"format": format, "memory": memory}

    async def __call__(self, record: EpisodeRecord) -> Earned:
        if record.error is not None or record.outcome is None:
            return Earned(0.0, 0.0)
        base, unjudged = await self._score(record)
        terms = {name: _TERMS[name](record) for name, weight in self._weights.items() if weight}
        return Earned(base - sum(self._weights[name] * term for name, term in terms.items()), base, terms, unjudged)


def _malformed(record: EpisodeRecord) -> float:
    return malformed_share(operations(record))


def _fullness(record: EpisodeRecord) -> float:
    capacity = record.setting["options"].get("capacity") or UNLIMITED
    return min(1.0, fmean([step.size for step in record.steps] or [0]) / capacity)


_TERMS: Mapping[str, Callable[[EpisodeRecord], float]] = {"format": _malformed, "memory": _fullness}


def _score(name: str, model: ChatModel | None, max_tokens: int) -> Score:
    if name == OUTCOME:
        return _outcome
    if name == JUDGE:
        if model is None:
            raise ValueError("The reward 'judge' asks a model about each answer and has none: give model=...")
        return _Judge(model, max_tokens)
    if name not in registry.names("metric"):
        raise registry.unknown("reward", name, [OUTCOME, JUDGE, *registry.names("metric")])
    return _Metric(registry.load("metric", name))


async def _outcome(record: EpisodeRecord) -> Scored:
    return Scored(0.0 if record.outcome is None else record.outcome.reward)


class _Metric:
    """The mean of a metric over questions; one that was not answered counts 0."""

    def __init__(self, metric: Callable[[str, Sequence[str]], float]) -> None:
        self._metric = metric

    async def __call__(self, record: EpisodeRecord) -> Scored:
        outcome = _questioned(record)
        pairs = zip(outcome.predictions, outcome.references, strict=True)
        return Scored(fmean(0.0 if given is None else self._metric(given, accepted) for given, accepted in pairs))


class _Judge:
    """Asks a model about each answer that was given, as ``memgym judge`` does: the same prompt, the same verdicts.

    AtomMem's judge, deviating: one question at a time, so that no answer can be credited to another; greedy instead of
    temperature 0.6. Where all of eight calls in a row fail, the ModelError of the last one ends the training: rewards
    of nobody teach nothing.
    """

    def __init__(self, model: ChatModel, max_tokens: int) -> None:
        self._judge = Judge(model, max_tokens)

    async def __call__(self, record: EpisodeRecord) -> Scored:
        marks = [await self._mark(case) for case in cases_of(_questioned(record))]
        return Scored(fmean(float(mark or 0) for mark in marks), fmean(mark is None for mark in marks))

    async def _mark(self, case: Case | None) -> bool | None:
        """Return whether an answer is correct, which none is not; None where no verdict could be had."""
        return False if case is None else (await self._judge.verdict(case)).correct


def _questioned(record: EpisodeRecord) -> Outcome:
    outcome = record.outcome
    if outcome is None or not outcome.references:
        raise ValueError(
            f"The environment {record.episode.env!r} asks no questions, so its answers cannot be scored: the reward "
            "'outcome' is the success of its tasks."
        )
    return outcome


def make_reward(data: Mapping[str, Any]) -> Reward:
    """Build a Reward from plain data: its name and weights, with ``model`` a name and ``model_options`` its own."""
    said = dict(data)
    options = cast("dict[str, Any]", said.pop("model_options", None) or {})
    model = said.pop("model", None)
    return Reward(**said, model=None if model is None else registry.make_model(model, **options))
