"""Times as data sets write them are read and ordered."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgym.agents.systems.moments import earlier, moment, step


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("1:56 pm on 8 May, 2023", (2023, 5, 8, 13, 56)),
        ("12:30 am on 1 January, 2023", (2023, 1, 1, 0, 30)),
        ("2023/05/20 (Sat) 02:21", (2023, 5, 20, 2, 21)),
        ("2024-02-03T04:05:06Z", (2024, 2, 3, 4, 5)),
        ("202305081356", (2023, 5, 8, 13, 56)),
        ("May 2016", (2016, 5)),
        ("May 8, 2023", (2023, 5, 8)),
        ("Sept 2020", (2020, 9)),
        ("in 1957", (1957,)),
        ("Maybe in 2016", (2016,)),
        ("2023-13-01", (2023,)),
        ("step 12", (0, 12)),
        ("yesterday", None),
        ("Jan 5", None),
        ("", None),
    ],
)
def test_a_time_is_read(text: str, read: tuple[int, ...] | None) -> None:
    assert moment(text) == read


@given(st.text(max_size=300))
def test_any_text_is_read_without_an_error(text: str) -> None:
    found = moment(text)
    assert found is None or len(found) <= 5


def test_a_text_of_any_length_is_read() -> None:
    assert moment("1" * 100_000) is None


DATES = st.tuples(st.integers(1000, 2999), st.integers(1, 12), st.integers(1, 28))


@given(DATES, DATES)
def test_full_dates_are_ordered_as_numbers_are(one: tuple[int, int, int], other: tuple[int, int, int]) -> None:
    texts = ["{}-{:02}-{:02}".format(*date) for date in (one, other)]
    assert earlier(moment(texts[0]), moment(texts[1])) == (one < other)


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_steps_are_ordered_by_their_numbers(one: int, other: int) -> None:
    assert earlier(moment(step(one)), moment(step(other))) == (one < other)


def test_of_two_that_agree_as_far_as_they_are_known_neither_is_earlier() -> None:
    month, day = moment("May 2016"), moment("3 May 2016")
    assert not earlier(month, day)
    assert not earlier(day, month)


@pytest.mark.parametrize("other", [None, moment("step 3")])
def test_a_date_is_not_compared_with_a_step_or_with_nothing(other: tuple[int, ...] | None) -> None:
    assert not earlier(moment("May 2016"), other)
    assert not earlier(other, moment("May 2016"))
