"""What comes of asking a model: tolerant reading, bounded retries, and a default that is visible."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from memgym.agents.parsing import ReplyError, parse, schema_of
from memgym.agents.prompts import ANSWER, NOTE, Answer, Asked, Note, Prompt
from memgym.model import Meter, ModelError, Reply, Request, Usage


class Replies:
    """A chat model that says what it was told to say, one reply a call, the last one forever."""

    name = "replies"

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)
        self.requests: list[Request] = []

    async def chat(self, request: Request) -> Reply:
        self.requests.append(request)
        return Reply(self.texts.pop(0) if len(self.texts) > 1 else self.texts[0], Usage(calls=1))


class Keywords(BaseModel):
    words: list[str]
    score: int = 0


KEYWORDS = Prompt(
    name="keywords",
    output=Keywords,
    system="Find keywords.",
    user="Text: {text}",
    default=lambda inputs: Keywords(words=[]),
)


def ask(model: Any, **inputs: str) -> Asked[Answer]:
    return asyncio.run(ANSWER.ask(model, **{"question": "Where?", "text": "Mia is in Oslo.", **inputs}))


@pytest.mark.parametrize(
    "text",
    [
        '{"answer": "Oslo"}',
        '  {"answer": " Oslo "}\n',
        '```json\n{"answer": "Oslo"}\n```',
        'Here it is:\n```\n{"answer": "Oslo"}\n```\nHope that helps.',
        'The form is {"answer": "..."}, so: {"answer": "Oslo"}',
        '<think>{"answer": "Bergen"}</think>{"answer": "Oslo"}',
        'Bergen? no.</think>\n{"answer": "Oslo"}',
        "{'answer': 'Oslo'}",
        '{"answer": "Oslo"',
        '{"answer": "Oslo",}',
        '[{"answer": "Oslo"}]',
        '"Oslo"',
        '["Oslo"]',
        "Oslo",
        "Answer: Oslo",
        "```\nOslo\n```",
    ],
)
def test_a_reply_is_read_in_every_form_that_models_write(text: str) -> None:
    assert parse(text, Answer) == Answer(answer="Oslo")


@pytest.mark.parametrize(
    "text", ["", " \n", "<think>Oslo, or", '{"answer": ""}', '{"answer": null}', '{"city": "Oslo"}']
)
def test_a_reply_without_an_answer_is_refused(text: str) -> None:
    with pytest.raises(ReplyError):
        parse(text, Answer)


def test_a_number_is_an_answer() -> None:
    assert parse('{"answer": 1912}', Answer).answer == "1912"


def test_bare_text_is_no_object_of_two_fields() -> None:
    with pytest.raises(ReplyError, match="not JSON"):
        parse("words, score", Keywords)


def test_the_reason_of_a_refusal_names_the_field() -> None:
    with pytest.raises(ReplyError, match=r"score: .*integer"):
        parse('{"words": [], "score": "high"}', Keywords)


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=300))
@settings(max_examples=200, deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    for output in (Answer, Note, Keywords):
        with suppress(ReplyError):
            assert isinstance(parse(text, output), output)


@given(st.text(min_size=1))
@settings(deadline=None)
def test_every_scratchpad_survives_the_way_through_json(text: str) -> None:
    assert parse(json.dumps({"scratchpad": text}), Note).scratchpad == text


@pytest.mark.parametrize("piece", ["{", "[", "{'", '{"a":', '{"answer": {', "<think>", "```", '{"answer": [,'])
def test_a_long_broken_reply_is_refused_without_being_repaired(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def repaired(text: str) -> object:
        raise AssertionError(f"json-repair was given {len(text)} characters of brackets")

    monkeypatch.setattr("json_repair.loads", repaired)
    bare = "[" not in piece and "{" not in piece and "<" not in piece
    if bare:
        assert parse(piece * 20_000, Answer).answer
    else:
        with pytest.raises(ReplyError):
            parse(piece * 20_000, Answer)


def test_the_schema_is_strict_all_the_way_down() -> None:
    class Outer(BaseModel):
        title: str
        inner: list[Keywords] = []

    schema = schema_of(Outer)
    assert schema["required"] == ["title", "inner"]
    assert schema["additionalProperties"] is False
    assert schema["$defs"]["Keywords"]["required"] == ["words", "score"]
    assert "default" not in json.dumps(schema)


def test_a_request_carries_the_rendered_text_and_the_inputs() -> None:
    request = NOTE.request(
        {"questions": ["Who?", "Where?"], "scratchpad": "", "text": "{limit} 日本", "limit": 9}, seed=3
    )
    assert (request.name, request.seed, request.temperature) == ("note", 3, 0.0)
    assert request.inputs["questions"] == ["Who?", "Where?"]
    assert "1. Who?\n2. Where?" in request.messages[1].content
    assert "{limit} 日本" in request.messages[1].content
    assert "at most 9 tokens" in request.messages[0].content
    assert '"scratchpad"' in request.messages[0].content


def test_a_missing_input_is_named() -> None:
    with pytest.raises(TypeError, match="'question'"):
        ANSWER.request({"text": "", "questions": ""})


def test_a_good_reply_takes_one_attempt() -> None:
    model = Replies('{"answer": "Oslo"}')
    assert ask(model) == Asked(Answer(answer="Oslo"), attempts=1, degraded=False)
    assert len(model.requests) == 1


def test_a_retry_shows_the_model_its_reply_and_what_was_wrong() -> None:
    model = Replies('{"city": "Oslo"}', '{"answer": "Oslo"}')
    assert ask(model) == Asked(Answer(answer="Oslo"), attempts=2, degraded=False)
    said = model.requests[1].messages
    assert [message.role for message in said] == ["system", "user", "assistant", "user"]
    assert said[2].content == '{"city": "Oslo"}'
    assert "answer: Field required" in said[3].content
    assert model.requests[1].inputs == model.requests[0].inputs


def test_three_bad_replies_degrade_to_the_default() -> None:
    model = Replies("{}")
    assert ask(model) == Asked(Answer(answer="unknown"), attempts=3, degraded=True)
    assert len(model.requests) == 3


def test_a_degraded_note_is_the_note_of_before() -> None:
    asked = asyncio.run(NOTE.ask(Replies(""), questions=[], scratchpad="old", text="", limit=5))
    assert (asked.value.scratchpad, asked.degraded) == ("old", True)


def test_retries_and_failures_are_counted_by_a_meter() -> None:
    meter = Meter(Replies("{}", '{"answer": "Oslo"}'))
    ask(meter)
    assert meter.take() == Usage(calls=2, retries=1)
    meter = Meter(Replies("{}"))
    ask(meter)
    assert meter.take() == Usage(calls=3, retries=2, failures=1)


def test_a_model_error_passes_through() -> None:
    class Broken:
        name = "broken"

        async def chat(self, request: Request) -> Reply:
            raise ModelError("no server")

    with pytest.raises(ModelError, match="no server"):
        ask(Broken())


def test_a_prompt_can_be_asked_with_other_limits() -> None:
    assert (
        replace(NOTE, max_tokens=7).request({"questions": [], "scratchpad": "", "text": "", "limit": 1}).max_tokens == 7
    )


@pytest.mark.parametrize("text", ["\ud800", "\x00", "ไทย", "👩‍👩‍👧", "x" * 100_000, ""])
def test_any_input_text_is_rendered_unchanged(text: str) -> None:
    assert text in KEYWORDS.request({"text": text}).messages[1].content
