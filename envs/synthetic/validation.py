"""Proves a sample: each question is answered by its evidence alone and by all documents alike, and not by less."""

from __future__ import annotations

from memgym.task import Question, Sample

from .asking import parse
from .generation import REVISED
from .reader import Facts, read
from .solve import UNKNOWN, answer, solve

_FREE = ("comparison", "yesno")


def validate(sample: Sample) -> None:
    """Check every question of a sample with the reader of ``rules``, on the documents in their order.

    Where revisions are undated, every order that ``stream`` allows says the same: what is asked for is stated last.

    Raises:
        ValueError: Names the question, and says which of the conditions below it breaks.
    """
    whole = "\n\n".join(document.render() for document in sample.documents)
    facts = Facts(read(whole))
    for question in sample.questions:
        _check(question, whole, facts)


def _check(question: Question, whole: str, facts: Facts) -> None:
    """One line a condition: evidence verbatim, enough, in agreement with all documents, needed, and no answer given."""
    evidence = "\n".join(question.evidence)
    query = parse(question.text)
    known = {answer(question.text, evidence), UNKNOWN if query is None else solve(query, facts)}
    for holds, said in (
        (
            question.evidence and all(one in whole for one in question.evidence),
            "has evidence that no document has",
        ),
        (answer(question.text, evidence) in question.answers, "is not answered by its evidence"),
        (len(known) == 1, "is answered otherwise by all documents than by its evidence"),
        (answer(question.text, "") == UNKNOWN, "is answered without reading"),
        (_needs_all(question), "is answered by a part of its evidence"),
        (question.category.removesuffix(REVISED) in _FREE or not _given(question), "contains its own answer"),
        (len(list(read(evidence))) == len(question.evidence), "has evidence that cannot be read by itself"),
    ):
        if not holds:
            raise ValueError(f"The question {question.id!r} ({question.text!r}) {said}.")


def _needs_all(question: Question) -> bool:
    parts = (question.evidence[:at] + question.evidence[at + 1 :] for at in range(len(question.evidence)))
    return all(answer(question.text, "\n".join(part)) == UNKNOWN for part in parts)


def _given(question: Question) -> bool:
    text = question.text.casefold()
    return any(one.casefold() in text for one in question.answers)
