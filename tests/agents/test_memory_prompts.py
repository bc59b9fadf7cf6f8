"""The requests that memory systems share: they render, their replies are read, and their defaults lose nothing."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from memgym.agents import memory_prompts
from memgym.agents.memory_prompts import (
    ANALYSE,
    DECIDE,
    ENOUGH,
    EXTRACT,
    INDUCE,
    PLAN,
    RATE,
    RELATE,
    SELECT,
    SUMMARISE,
    Analysis,
    Change,
    Decision,
    Edges,
    Invalidated,
    Rating,
    Related,
    RuleEdit,
    Selection,
)
from memgym.agents.parsing import ReplyError, parse, schema_of
from memgym.agents.prompts import Prompt
from memgym.model import Meter, Reply, Request, Usage
from memgym.registry import make_model

PROMPTS = {
    one.name: one for one in (getattr(memory_prompts, name) for name in memory_prompts.__all__) if isinstance(one, Prompt)
}  # fmt: skip

SAMPLE: dict[str, Any] = {
    "text": "Mira Solen was born in Ostbarrow.",
    "note": "Mira Solen was born in Ostbarrow.",
    "neighbours": ["[m3] Mira Solen plays the oud."],
    "time": "8 May 2023",
    "fact": "Mira Solen was born in Ostbarrow.",
    "memories": ["[m3] Mira Solen plays the oud."],
    "texts": ["Mira Solen plays the oud.", "Mira Solen was born in Ostbarrow."],
    "focus": ["Where was Mira Solen born?"],
    "limit": 50,
    "count": 3,
    "question": "Where was Mira Solen born?",
    "options": ["Mira Solen", "Kesta Dolm"],
    "experiences": ["Task: put a mug in a cup\n> take mug\n"],
    "success": "Task: put a mug in a cup\n> take mug\n",
    "failure": "",
    "rules": ["Look first."],
    "task": "put a mug in a cup",
    "memory": "",
    "history": [],
    "observation": "A room.",
    "admissible": ["look", "take mug"],
}
ODD = [
    "",
    " \n",
    "\x00",
    "\ud800",
    "{text} {nothing} {",
    "[m1] [m2]",
    "東京に住む。",
    "ก็" * 50,
    "🦊" * 9,
    "x" * 100_000,
]


class Says:
    """A chat model that always says the same."""

    name = "says"

    def __init__(self, text: str) -> None:
        self.text = text

    async def chat(self, request: Request) -> Reply:
        return Reply(self.text, Usage(calls=1))


def inputs_of(prompt: Prompt[Any]) -> dict[str, Any]:
    names = re.findall(r"\{(\w+)\}", prompt.system + prompt.user)
    return {name: SAMPLE[name] for name in names}


def odd(inputs: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Put a text in the place of every text."""
    return {
        name: text if isinstance(value, str) else [text, text] if isinstance(value, list) else value
        for name, value in inputs.items()
    }


def nodes(schema: Any) -> list[dict[str, Any]]:
    inner = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    found = [schema] if isinstance(schema, dict) else []
    return found + [node for one in inner for node in nodes(one)]


def test_every_kind_of_request_is_here() -> None:
    assert set(PROMPTS) == {
        "analyse", "relate", "evolve", "extract", "decide", "summarise", "rate", "focus", "infer", "plan", "enough",
        "select", "edges", "invalidate", "induce", "compare", "act",
    }  # fmt: skip


@pytest.mark.parametrize("name", PROMPTS)
def test_a_request_shows_its_inputs_and_carries_them(name: str) -> None:
    prompt = PROMPTS[name]
    inputs = inputs_of(prompt)
    request = prompt.request(inputs)
    shown = "\n".join(message.content for message in request.messages)
    assert request.name == name
    assert request.inputs == inputs
    for value in inputs.values():
        assert all(str(one) in shown for one in (value if isinstance(value, list) else [value]))


@pytest.mark.parametrize("name", PROMPTS)
def test_a_schema_is_strict_at_every_level(name: str) -> None:
    for node in nodes(schema_of(PROMPTS[name].output)):
        assert "default" not in node
        if "properties" in node:
            assert node["required"] == list(node["properties"])
            assert node["additionalProperties"] is False


@pytest.mark.parametrize("name", PROMPTS)
@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_a_default_stands_in_for_any_input(name: str, text: str) -> None:
    prompt = PROMPTS[name]
    inputs = odd(inputs_of(prompt), text)
    value = prompt.default(inputs)
    assert parse(json.dumps(value.model_dump()), prompt.output) == value
    assert prompt.request(inputs).messages


@pytest.mark.parametrize("name", PROMPTS)
def test_no_inputs_to_choose_from_have_a_default(name: str) -> None:
    prompt = PROMPTS[name]
    empty = {key: [] if isinstance(value, list) else value for key, value in inputs_of(prompt).items()}
    assert isinstance(prompt.default(empty), prompt.output)


@pytest.mark.parametrize("name", PROMPTS)
def test_an_unusable_reply_gives_the_default_and_is_counted(name: str) -> None:
    prompt, meter = PROMPTS[name], Meter(Says("{"))
    asked = asyncio.run(prompt.ask(meter, **inputs_of(prompt)))
    assert asked.degraded
    assert asked.value == prompt.default(inputs_of(prompt))
    assert meter.take() == Usage(calls=3, retries=2, failures=1)


@pytest.mark.parametrize("name", PROMPTS)
def test_the_rules_model_answers_in_the_form_that_is_asked_for(name: str) -> None:
    prompt = PROMPTS[name]
    asked = asyncio.run(prompt.ask(make_model("rules"), **inputs_of(prompt)))
    assert (asked.attempts, asked.degraded) == (1, False)


@pytest.mark.parametrize("name", PROMPTS)
@settings(max_examples=25, deadline=None)
@given(text=st.text() | st.sampled_from(ODD[:-1]))
def test_the_rules_model_is_understood_whatever_it_is_shown(name: str, text: str) -> None:
    prompt = PROMPTS[name]
    asked = asyncio.run(prompt.ask(make_model("rules"), **odd(inputs_of(prompt), text)))
    assert not asked.degraded


def test_a_text_that_could_not_be_taken_apart_is_kept_whole() -> None:
    assert EXTRACT.default({"text": "Mira left.", "time": ""}).facts == ["Mira left."]
    assert EXTRACT.default({"text": " ", "time": ""}).facts == []


def test_an_undecided_fact_is_added() -> None:
    assert DECIDE.default({"fact": "Mira left.", "memories": []}) == Decision(action="add")


def test_a_summary_that_failed_keeps_the_last_whole_texts_within_the_limit() -> None:
    inputs = {"texts": ["first " * 10, "second", "third"], "focus": [], "limit": 10}
    assert SUMMARISE.default(inputs).text == "second\nthird"
    assert SUMMARISE.default({**inputs, "limit": 0}).text == ""


def test_the_other_defaults_change_nothing() -> None:
    assert PLAN.default({"question": "Where?"}).queries == ["Where?"]
    assert ENOUGH.default({}).enough
    assert SELECT.default({}).numbers == []
    assert RATE.default({}).importance == 5
    assert RELATE.default({}).ids == []
    assert INDUCE.default({}).workflows == []
    assert ANALYSE.default({}) == Analysis(keywords=[], context="", tags=[])


@pytest.mark.parametrize("written", ["m3", "[m3]", " [m3] ", "m3.", "'m3'", "(m3)", "[m3] Mira Solen plays the oud."])
def test_an_id_is_read_with_whatever_stands_around_it(written: str) -> None:
    assert Related.model_validate({"ids": [written, written]}).ids == ["m3"]
    assert Decision.model_validate({"action": "delete", "id": written}).id == "m3"


@pytest.mark.parametrize(("written", "ids"), [(None, []), ("m3, m4", ["m3", "m4"]), ([3], ["3"]), (["", "m1"], ["m1"])])
def test_ids_are_read_from_a_list_a_text_or_nothing(written: Any, ids: list[str]) -> None:
    assert Invalidated.model_validate({"ids": written}).ids == ids


@pytest.mark.parametrize(
    ("written", "action"), [("ADD", "add"), (" Update ", "update"), ("NOOP", "none"), ("NONE", "none")]
)
def test_an_action_is_read_in_any_case(written: str, action: str) -> None:
    assert Decision.model_validate({"action": written}).action == action


@pytest.mark.parametrize(
    ("output", "reply"),
    [
        (Decision, '{"action": "merge", "id": "m1"}'),
        (RuleEdit, '{"action": "upvote", "number": 1}'),
        (Rating, '{"importance": 11}'),
        (Related, '{"ids": [{"id": "m1"}]}'),
        (Selection, '{"numbers": ["first"]}'),
    ],
)
def test_what_has_no_meaning_is_refused(output: type[BaseModel], reply: str) -> None:
    with pytest.raises(ReplyError):
        parse(reply, output)


def test_numbers_are_read_from_a_list_a_text_or_one_number() -> None:
    for written in ([2, 1, 2], "2, 1", "2 1"):
        assert Selection.model_validate({"numbers": written}).numbers == [2, 1]
    assert Selection.model_validate({"numbers": 2}).numbers == [2]


def test_a_missing_text_is_empty_and_a_missing_date_unknown() -> None:
    [edge] = Edges.model_validate({"edges": [{"subject": "Mira", "relation": "likes", "object": "tea"}]}).edges
    assert (edge.valid_at, edge.text) == ("", "")
    assert Change.model_validate({"id": "m1", "context": None, "tags": "tea, home"}).tags == ["tea", "home"]
