"""From chunks to passages: whatever a chunk cuts is put together again, and nothing is lost or invented."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgym.agents.passages import OVERLAP, Joined, Passage, Splitter, halved

TEXT = "\n\n".join(f"Document {n}:\nTitle {n}\nThing {n} is big. It is also {n} years old." for n in range(1, 8))
PASSAGES = [Passage(f"Title {n}", f"Thing {n} is big. It is also {n} years old.") for n in range(1, 8)]


def words(text: str) -> int:
    return len(text.split())


def split(chunks: list[str], granularity: str = "document", tokens: int = 300) -> list[Passage]:
    splitter = Splitter(words, granularity, tokens)
    return [passage for chunk in chunks for passage in splitter.feed(chunk)] + splitter.finish()


def test_a_document_is_a_passage_under_its_title() -> None:
    assert split([TEXT]) == PASSAGES
    assert PASSAGES[0].render() == "Title 1\nThing 1 is big. It is also 1 years old."


@given(st.lists(st.integers(len("Document 1:\n"), len(TEXT)), max_size=6))
def test_documents_are_whole_wherever_the_text_is_cut(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(TEXT)]
    assert split([TEXT[a:b] for a, b in pairwise(edges)]) == PASSAGES


@given(st.integers(OVERLAP, 100), st.integers(60, 200))
def test_documents_are_whole_and_once_where_chunks_overlap(overlap: int, size: int) -> None:
    starts = range(0, len(TEXT), size)
    assert split([TEXT[max(0, at - overlap) : at + size + overlap] for at in starts]) == PASSAGES


def test_the_blank_line_that_a_cut_between_documents_swallowed_is_put_back() -> None:
    chunks = TEXT.split("\n\n")
    joined = Joined()
    assert "".join(joined.feed(chunk) for chunk in chunks) == TEXT
    assert split(chunks) == PASSAGES


def test_sentences_keep_their_title() -> None:
    assert split([TEXT], "sentence")[:2] == [
        Passage("Title 1", "Thing 1 is big."),
        Passage("Title 1", "It is also 1 years old."),
    ]


def test_a_chunk_can_be_a_passage() -> None:
    assert split([" a\n\nb ", "", "c"], "chunk") == [Passage("", " a\n\nb "), Passage("", "c")]


def test_without_headers_paragraphs_are_passages() -> None:
    assert split(["one\nline\n\ntwo\n \nthree"]) == [Passage("", "one\nline"), Passage("", "two"), Passage("", "three")]


def test_a_long_document_is_cut_at_sentences_under_its_title() -> None:
    text = "Document 1:\nTitle\n" + " ".join(f"Sentence number {n}." for n in range(10))
    parts = split([text], tokens=7)
    assert {part.title for part in parts} == {"Title"}
    assert [words(part.text) for part in parts] == [6, 6, 6, 6, 6]
    assert " ".join(part.text for part in parts) == text.split("\n")[2]


@pytest.mark.parametrize("text", ["字" * 5000, "a" * 5000, "ก" * 5000, "👩" * 5000, "\ud800" * 5000, "。" * 5000])
def test_text_without_spaces_or_sentences_is_still_cut(text: str) -> None:
    splitter = Splitter(len, tokens=300)
    parts = splitter.feed(text) + splitter.finish()
    assert max(len(part.text) for part in parts) <= 301 * 2
    assert "".join(part.text for part in parts).replace(" ", "") == text


def test_halving_a_single_character_ends() -> None:
    assert list(halved("字", lambda text: 10, 1)) == ["字"]


@pytest.mark.parametrize("chunks", [[], [""], [" \n\n "], ["Document 1:\n"], ["Document 1:\n\n\nDocument 2:\n"]])
def test_nothing_to_read_is_no_passage(chunks: list[str]) -> None:
    assert split(chunks) == []


def test_a_document_of_one_line_has_no_title() -> None:
    assert split(["Document 1:\nOnly this."]) == [Passage("", "Only this.")]


def test_an_unknown_granularity_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'word'.*document"):
        Splitter(words, "word")


HEADER = "Session 1 (1:56 pm on 8 May, 2023) with Ana, Zoë:"
TURNS = ["Ana: Hi!", "Zoë: A list:\n\n- Note: eggs\n- 米", "Ana: Bye."]
CONVERSATION = "\n".join([HEADER, *TURNS, "", HEADER.replace("1 (", "2 ("), "Zoë: Ana: is a name."])
SAID = [*(Passage(HEADER, turn) for turn in TURNS), Passage(HEADER.replace("1 (", "2 ("), "Zoë: Ana: is a name.")]


def test_a_turn_is_a_passage_under_the_header_of_its_session_with_its_date() -> None:
    assert split([CONVERSATION]) == SAID
    assert SAID[0].render() == f"{HEADER}\nAna: Hi!"


@given(st.lists(st.integers(len(HEADER) + 1, len(CONVERSATION)), max_size=5))
def test_turns_are_whole_wherever_a_conversation_is_cut(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(CONVERSATION)]
    assert split([CONVERSATION[a:b] for a, b in pairwise(edges)]) == SAID


def test_chunks_of_one_turn_each_begin_with_the_header_again_and_are_not_taken_for_an_overlap() -> None:
    chunks = [f"{HEADER}\nAna: Hi", f"{HEADER}\nAna: Hi there", f"{HEADER}\nAna: Hi there"]
    assert split(chunks) == [Passage(HEADER, chunk.partition("\n")[2]) for chunk in chunks]


def test_a_few_turns_can_be_a_passage() -> None:
    assert split([CONVERSATION], "turns", tokens=10) == [
        Passage(HEADER, "\n".join(TURNS[:2])), Passage(HEADER, TURNS[2]), SAID[-1],
    ]  # fmt: skip


def test_a_long_turn_stays_whole() -> None:
    turn = "Ana: " + "A sentence. " * 400 + "End."
    assert split([f"{HEADER}\n{turn}"], tokens=10) == [Passage(HEADER, turn)]


def test_the_time_of_a_turn_is_the_date_of_its_session() -> None:
    turn, document = (
        Passage("Session 3 (1:56 pm on 8 May, 2023) with Ana, Béla:", "Ana: hi"),
        Passage("Ana (1990)", "x"),
    )
    assert (turn.time, document.time) == ("1:56 pm on 8 May, 2023", "")
