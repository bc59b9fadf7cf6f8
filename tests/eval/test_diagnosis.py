"""Where an answer was lost, from what was stored, shown and said of each question."""

from __future__ import annotations

import pytest

from memgym.eval.metrics.diagnosis import diagnosis
from memgym.task import Outcome


def outcome(*told: tuple[str, float | None, float | None]) -> Outcome:
    """Return an outcome of questions whose right answer is "yes": what was said, share stored, share shown."""
    said, stored, shown = zip(*told, strict=True)
    right = (("yes",),) * len(told)
    return Outcome(0.0, {}, said, right, ("em",) * len(told), (), stored, shown)


@pytest.mark.parametrize(
    ("stored", "shown", "stage"),
    [(0.0, 0.0, "lost_writing"), (0.5, 0.5, "lost_writing"), (1.0, 0.0, "lost_reading"), (1.0, 0.5, "lost_reading"),
     (1.0, 1.0, "lost_using"), (0.0, 1.0, "lost_using")],
)  # fmt: skip
def test_a_wrong_answer_is_lost_at_the_first_stage_that_failed(stored: float, shown: float, stage: str) -> None:
    found = diagnosis(outcome(("no", stored, shown)))
    assert {name for name, value in found.items() if value and name.startswith("lost")} == {stage}


def test_what_is_lost_and_what_is_earned_add_up_to_1() -> None:
    found = diagnosis(outcome(("yes", 1, 1), ("no", 1, 1), ("no", 1, 0), ("no", 0, 0), ("yes", 0, 0)))
    assert sum(value for name, value in found.items() if name.startswith("lost")) == pytest.approx(1 - 2 / 5)


def test_used_is_the_score_of_questions_whose_evidence_was_shown_whole() -> None:
    found = diagnosis(outcome(("yes", 1, 1), ("no", 1, 1), ("yes", 1, 0.5), ("yes", 0, 0)))
    assert found["evidence_used"] == 0.5


def test_used_is_absent_where_nothing_was_shown_whole() -> None:
    assert "evidence_used" not in diagnosis(outcome(("yes", 1, 0)))


def test_questions_without_evidence_are_left_out() -> None:
    assert diagnosis(outcome(("no", None, None), ("yes", 1, 1)))["lost_using"] == 0.0


def test_an_outcome_that_knows_no_evidence_is_not_diagnosed() -> None:
    assert diagnosis(Outcome(1.0, {"success": 1.0})) == {}
