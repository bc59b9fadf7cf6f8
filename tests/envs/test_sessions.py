"""How conversations are cut: every turn once and whole, dates on every chunk, nothing read past a stop."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgym.envs.sessions import Session, Stream
from memgym.registry import UnknownName
from memgym.tokens import make_tokenizer

COUNT = make_tokenizer("cl100k").count
TALK = [
    Session(
        number, f"day {number}", tuple(("Ana" if at % 2 else "林", f"Turn {at} 🦊 of {number}.") for at in range(6))
    )
    for number in range(1, 5)
]
LINES = [line for session in TALK for line in session.lines()]


def lines(chunks: list[str]) -> list[str]:
    return [line for chunk in chunks for line in chunk.split("\n") if line and not line.startswith("Session ")]


@pytest.mark.parametrize(("unit", "count"), [("session", 4), ("turn", 24), ("tokens", 1)])
def test_a_unit_says_how_much_a_chunk_holds(unit: str, count: int) -> None:
    chunks, _ = Stream(unit).chunks(TALK)
    assert len(chunks) == count
    assert lines(chunks) == LINES
    assert all(chunk.startswith("Session ") for chunk in chunks)


def test_a_session_that_fits_is_its_document() -> None:
    assert Stream().chunks(TALK)[0] == [session.document().render() for session in TALK]


@pytest.mark.parametrize("unit", ["session", "turn", "tokens"])
@pytest.mark.parametrize("size", [64, 80, 100])
def test_no_chunk_is_longer_than_asked_and_each_tells_its_date(unit: str, size: int) -> None:
    chunks, _ = Stream(unit, size).chunks(TALK)
    assert max(map(COUNT, chunks)) <= size
    assert lines(chunks) == LINES
    assert all(chunk.startswith("Session ") for chunk in chunks)


def test_a_turn_that_does_not_fit_goes_on_in_chunks_that_join_to_it() -> None:
    long = Session(1, "day", (("Ana", "A sentence of words. " * 60), ("林", "Short.")))
    chunks, _ = Stream("session", 64).chunks([long])
    assert "".join(chunks) == long.document().render()
    assert max(map(COUNT, chunks)) <= 64 + 8


@settings(max_examples=30)
@given(st.lists(st.integers(0, 4), max_size=5).map(sorted), st.sampled_from(["session", "turn", "tokens"]))
def test_no_chunk_reaches_over_a_stop(stops: list[int], unit: str) -> None:
    chunks, read = Stream(unit).chunks(TALK, stops)
    assert lines(chunks) == LINES
    assert [lines(chunks[:count]) for count in read] == [LINES[: 6 * stop] for stop in stops]


def test_what_cannot_be_cut_is_an_error() -> None:
    with pytest.raises(UnknownName, match="'tokens'"):
        Stream("token")
    with pytest.raises(ValueError, match="chunk_tokens=10"):
        Stream(chunk_tokens=10)
