"""One verdict: what is asked, and what counts as an answer to it."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgym import registry
from memgym.eval.config import JudgeConfig, RunConfig
from memgym.eval.judging.agreement import kappa
from memgym.eval.judging.asking import pin
from memgym.verdict import Case, judge, read, request_of

CASE = Case("Where is it?", ("Paris", "the French capital"), "in Paris")


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ('{"reason": "same place", "verdict": "correct"}', True),
        ('{"verdict":"WRONG"}', False),
        ('```json\n{"reason": "", "verdict": "wrong"}\n```', False),
        ('I think {"reason": "x", "verdict" : "correct"}.', True),
        ("correct", True),
        ("Wrong.", False),
        ("**correct**", True),
        ('<think>"verdict": "wrong"</think>{"verdict": "correct"}', True),
        ("<think>it is correct", None),
        ('{"verdict": "correct"} or {"verdict": "wrong"}', None),
        ('{"verdict": "unsure"}', None),
        ('{"verdict": true}', None),
        ("It is not correct.", None),
        ("The answer is correct, I would say", None),
        ("", None),
        ("\ud800\x00", None),
    ],
)
def test_a_reply_is_read_as_a_verdict_only_where_it_is_one(reply: str, verdict: bool | None) -> None:
    assert read(reply) is verdict


@given(st.text(st.characters(exclude_categories=())))
def test_reading_a_reply_never_raises(reply: str) -> None:
    assert read(reply) in (True, False, None)


def test_the_judge_is_shown_question_accepted_answers_and_answer() -> None:
    request = request_of(CASE, 100)
    asked = request.messages[-1].content
    assert all(text in asked for text in (CASE.question, *CASE.answers, CASE.prediction))
    assert (request.name, request.temperature, request.max_tokens) == ("judge", 0.0, 100)


def test_braces_in_an_answer_are_no_places_of_the_prompt() -> None:
    case = Case("{prediction}?", ("{answers}",), "{question} {0}")
    assert "Given answer:\n{question} {0}" in request_of(case, 9).messages[-1].content


def test_equal_cases_have_one_key_and_others_another() -> None:
    assert CASE.key == Case("Where is it?", ("Paris", "the French capital"), "in Paris").key
    assert CASE.key != Case("Where is it?", ("Paris", "the French capital"), "in Paris ").key
    assert Case("a", ("b", "c"), "d").key != Case("a", ("b",), "c").key


def test_any_text_has_a_key() -> None:
    assert Case("\ud800", ("\x00",), "東京").key != Case("\ud801", ("\x00",), "東京").key


def test_the_rules_model_judges_by_exact_match() -> None:
    model = registry.make_model("rules")
    given = [asyncio.run(judge(model, Case("q", ("Paris",), said), 99)).correct for said in ("the Paris!", "in Paris")]
    assert given == [True, False]


def test_the_pin_names_what_verdicts_depend_on_and_not_where_the_model_is() -> None:
    here = JudgeConfig(model="rules", options={"base_url": "http://a/v1", "cache": "kept", "extra": {"top_k": 1}})
    pinned = pin(here, registry.make_model("rules"))
    assert set(pinned) == {"model", "options", "prompt", "digest", "temperature", "max_tokens"}
    assert pinned["options"] == {"extra": {"top_k": 1}}


@pytest.mark.parametrize(("model", "said"), [("none", "judges nothing"), ("openay:x", "openai")])
def test_a_judge_that_cannot_be_is_refused_before_anything_is_played(model: str, said: str) -> None:
    with pytest.raises((ValueError, LookupError), match=said):
        RunConfig.model_validate({"judge": {"model": model}})


def test_a_key_of_a_judge_is_not_written_into_a_run() -> None:
    with pytest.raises(ValueError, match="MEMGYM_API_KEY"):
        JudgeConfig(model="openai:x", options={"api_key": "secret"})


def test_kappa_of_a_worked_example() -> None:
    # 45 both yes, 15 and 25 apart, 15 both no: agreement 0.60, by chance 0.6 * 0.7 + 0.4 * 0.3 = 0.54.
    pairs = [(True, True)] * 45 + [(True, False)] * 15 + [(False, True)] * 25 + [(False, False)] * 15
    assert kappa(pairs) == pytest.approx(0.06 / 0.46)


@pytest.mark.parametrize("pairs", [[], [(True, True)] * 3, [(False, False)]])
def test_kappa_of_raters_that_say_one_thing_only_is_nothing(pairs: list[tuple[bool, bool]]) -> None:
    assert kappa(pairs) is None


def test_kappa_of_raters_that_always_differ_is_below_zero() -> None:
    assert kappa([(True, False), (False, True)]) == -1.0
