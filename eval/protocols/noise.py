"""What noise says: a text's facts told otherwise, somebody else's text, trajectories that did not happen so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from numpy.random import Generator

from memgym.task import Document, Question, Sample

from .plan import Plan

Lived = Mapping[str, Any]
T = TypeVar("T")


def texts(plan: Plan, id: str, kind: str, ratio: float, rng: Generator) -> list[str]:
    """Return texts to show beside a sample: ``ratio`` for each of its questions, or for each of its documents."""
    sample = plan.benchmark.sample(id)
    if kind == "contradictory":
        chosen = _some(sample.questions, ratio, rng)
        return list(dict.fromkeys(contradiction(sample, one, rng) for one in chosen))
    other = plan.benchmark.sample(next((one for one in plan.ids(plan.count + 1) if one != id), id))
    own = {one.render() for one in sample.documents}
    others = [one.render() for one in other.documents if one.render() not in own]
    return [others[at % len(others)] for at in range(_count(len(own), ratio))] if others else []


def contradiction(sample: Sample, question: Question, rng: Generator) -> str:
    """Return a text by which a question has another answer: the sentence that holds the answer, with another in it.

    Where no sentence of the evidence holds an accepted answer word for word, the other answer is told outright.
    """
    wrong = _wrong(sample, question, rng)
    for evidence in question.evidence:
        answer = next((one for one in question.answers if one and one in evidence), None)
        if answer is not None:
            title = next((one.title for one in sample.documents if evidence in one.text), "")
            return Document(title, evidence.replace(answer, wrong)).render()
    return f"{question.text} The answer is {wrong}."


def _wrong(sample: Sample, question: Question, rng: Generator) -> str:
    """Return an answer to another question of the sample, of the same category if there is one."""
    right = {one.casefold() for one in question.answers}
    others = [
        (one.category == question.category, one.answers[0])
        for one in sample.questions
        if one.answers and one.answers[0] and one.answers[0].casefold() not in right
    ]
    alike = [answer for same, answer in others if same] or [answer for _, answer in others]
    return alike[int(rng.integers(len(alike)))] if alike else "something else entirely"


def lies(told: Sequence[Lived], kind: str, ratio: float, rng: Generator) -> list[dict[str, Any]]:
    """Return experiences that did not happen so, ``ratio`` for each that did.

    Contradictory: the task is said to have gone well by what was done at another one; where all did the same, it
    is said to have ended otherwise. Irrelevant: the words of the task and of each step stand in an order without sense.
    """
    return [_lie(one, told, rng) if kind == "contradictory" else _babble(one, rng) for one in _some(told, ratio, rng)]


def _lie(lived: Lived, told: Sequence[Lived], rng: Generator) -> dict[str, Any]:
    others = [one for one in told if one["steps"] != lived["steps"]]
    if not others:
        return {**lived, "success": not lived["success"]}
    return {**lived, "success": True, "steps": others[int(rng.integers(len(others)))]["steps"]}


def _babble(lived: Lived, rng: Generator) -> dict[str, Any]:
    steps = [[_shuffled(seen, rng), _shuffled(done, rng)] for seen, done in lived["steps"]]
    return {**lived, "task": _shuffled(lived["task"], rng), "steps": steps, "task_type": "", "success": True}


def _shuffled(text: str, rng: Generator) -> str:
    words = text.split()
    return " ".join(words[at] for at in rng.permutation(len(words)))


def _some(values: Sequence[T], ratio: float, rng: Generator) -> list[T]:
    """Return ``ratio`` times as many values, drawn without repetition while they last, in their order."""
    order = [int(at) for _ in range(int(ratio) + 1) for at in rng.permutation(len(values))]
    return [values[at] for at in sorted(order[: _count(len(values), ratio)])]


def _count(pieces: int, ratio: float) -> int:
    """Return how many pieces of noise that is: at least one of anything, if the ratio is not 0."""
    return max(1, round(ratio * pieces)) if ratio and pieces else 0
