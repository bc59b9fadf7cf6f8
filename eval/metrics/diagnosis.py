"""Where an answer was lost: was its evidence never written, not read, or not used? From records alone.

Separate from the evidence itself, which an environment notes as it is played: this joins it with the answers' scores,
so that a record that is scored again is diagnosed again.
"""

from __future__ import annotations

from statistics import fmean

from memgym.task import Outcome

from ..report.rescoring import question_scores

USED = "evidence_used"
LOST = ("lost_writing", "lost_reading", "lost_using")
ANSWERLESS = ("evidence_stored", "evidence_shown", "evidence_precision", "answer_shown", "memory_size")
"""Metrics that say something of memory whoever answers; all others are made of answers."""


def diagnosis(outcome: Outcome) -> dict[str, float]:
    """Return the diagnosis of an episode over its questions that have evidence; empty where that is not known.

    ``evidence_used`` is the mean score of the questions whose evidence was shown whole (absent if there was none).
    What was lost adds up: 1 minus the mean score is ``lost_writing`` + ``lost_reading`` + ``lost_using``; a question's
    loss is one of using if all its evidence was shown, of reading if memory held all of it, of writing if not.
    """
    scores = question_scores(outcome) if outcome.shown else []
    if not scores:
        return {}
    told = zip(scores, outcome.stored, outcome.shown, strict=True)
    known = [(score, stored, shown) for score, stored, shown in told if stored is not None and shown is not None]
    losses = dict.fromkeys(LOST, 0.0)
    for score, stored, shown in known:
        losses[_where(stored, shown)] += (1.0 - score) / len(known)
    used = [score for score, _, shown in known if shown == 1.0]
    return {**({USED: fmean(used)} if used else {}), **losses}


def _where(stored: float, shown: float) -> str:
    if shown == 1.0:
        return "lost_using"
    return "lost_reading" if stored == 1.0 else "lost_writing"
