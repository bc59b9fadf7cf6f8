"""A user's list of corrections to LoCoMo's answer key: read, checked against the questions, and applied.

No list comes with memgym: the known audit (snap-research/locomo issue 34: 99 wrong keys among the 1540 questions of
categories 1 to 4) is not redistributed here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from memgym.registry import unknown
from memgym.task import Question, Sample

from .formats import BrokenData, Row, read_objects

FIELDS = ("sample_id", "question", "answer", "drop", "source")


def correct(samples: Sequence[Sample], path: str | Path) -> tuple[list[Sample], dict[str, int]]:
    """Apply a JSON or JSON Lines file of corrections; return the samples and how many questions were changed.

    One object a correction: "sample_id" and "question" (its exact text) say which; "answer" (text, number, or a list
    of accepted ones) replaces the key, or "drop": true leaves the question out; "source" may say who found the error.
    A correction for a conversation that is not there is counted as "not_here".

    Raises:
        BrokenData: A correction without these fields, or of a question that its conversation does not have.
    """
    by_sample: dict[str, dict[str, Row]] = {}
    for row in read_objects(Path(path).expanduser()):
        _check(row)
        by_sample.setdefault(str(row.values["sample_id"]), {})[row.values["question"].strip()] = row
    counts = {"answered_otherwise": 0, "dropped": 0, "not_here": 0}
    for gone in by_sample.keys() - {sample.id for sample in samples}:
        counts["not_here"] += len(by_sample[gone])
    return [_corrected(sample, by_sample.get(sample.id, {}), counts) for sample in samples], counts


def _check(row: Row) -> None:
    for name in row.values:
        if name not in FIELDS:
            raise BrokenData(f"{row.place}: {unknown('field of a correction named', name, FIELDS).args[0]}")
    texts = all(isinstance(row.values.get(name), str) for name in ("sample_id", "question"))
    if not texts or ("answer" in row.values) == (row.values.get("drop") is True):
        raise BrokenData(f'{row.place}: a correction has "sample_id", "question", and either "answer" or "drop": true.')


def _corrected(sample: Sample, rows: Mapping[str, Row], counts: dict[str, int]) -> Sample:
    texts = {question.text for question in sample.questions}
    for text, row in rows.items():
        if text not in texts:
            raise BrokenData(
                f"{row.place}: {sample.id} has no such question: {unknown('question', text, texts).args[0]}"
            )
    kept: list[Question] = []
    for question in sample.questions:
        found = rows.get(question.text)
        if found is None:
            kept.append(question)
        elif found.values.get("drop") is True:
            counts["dropped"] += 1
        else:
            counts["answered_otherwise"] += 1
            kept.append(replace(question, answers=_answers(found.values["answer"])))
    return replace(sample, questions=tuple(kept))


def _answers(value: Any) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else (str(value),)
