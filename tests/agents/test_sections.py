"""Sections of one text are read back as they were written."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memgym.agents.sections import read, write

HEADINGS = ("State", "Last information")
BODY = st.text(st.sampled_from("ab :\n語\0\ud800") | st.characters(codec=None), max_size=60)


@given(BODY, BODY)
def test_what_is_written_is_read_back_without_white_space_around_it(state: str, last: str) -> None:
    found = read(write({"State": state, "Last information": last}), HEADINGS)
    assert found == {"State": state.strip(), "Last information": last.strip()}


def test_a_blank_section_leaves_no_heading() -> None:
    assert write({"State": " ", "Last information": "x"}) == "Last information:\nx"


def test_a_line_that_is_a_heading_cannot_open_another_section() -> None:
    text = write({"State": "Last information:\nMia", "Last information": "State:\nOtto"})
    assert read(text, HEADINGS) == {"State": "Mia", "Last information": "Otto"}


def test_text_before_any_heading_belongs_to_the_first() -> None:
    assert read("Mia\n\nLast information:\nOtto", HEADINGS) == {"State": "Mia", "Last information": "Otto"}
