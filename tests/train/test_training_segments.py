"""What a trainer sees of an episode: one segment a call, with the ids that were sampled."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_policy import END, LOGPROB, Letters, Script, played, segment_model
from small_world import colours

from memgym.model import Message, Request, chat_text
from memgym.records import Episode
from memgym.train.segments import Generated, Sampling, SegmentModel, TokenBudgetError

READ = "<create_memory>The colour of thing 0 is red.</create_memory>"
ANSWER = "<answer>red</answer>"


@pytest.fixture(autouse=True, scope="module")
def world() -> Iterator[None]:
    with colours():
        yield


def episode(**changes: object) -> Episode:
    said = {"options": {"advance": "always", "things": 2}, "agent_options": {"max_tokens": 200}, "sample": "s0"}
    return Episode("e", "Colours", "llm", seed=3, **{**said, **changes})  # type: ignore[arg-type]


def ask(model: SegmentModel, text: str, **more: object) -> str:
    request = Request("policy", (Message("user", text),), max_tokens=more.pop("max_tokens", 50), **more)  # type: ignore[arg-type]
    return asyncio.run(model.chat(request)).text


def test_an_episode_becomes_one_segment_a_step() -> None:
    record, model = asyncio.run(played(Script(READ, READ, ANSWER), episode()))

    assert record.error is None
    assert [step.action for step in record.steps] == [READ, READ, ANSWER]
    assert [one.step for one in model.segments] == [0, 1, 2]
    assert {one.name for one in model.segments} == {"policy"}


def test_each_segment_has_a_fresh_prompt_with_what_is_seen_now_and_nothing_of_earlier_replies() -> None:
    _, model = asyncio.run(played(Script(READ, "<create_memory>zzz</create_memory>", ANSWER), episode()))

    last = Letters().decode(model.segments[-1].prompt_ids)
    assert "What is the colour of thing 0?" in last
    assert "zzz" not in last


def test_the_sampled_ids_and_their_logprobs_are_kept_and_all_of_them_are_trained_on() -> None:
    _, model = asyncio.run(played(Script(READ, READ, ANSWER), episode()))

    segment = model.segments[-1]
    assert segment.response_ids == (*map(ord, ANSWER), END)
    assert segment.logprobs == (LOGPROB,) * len(segment.response_ids)
    assert segment.mask == (1,) * len(segment.response_ids)


def test_ids_that_the_tokenizer_would_never_write_are_kept_as_they_were_sampled() -> None:
    async def unusual(prompt: object, sampling: Sampling) -> Generated:
        return Generated([END, ord("a"), END, ord("b")], [0.0] * 4)

    model = SegmentModel(Letters(), unusual, prompt_tokens=100, response_tokens=10)
    assert ask(model, "x") == "ab"
    assert model.segments[0].response_ids == (END, ord("a"), END, ord("b"))


def test_the_budget_of_a_reply_is_the_smaller_of_the_request_and_the_trainer() -> None:
    script = Script("a", "b")
    model = segment_model(script, response_tokens=20)
    ask(model, "x", max_tokens=7)
    ask(model, "x", max_tokens=70)

    assert [one.max_tokens for one in script.samplings] == [7, 20]


def test_a_reply_over_its_budget_is_cut_and_counts_as_unfinished() -> None:
    model = segment_model(Script("abcdef"), response_tokens=3)

    assert ask(model, "x") == "abc"
    [segment] = model.segments
    assert (len(segment.response_ids), len(segment.logprobs or ()), segment.finished) == (3, 3, False)


def test_a_prompt_over_its_budget_is_an_error_before_the_call_where_budgets_are_strict() -> None:
    script = Script("never")
    model = segment_model(script, prompt_tokens=10, strict=True)

    with pytest.raises(TokenBudgetError, match=r"'policy' has 106 tokens, 96 over its budget of 10"):
        ask(model, "x" * 100)
    assert script.prompts == []
    assert model.segments == []


def test_elsewhere_its_middle_is_cut_out_and_it_is_counted() -> None:
    script = Script("a", "b")
    model = segment_model(script, prompt_tokens=11)
    ask(model, "middle" * 10 + "end")
    ask(model, "ok")

    assert Letters().decode(script.prompts[0]) == "user:eend|"[:5] + "leend|"
    assert len(script.prompts[0]) == 11
    assert [one.truncated for one in model.segments] == [True, False]
    assert model.truncations == 1


def test_a_failed_episode_keeps_the_segments_that_were_played() -> None:
    record, model = asyncio.run(played(Script(READ, RuntimeError("server gone")), episode()))

    assert record.error == "RuntimeError: server gone"
    assert record.outcome is None
    assert len(model.segments) == 1


def test_a_generator_that_loses_logprobs_is_an_error() -> None:
    async def short(prompt: object, sampling: Sampling) -> Generated:
        return Generated([1, 2], [0.0])

    with pytest.raises(ValueError, match="2 ids were sampled, with 1 log-probabilities"):
        ask(SegmentModel(Letters(), short, prompt_tokens=100, response_tokens=10), "x")


@given(st.text(alphabet=st.characters(codec=None, exclude_categories=()), max_size=200))
def test_any_text_can_be_asked_and_answered(text: str) -> None:
    said = text.encode("utf-8", "replace").decode()
    model = segment_model(Script(said))

    assert ask(model, text) == said
    assert Letters().decode(model.segments[0].prompt_ids) == f"user:{said}|"


def test_a_tokenizer_without_a_template_gets_the_plain_format() -> None:
    class Plain(Letters):
        chat_template = ""

    said = chat_text(Plain(), (Message("system", "be good"), Message("user", "hi")), {})
    assert said == "System: be good\n\nUser: hi\n\nAssistant:"
