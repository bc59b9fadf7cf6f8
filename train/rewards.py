"""What an episode earns in training: the environment's own reward, a metric of its answers, or a judge, by name.

Terms that shape a reward are off unless a weight is given, and are returned apart, so that curves can show both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, Protocol, cast

from memgym import registry
from memgym.model import ChatModel, Message, Request
from memgym.records import EpisodeRecord

from .measures import malformed_share, operations

OUTCOME, JUDGE = "outcome", "judge"
UNLIMITED = 100
"""What the number of entries is divided by where memory has no capacity."""

_VERDICT = re.compile(r"\b(pass|fail)\b", re.IGNORECASE)
_INSTRUCTION = (
    "You check answers. Given are the accepted answers to a question and one given answer. The given answer passes if "
    "it says the same as one of the accepted ones, however it is worded, and nothing that contradicts it. Reply with "
    'one word: "pass" or "fail".'
)


@dataclass(frozen=True, slots=True)
class Earned:
    """``reward`` is trained on: ``base`` less the weighed ``terms``. Of a failed episode all are 0."""

    reward: float
    base: float
    terms: Mapping[str, float] = field(default_factory=dict)


class Score(Protocol):
    """The part of a reward that is not shaping: of a record with an outcome, in [0, 1]."""

    async def __call__(self, record: EpisodeRecord, /) -> float: ...


class Reward:
    """Scores episodes.

    Args:
        name: "outcome" (what the environment gave: exact match question by question, or the success of a task), the
            name of a metric of answers ("em", "em_math", "f1"), or "judge".
        model: answers a judge's requests.
        format, memory: weights of what is taken off: the share of malformed operations, and the mean number of entries
            over the capacity (without one: over 100), each at most 1.
    """

    def __init__(
        self, name: str = OUTCOME, *, model: ChatModel | None = None, format: float = 0.0, memory: float = 0.0
    ) -> None:
        self._score = _score(name, model)
        self._weights = {"format": format, "memory": memory}

    async def __call__(self, record: EpisodeRecord) -> Earned:
        if record.error is not None or record.outcome is None:
            return Earned(0.0, 0.0)
        base = await self._score(record)
        terms = {name: _TERMS[name](record) for name, weight in self._weights.items() if weight}
        return Earned(base - sum(self._weights[name] * term for name, term in terms.items()), base, terms)


def _malformed(record: EpisodeRecord) -> float:
    return malformed_share(operations(record))


def _fullness(record: EpisodeRecord) -> float:
    capacity = record.setting["options"].get("capacity") or UNLIMITED
    return min(1.0, fmean([step.size for step in record.steps] or [0]) / capacity)


_TERMS: Mapping[str, Callable[[EpisodeRecord], float]] = {"format": _malformed, "memory": _fullness}


def _score(name: str, model: ChatModel | None) -> Score:
    if name == OUTCOME:
        return _outcome
    if name == JUDGE:
        if model is None:
            raise ValueError("The reward 'judge' asks a model about each answer and has none: give model=...")
        return _Judge(model)
    if name not in registry.names("metric"):
        raise registry.unknown("reward", name, [OUTCOME, JUDGE, *registry.names("metric")])
    return _Metric(registry.load("metric", name))


async def _outcome(record: EpisodeRecord) -> float:
    return 0.0 if record.outcome is None else record.outcome.reward


class _Metric:
    """The mean of a metric over questions; one that was not answered counts 0."""

    def __init__(self, metric: Callable[[str, Sequence[str]], float]) -> None:
        self._metric = metric

    async def __call__(self, record: EpisodeRecord) -> float:
        scores = [0.0 if given is None else self._metric(given, accepted) for given, accepted in _answers(record)]
        return fmean(scores)


class _Judge:
    """Asks a model about each answer; a reply without a verdict is a fail. After AtomMem's judge, in our own words.

    Deviations: one question at a time, so that no answer can be credited to another; greedy instead of temperature 0.6.
    """

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    async def __call__(self, record: EpisodeRecord) -> float:
        return fmean([await self._one(given, accepted) for given, accepted in _answers(record)])

    async def _one(self, given: str | None, accepted: Sequence[str]) -> float:
        if given is None or not given.strip():
            return 0.0
        inputs: dict[str, Any] = {"given": given, "accepted": list(accepted)}
        shown = f"Accepted answers:\n{chr(10).join(accepted)}\n\nGiven answer:\n{given}"
        messages = (Message("system", _INSTRUCTION), Message("user", shown))
        reply = await self._model.chat(Request("judge", messages, inputs, max_tokens=16))
        verdict = _VERDICT.search(reply.text)
        return float(verdict is not None and verdict.group(1).lower() == "pass")


def _answers(record: EpisodeRecord) -> list[tuple[str | None, tuple[str, ...]]]:
    outcome = record.outcome
    if outcome is None or not outcome.references:
        raise ValueError(
            f"The environment {record.episode.env!r} asks no questions, so its answers cannot be scored: the reward "
            "'outcome' is the success of its tasks."
        )
    return list(zip(outcome.predictions, outcome.references, strict=True))


def make_reward(data: Mapping[str, Any]) -> Reward:
    """Build a Reward from plain data: its name and weights, with ``model`` a name and ``model_options`` its own."""
    said = dict(data)
    options = cast("dict[str, Any]", said.pop("model_options", None) or {})
    model = said.pop("model", None)
    return Reward(**said, model=None if model is None else registry.make_model(model, **options))
