"""A budget of tokens is kept whatever the text, and what is cut into parts is lost nowhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgym.agents.budget import Overwritten, cut, newest, parts, tokenizer
from memgym.registry import UnknownName

ANY = st.text(st.characters(codec=None), max_size=200) | st.sampled_from(
    ["👩‍👩‍👧‍👦" * 20, "ภาษาไทย" * 30, "語" * 99, "\ud800" * 9, "a\0b"]
)


@given(ANY, st.integers(1, 30))
def test_what_is_cut_is_a_beginning_within_the_budget(text: str, tokens: int) -> None:
    kept = cut(text, tokens)
    assert text.startswith(kept)
    assert tokenizer().count(kept) <= tokens


@given(ANY, st.integers(4, 30))
def test_parts_are_within_the_budget_and_make_up_the_text(text: str, tokens: int) -> None:
    found = list(parts(text, tokens))
    assert "".join(found) == text
    assert all(tokenizer().count(part) <= tokens or len(part) == 1 for part in found)


def test_a_text_within_the_budget_stays_as_it_is() -> None:
    assert cut("Mia was born in Oslo.\n", 100) == "Mia was born in Oslo.\n"


def test_the_newest_texts_that_fit_are_kept_whole() -> None:
    assert newest(["one two three", "four five", "six"], 3) == ["four five", "six"]
    assert newest(["one two three", "four"], 3) == ["four"]
    assert newest(["one two three"], 2) == []


def test_a_text_over_the_limit_is_cut_and_counted() -> None:
    memory = Overwritten(3)
    assert memory.fit("one two three four", "old") == "one two three"
    assert memory.fit("one two", "old") == "one two"
    assert memory.overflows == 1


def test_a_text_over_the_limit_is_refused_and_counted() -> None:
    memory = Overwritten(3, "refuse")
    assert memory.fit("one two three four", "old") == "old"
    assert memory.overflows == 1


def test_an_unknown_way_to_overflow_is_an_error_that_names_the_ways() -> None:
    with pytest.raises(UnknownName, match="cut"):
        Overwritten(3, "cutt")
