"""Proves a sample: each question is answered by its evidence and by all that was said alike, and not by less."""

from __future__ import annotations

from collections.abc import Sequence

from memgym.task import Question, Sample

from ..abstention import abstention
from ..sessions import Session
from .questions import UNANSWERABLE
from .reader import UNKNOWN, answer


def validate(sample: Sample) -> None:
    """Check every question of a sample with the reader of ``rules``.

    Raises:
        ValueError: Names the question, and says which of the conditions it breaks.
    """
    sessions: Sequence[Session] = sample.data["sessions"]
    stops = sample.data.get("asked_after", [len(sessions)] * len(sample.questions))
    for question, stop in zip(sample.questions, stops, strict=True):
        _check(question, sessions[:stop])


def _check(question: Question, heard: Sequence[Session]) -> None:
    whole = "\n\n".join(session.document().render() for session in heard)
    parts = [_alone(piece, heard) for piece in question.evidence]
    silent = question.category == UNANSWERABLE
    enough, all_said = answer(question.text, "\n".join(parts)), answer(question.text, whole)
    less = [answer(question.text, "\n".join(parts[:at] + parts[at + 1 :])) for at in range(len(parts))]
    for holds, said in (
        (all(whole.count(f"\n{piece}") == 1 for piece in question.evidence), "has evidence that was not said once"),
        (silent or enough in question.answers, "is not answered by its evidence"),
        (enough == all_said, "is answered otherwise by all that was said than by its evidence"),
        (not silent or (not parts and abstention(all_said, question.answers)), "has an answer, and should not"),
        (answer(question.text, "") == UNKNOWN, "is answered without listening"),
        (all(one not in question.answers for one in less), "is answered by a part of its evidence"),
    ):
        if not holds:
            raise ValueError(f"The question {question.id!r} ({question.text!r}) {said}.")


def _alone(piece: str, heard: Sequence[Session]) -> str:
    """Return a turn under the header of its session: what a memory keeps that loses neither speaker nor date."""
    header = next((session.header for session in heard if piece in session.lines()), "")
    return f"{header}\n{piece}"
