"""A plain call is read by a short way; whatever is read by it, the long way reads alike."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgym.dialects import calls
from memgym.dialects.names import NAMES
from memgym.dialects.tools import ToolsDialect

ANY = st.text(st.characters(exclude_categories=()), max_size=12)
VALUE = st.one_of(
    ANY, st.none(), st.integers(-2, 9), st.booleans(), st.lists(ANY, max_size=2), st.dictionaries(ANY, ANY, max_size=2)
)
KEYS = st.sampled_from(["text", "id", "query", "k", "by", "to", "keywords", "attributes", "store", "links", "other"])
CALL = st.fixed_dictionaries({
    "name": st.sampled_from([*NAMES.values(), "create", "nothing"]),
    "arguments": st.one_of(st.dictionaries(KEYS, VALUE, max_size=4), VALUE),
})  # fmt: skip
AFTER = st.sampled_from(["", "\n", " done", " {", ' [{"name": "advance"}]', " <think>", "]"])


@given(call=CALL, listed=st.booleans(), after=AFTER)
def test_a_blank_before_a_call_changes_nothing(call: dict[str, Any], listed: bool, after: str) -> None:
    text = json.dumps([call] if listed else call, ensure_ascii=False) + after
    dialect = ToolsDialect()
    assert dialect.parse(text) == dialect.parse(f" {text}")  # the blank takes the long way


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "create_memory", "arguments": {"text": "a"}} {"name": "advance"}',
        '{"name": "answer", "arguments": {"text": "a"}}',
        '{"name": "create_memory", "arguments": {}}',
        '{"name": "create_memory", "arguments": "text"}',
        '{"name": "create_memory", "parameters": {"text": "a"}}',
        '{"name": "create_memory", "arguments": {"text": "a"}',
        "[]",
    ],
)
def test_what_needs_a_closer_look_is_not_read_by_the_short_way(text: str) -> None:
    assert calls.alone(text) is None
