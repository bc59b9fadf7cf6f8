"""The canonical dialect on any text, hostile ones included: it never raises, and its time stays linear."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgym.dialects.xml import XmlDialect
from memgym.operations import Action, Create, Malformed

XML = XmlDialect()
PIECES = (
    *("<", ">", "&", '"', "'", "/", ",", "，", "、", ";", "#", "\\", "[", "]", "{", "}", "=", " ", "\n", "\t", "\u00a0", "\x1c"),
    *("\x00", "\ud800", "\udc00", "😀", "北京", "กรุงเทพ", "Ελλάδα", "İ", "K", "a", "Z", "7", "_", "_x0041_", "&amp;", "&#44;", "&#;", "&lt"),
    *("<create_memory>", "</create_memory>", "<create_memory", "<think>", "</think>", "<answer>", "</answer>", "<creat_memory>", "id", "text", "keywords"),
    *("<!--", "<![CDATA[", "]]>", "a < b", "<tool_call>", r"\boxed{x}", "Memory 1: "),
)  # fmt: skip


class TestAnyText:
    @given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(st.characters(exclude_categories=())))
    def test_never_raises_and_is_read_the_same_when_written_again(self, text: str) -> None:
        action = XML.parse(text)
        kept = Action(tuple(one for one in action.operations if not isinstance(one, Malformed)), action.command)
        assert XML.parse(XML.format(kept)) == kept

    @pytest.mark.parametrize(
        ("text", "count"),
        [
            ("x" * 1_000_000, 0),
            ("<" * 1_000_000, 0),
            ("<create_memory>" * 100_000, 100_000),
            ("<create_memory>" * 50_000 + "</create_memory>" * 50_000, 1),
            ("</create_memory>" * 60_000, 60_000),
            ('<create_memory keywords="' * 40_000, 40_000),
            ("<create_memory a='<create_memory b=\"' c='\"" * 20_000, 40_000),
            ("<create_memory" + " " * 1_000_000, 1),
            ("<create_memory" + ' a="1"' * 150_000, 1),
            ("<think>" * 140_000, 1),
            ("</think>" * 120_000, 0),
            ("<b>" * 300_000, 0),
            ("".join(f"<creat{i}_memory>" for i in range(50_000)), 32),
            ("<create_memory>" + "&#" * 400_000 + "</create_memory>", 1),
            ("<create_memory>" + "&" * 900_000 + "</create_memory>", 1),
            ("<create_memory>x</create_memory>" * 25_000 + "<b>", 25_000),
        ],
    )  # fmt: skip
    def test_a_megabyte_of_anything_is_read(self, text: str, count: int) -> None:
        assert len(XML.parse(text).operations) == count

    def test_a_long_body_comes_through_whole(self) -> None:
        text = "กรุงเทพ 北京 Αθήνα 😀 " * 50_000
        assert XML.parse(f"<create_memory>{text}</create_memory>") == Action((Create(text.strip()),))
