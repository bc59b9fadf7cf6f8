"""Did memory do its part? For each answered question: was its evidence stored, was it shown, among how much else.

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
    precision: list[float | None] = field(default_factory=list)
    _seen: dict[str, None] = field(default_factory=dict)
    _entries: dict[str, None] = field(default_factory=dict)

    def show(self, entries: Iterable[str], scratchpad: str = "") -> None:
        """Note what the agent sees of its memory: texts of entries, and the scratchpad."""
        if len(self.stored) >= len(self.questions):
            return  # no question is left that it could count for
        listed = [text for text in entries if text]
        self._entries.update(dict.fromkeys(listed))
        self._seen.update(dict.fromkeys([*listed, scratchpad] if scratchpad else listed))

    def answer(self, held: Sequence[str]) -> None:
        """Score the next question against what memory holds and what was shown for it; the next starts afresh."""
        number = len(self.stored)
        if number < len(self.questions):
            question = self.questions[number]
            self.stored.append(coverage(question.evidence, held))
            self.shown.append(coverage(question.evidence, self._seen))
            self.answer_shown.append(_holds(question.answers, self._seen))
            self.precision.append(precision(question.evidence, self._entries))
        self._seen, self._entries = {}, {}

    def metrics(self) -> dict[str, float]:
        """Return means over the questions where a value is defined; unanswered questions count 0.

        Of precision they do not: for a question that was shown nothing there is none.
        """
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
        if precise := [value for value in self.precision if value is not None]:
            means["evidence_precision"] = sum(precise) / len(precise)
        return means

    def questions_of(self, column: Sequence[float | None]) -> tuple[float | None, ...]:
        """Return a column for all questions, 0 for those that were not answered; empty where none has evidence."""
        left = self.questions[len(column) :]
        whole = (*column, *(0.0 if question.evidence else None for question in left))
        return whole if any(value is not None for value in whole) else ()

    def fork(self) -> EvidenceLog:
        return EvidenceLog(
            self.questions, self.stored.copy(), self.shown.copy(), self.answer_shown.copy(), self.precision.copy(),
            self._seen.copy(), self._entries.copy(),
        )  # fmt: skip


def coverage(evidence: Sequence[str], texts: Iterable[str]) -> float | None:
    """Return the share of evidence strings that occur in some text; None where there is no evidence."""
    if not evidence:
        return None
    texts = list(texts)
    return sum(any(piece in text for text in texts) for piece in evidence) / len(evidence)


def precision(evidence: Sequence[str], entries: Iterable[str]) -> float | None:
    """Return the share of entries in which some evidence occurs; None where there is no evidence, or no entry."""
    entries = list(entries)
    if not evidence or not entries:
        return None
    return sum(any(piece in text for piece in evidence) for text in entries) / len(entries)


def _holds(answers: Sequence[str], texts: Iterable[str]) -> float | None:
    wanted = _wanted(answers)
    if not wanted:
        return None
    return float(any(answer in text.casefold() for text in texts for answer in wanted))


def _wanted(answers: Sequence[str]) -> list[str]:
    return [answer.casefold() for answer in answers if answer.strip()]
