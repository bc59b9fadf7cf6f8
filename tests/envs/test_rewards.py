"""What the three metrics say of an answer, by hand-made rows and for all texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgym import registry
from memgym.envs.rewards import exact_match, math_match, token_f1

TEXTS = st.text(st.characters(exclude_categories=()), max_size=60)
METRICS = [exact_match, math_match, token_f1]

EXACT = [
    ("Paris", ["Paris"], 1),
    ("the Paris", ["Paris"], 1),
    ("PARIS.", ["Paris"], 1),
    ("  Paris \n", ["paris"], 1),
    ("Paris, France", ["Paris"], 0),
    ("London", ["Paris", "London"], 1),
    ("London", ["Paris", "Rome"], 0),
    ("", ["Paris"], 0),
    ("Paris", [], 0),
    ("", [], 0),
    ("", [""], 1),
    ("Paris", [""], 0),
    ("1,000", ["1000"], 1),
    ("New York", ["newyork"], 0),
    ("New  York\tCity", ["New York City"], 1),
    ("a dog", ["dog"], 1),
    ("theatre", ["atre"], 0),
    ("The", ["The"], 1),
    ("", ["The"], 0),
    ("A", ["a"], 1),
    ("the", ["A"], 0),
    ("yes", ["Yes."], 1),
    ("no", ["yes"], 0),
    ("1986–2013", ["1986-2013"], 0),
    ("“Paris”", ["Paris"], 0),
    ("café", ["cafe"], 0),
    ("東京", ["東京"], 1),
    ("東京。", ["東京"], 0),
    ("กรุงเทพ", ["กรุงเทพ"], 1),
    ("🦊", ["🦊"], 1),
    ("\x00Paris", ["Paris"], 0),
    ("\ud800", ["\ud800"], 1),
    ("!", ["?"], 0),
    ("Straße", ["STRASSE"], 0),
    ("İstanbul", ["i̇stanbul"], 1),
]

MATH = [
    (r"\boxed{Paris}", ["Paris"], 1),
    (r"so it is \boxed{paris}.", ["Paris"], 1),
    (r"\boxed{the Paris}", ["Paris"], 0),
    (r"\boxed{Paris.}", ["Paris"], 0),
    (r"\boxed{1,000}", ["1000"], 0),
    (r"\boxed{New York}", ["newyork"], 1),
    (r"\boxed{new york}", ["New York"], 1),
    (r"\boxed{café}", ["cafe"], 0),
    (r"\boxed{Rome} no, \boxed{Paris}", ["Paris"], 1),
    (r"\boxed{Paris} no, \boxed{Rome}", ["Paris"], 0),
    (r"\boxed{a{b}c}", ["a{b}c"], 1),
    (r"\boxed{Paris", ["Paris"], 0),
    ("Paris", ["Paris"], 1),
    ("It is Paris", ["Paris"], 0),
    (r"\boxed{50\%}", ["50"], 1),
    (r"\boxed{50%}", ["50"], 0),
    (r"\boxed{\$5}", ["5"], 1),
    (r"\boxed{90^\circ}", ["90"], 1),
    (r"\boxed{90^{\circ}}", ["90"], 1),
    (r"\boxed{\left(1,2\right)}", ["(1,2)"], 1),
    (r"\boxed{\dfrac{1}{2}}", [r"\frac{1}{2}"], 1),
    (r"\boxed{1\!000}", ["1000"], 1),
    (r"\boxed{x .5}", ["x 0.5"], 1),
    ("\\boxed{New\nYork}", ["New York"], 1),
    (r"\boxed{Rome}", ["Paris", "Rome"], 1),
    (r"\boxed{Paris}" + "x" * 300, ["Paris"], 0),
    ("x" * 400 + r"\boxed{Paris}", ["Paris"], 1),
    (r"\boxed{}", ["Paris"], 0),
    ("", [""], 1),
    ("", [r"\$"], 0),
    ("", [], 0),
]

F1 = [
    ("Paris", ["Paris"], 1),
    ("the Paris", ["Paris"], 1),
    ("Paris France", ["Paris"], 2 / 3),
    ("Paris Paris", ["Paris"], 2 / 3),
    ("big red dog", ["the small red dog"], 2 / 3),
    ("cat", ["dog"], 0),
    ("yes", ["yes"], 1),
    ("yes it is", ["yes"], 0),
    ("yes", ["yes it is"], 0),
    ("no", ["no way"], 0),
    ("noanswer", ["noanswer here"], 0),
    ("Rome", ["Paris", "Rome Italy"], 2 / 3),
    ("", ["Paris"], 0),
    ("", [""], 1),
    ("the", ["the"], 1),
    ("", ["the"], 0),
    ("Paris", [], 0),
]


@pytest.mark.parametrize(("prediction", "answers", "score"), EXACT)
def test_exact_match_follows_squad(prediction: str, answers: list[str], score: float) -> None:
    assert exact_match(prediction, answers) == score


@pytest.mark.parametrize(("prediction", "answers", "score"), MATH)
def test_math_match_follows_the_released_reward(prediction: str, answers: list[str], score: float) -> None:
    assert math_match(prediction, answers) == score


@pytest.mark.parametrize(("prediction", "answers", "score"), F1)
def test_token_f1_follows_squad_with_the_rule_for_yes_and_no(prediction: str, answers: list[str], score: float) -> None:
    assert token_f1(prediction, answers) == pytest.approx(score)


def test_partial_credit_for_yes_is_a_switch() -> None:
    assert token_f1("yes it is", ["yes"], closed=False) == pytest.approx(1 / 2)


@pytest.mark.parametrize("metric", METRICS)
@given(prediction=TEXTS, answers=st.lists(TEXTS, max_size=3))
def test_every_score_lies_between_zero_and_one(metric, prediction: str, answers: list[str]) -> None:
    assert 0.0 <= metric(prediction, answers) <= 1.0


@pytest.mark.parametrize("metric", METRICS)
@given(answers=st.lists(TEXTS, min_size=1, max_size=3), data=st.data())
def test_an_accepted_answer_word_for_word_scores_one(metric, answers: list[str], data) -> None:
    assert metric(data.draw(st.sampled_from(answers)), answers) == 1.0


@pytest.mark.parametrize("metric", METRICS)
def test_a_long_answer_word_for_word_scores_one(metric) -> None:
    answer = r"\boxed{x} 東京 the " * 10_000
    assert metric(answer, [answer]) == 1.0


@pytest.mark.parametrize("metric", METRICS)
@given(prediction=TEXTS, answers=st.lists(TEXTS, max_size=3), more=TEXTS)
def test_another_accepted_answer_never_lowers_a_score(metric, prediction: str, answers: list[str], more: str) -> None:
    assert metric(prediction, [*answers, more]) >= metric(prediction, answers)


@given(prediction=TEXTS, answers=st.lists(TEXTS, max_size=3))
def test_an_exact_match_has_a_full_f1(prediction: str, answers: list[str]) -> None:
    assert token_f1(prediction, answers) >= exact_match(prediction, answers)


def test_the_registry_knows_the_metrics() -> None:
    assert [registry.load("metric", name) for name in ("em", "em_math", "f1")] == METRICS
