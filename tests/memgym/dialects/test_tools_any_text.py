"""Function calls in any text, hostile ones included: nothing raises, and the time stays linear."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgym.dialects.tools import ToolsDialect
from memgym.operations import Action

TOOLS = ToolsDialect()
PIECES = (
    *("<", ">", "&", '"', "'", "/", ",", ":", "\\", "[", "]", "{", "}", " ", "\n", "\x00", "\ud83d", "\ude00", "😀", "北京", "กรุงเทพ", "Ελλάδα", "a", "7"),
    *("<think>", "</think>", "<tool_call>", "</tool_call>", "</THINKING >", "```json\n", '{"name": ', '"create_memory"', '"arguments": ', '[{"', "null", "\\u003c"),
)  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), max_size=6).map("".join) | st.text(
    st.characters(exclude_categories=()), max_size=9
)
keys = st.sampled_from(["name", "arguments", "function", "tool_calls", "text"]) | texts
values = st.recursive(
    st.none() | st.integers() | st.floats() | st.sampled_from(["create_memory", "{'text': 1}"]) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)


class TestAnyText:
    @given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(st.characters(exclude_categories=())))
    def test_never_raises(self, text: str) -> None:
        assert isinstance(TOOLS.parse(text), Action)

    @given(values)
    def test_never_raises_on_any_json(self, value: object) -> None:
        assert isinstance(TOOLS.parse(json.dumps(value)), Action)

    @pytest.mark.parametrize(
        ("text", "count"),
        [
            ("x" * 1_000_000, 0),
            ("[" * 1_000_000, 1),
            ('[{"a":' * 160_000, 1),
            ("[" * 100_000 + "]" * 100_000, 1),
            ('{"name":' * 120_000, 1),
            ("<tool_call>" * 90_000, 0),
            ("<tool_call>{}</tool_call>" * 40_000, 40_000),
            ("</think>" * 120_000, 0),
            ("<think>" * 140_000, 1),
            ('{"name": "advanc"}' * 40_000, 40_000),
            ("[" + ",".join(f'{{"name": "creat{i}_memory"}}' for i in range(30_000)) + "]", 30_000),
            ("['" * 5_000 + "]", 1),
            ('{"a": ' + "9" * 100_000 + "}", 1),
        ],
    )
    def test_a_megabyte_of_anything_is_read(self, text: str, count: int) -> None:
        assert len(TOOLS.parse(text).operations) == count
