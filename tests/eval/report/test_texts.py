"""What an agent wrote is shown, never run, and never lost."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgym.eval.report.svg import element, spread, ticks
from memgym.eval.report.texts import as_script, compact, number, render, shortened, templates, visible, width_of


@given(st.text(st.characters(exclude_categories=())))
def test_what_is_visible_can_be_written_and_holds_no_hidden_character(text: str) -> None:
    shown = visible(text)
    shown.encode("utf-8")
    assert not any(ord(character) < 32 and character not in "\t\n\r" for character in shown)


def test_half_a_surrogate_pair_is_a_replacement_character_and_a_whole_one_a_character() -> None:
    assert visible("a\ud800b") == "a\ufffdb"
    assert visible("\ud83d\ude00") == "\U0001f600"


def test_nul_and_other_controls_are_drawn() -> None:
    assert visible("a\x00b\x1bc\x7f") == "a\u2400b\u241bc\u2421"


def test_text_cannot_turn_the_direction_of_what_follows() -> None:
    assert "\u202e" not in visible("a\u202eb")


@pytest.mark.parametrize("text", ["", "記憶", "ไทย", "عربى", "🙂", "a\nb"])
def test_ordinary_text_of_any_script_stays(text: str) -> None:
    assert visible(text) == text


def test_a_long_text_is_shortened_to_one_line_of_its_length() -> None:
    assert shortened("a\nb  c", 10) == "a b c"
    assert shortened("x" * 100_000, 20) == "x" * 19 + "…"


def test_a_template_escapes_what_it_is_given() -> None:
    made = templates().from_string("<p title='{{ said }}'>{{ said }}</p>").render(said="<script>'\"&")
    assert made == "<p title='&lt;script&gt;&#39;&#34;&amp;'>&lt;script&gt;&#39;&#34;&amp;</p>"


def test_an_element_escapes_text_and_attributes() -> None:
    made = element("text", "<b>", class_='"x"', data_entry=None)
    assert made == '<text class="&#34;x&#34;">&lt;b&gt;</text>'


def test_json_in_a_script_cannot_close_it() -> None:
    assert "<" not in as_script(["</script><!--"])


def test_a_template_that_names_what_is_not_given_is_an_error() -> None:
    with pytest.raises(Exception, match="undefined"):
        render("report.html")


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0"), (7, "7"), (9.996, "10"), (0.5, "0.50"), (999, "999"), (1000, "1k"), (1250, "1.2k"), (33_333, "33k"),
     (999_950, "1M"), (4.1e6, "4.1M"), (math.nan, "–"), (None, "–")],
)  # fmt: skip
def test_a_count_is_told_in_few_figures(value: float | None, shown: str) -> None:
    assert compact(value) == shown


def test_numbers_have_a_minus_sign_and_a_dash_for_none() -> None:
    assert [number(-0.5), number(None), number(1234.5, 0)] == ["−0.500", "–", "1,234"]


def test_wide_scripts_are_wider() -> None:
    assert width_of("記憶") > width_of("ab")


@given(st.floats(0, 1e6), st.floats(0.01, 1e6))
def test_ticks_lie_within_their_range(low: float, span: float) -> None:
    found = ticks(low, low + span)
    assert all(low - span * 1e-6 <= at <= low + span * (1 + 1e-6) for at in found)
    assert 1 <= len(found) <= 12


@given(st.lists(st.floats(0, 300), max_size=15))
def test_labels_that_are_moved_apart_do_not_touch_and_keep_their_order(places: list[float]) -> None:
    moved = spread(places, 15, 0, 300)
    order = sorted(range(len(places)), key=lambda at: (places[at], at))
    assert all(moved[b] - moved[a] >= 15 - 1e-6 for a, b in pairwise(order))
