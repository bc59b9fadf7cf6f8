"""Did memory do its part? For each answered question: was its evidence stored, was it shown, was the answer shown.

Decided by containment of verbatim text, so it needs no model; a memory that paraphrases scores low here by design.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from memgym.task import Question


@dataclass(slots=True)
class EvidenceLog:
    """Collects what was shown since the last answer, and scores it when a question is answered."""

    questions: Sequence[Question]
    stored: list[float | None] = field(default_factory=list)
    shown: list[float | None] = field(default_factory=list)
    answer_shown: list[float | None] = field(default_factory=list)
    _seen: dict[str, None] = field(default_factory=dict)

    def show(self, texts: Iterable[str]) -> None:
        """Note texts that the agent sees of its memory, scratchpad included."""
        self._seen.update((text, None) for text in texts if text)

    def answer(self, held: Sequence[str]) -> None:
        """Score the next question against what memory holds and what was shown for it; the next starts afresh."""
        number = len(self.stored)
        if number < len(self.questions):
            question = self.questions[number]
            self.stored.append(coverage(question.evidence, held))
            self.shown.append(coverage(question.evidence, self._seen))
            self.answer_shown.append(_holds(question.answers, self._seen))
        self._seen = {}

    def metrics(self) -> dict[str, float]:
        """Return means over the questions where a value is defined; unanswered questions count 0."""
        columns = {
            "evidence_stored": self.stored,
            "evidence_shown": self.shown,
            "answer_shown": self.answer_shown,
        }
        left = self.questions[len(self.stored) :]
        with_evidence = sum(bool(question.evidence) for question in left)
        with_answer = sum(_wanted(question.answers) != [] for question in left)
        missing = {"evidence_stored": with_evidence, "evidence_shown": with_evidence, "answer_shown": with_answer}
        means = {}
        for name, values in columns.items():
            defined = [value for value in values if value is not None]
            if count := len(defined) + missing[name]:
                means[name] = sum(defined) / count
        return means

    def fork(self) -> EvidenceLog:
        return EvidenceLog(
            self.questions, self.stored.copy(), self.shown.copy(), self.answer_shown.copy(), self._seen.copy()
        )


def coverage(evidence: Sequence[str], texts: Iterable[str]) -> float | None:
    """Return the share of evidence strings that occur in some text; None where there is no evidence."""
    if not evidence:
        return None
    texts = list(texts)
    return sum(any(piece in text for text in texts) for piece in evidence) / len(evidence)


def _holds(answers: Sequence[str], texts: Iterable[str]) -> float | None:
    wanted = _wanted(answers)
    if not wanted:
        return None
    return float(any(answer in text.casefold() for text in texts for answer in wanted))


def _wanted(answers: Sequence[str]) -> list[str]:
    return [answer.casefold() for answer in answers if answer.strip()]
