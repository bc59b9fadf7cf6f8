"""Documents cut into chunks: nothing lost, nothing too long, and errors that name the value."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgym.envs.chunks import chunk, render
from memgym.registry import UnknownName
from memgym.task import Document
from memgym.tokens import Cl100k

CL100K = Cl100k()
WORDS = st.sampled_from(
    ["Paris. ", "it is ", "so!\n", "漢字。", "สวัสดี ", "👩‍👩‍👧‍👦", "\x00", "\ud800", "\n\n", "a" * 40, " " * 9, "x"]
)
BODIES = st.lists(WORDS, max_size=40).map("".join) | st.text(st.characters(exclude_categories=()), max_size=30)
DOCUMENTS = st.lists(st.builds(Document, st.sampled_from(["", "Title", "東京"]), BODIES), max_size=6)
SIZES = st.integers(1, 60)


def rejoined(text: str, chunks: list[str]) -> bool:
    """Whether the chunks are the text, in order, but for blank lines between them before a document."""
    at = 0
    for one in chunks:
        if not text.startswith(one, at) and text.startswith("\n\nDocument ", at):
            at += 2
        if not text.startswith(one, at):
            return False
        at += len(one)
    return at == len(text)


@given(DOCUMENTS, SIZES)
def test_document_chunks_are_the_text_but_for_blank_lines_at_the_cuts(documents: list[Document], size: int) -> None:
    assert rejoined(render(documents), chunk(documents, CL100K, size=size))


@given(DOCUMENTS, SIZES)
def test_token_chunks_without_overlap_are_the_text(documents: list[Document], size: int) -> None:
    assert "".join(chunk(documents, CL100K, size=size, cut="token")) == render(documents)


@given(DOCUMENTS, SIZES, st.sampled_from(["document", "token"]))
def test_no_chunk_is_empty(documents: list[Document], size: int, cut: str) -> None:
    assert all(chunk(documents, CL100K, size=size, cut=cut))


@given(DOCUMENTS, SIZES)
def test_no_document_chunk_is_longer_than_size(documents: list[Document], size: int) -> None:
    assert all(CL100K.count(one) <= size or len(one) == 1 for one in chunk(documents, CL100K, size=size))


@given(DOCUMENTS, SIZES)
def test_a_document_that_fits_is_never_cut(documents: list[Document], size: int) -> None:
    chunks = chunk(documents, CL100K, size=size)
    for number, document in enumerate(documents, 1):
        rendered = f"Document {number}:\n{document.render()}"
        if CL100K.count(rendered) <= size:
            assert any(rendered in one for one in chunks)


def test_documents_are_numbered_from_one_with_blank_lines_between() -> None:
    assert render([Document("A", "x"), Document("", "y")]) == "Document 1:\nA\nx\n\nDocument 2:\ny"


def test_documents_that_fit_together_share_a_chunk() -> None:
    documents = [Document("Title", "Some words here.")] * 10
    each = CL100K.count("Document 1:\nTitle\nSome words here.")
    chunks = chunk(documents, CL100K, size=4 * each + 4)
    assert [one.count("Document ") for one in chunks] == [4, 4, 2]


def test_a_long_document_is_cut_after_a_sentence() -> None:
    document = Document("Title", "One two three four five. " * 30)
    chunks = chunk([document], CL100K, size=40)
    assert len(chunks) > 3
    assert all(one.endswith("five. ") for one in chunks)


def test_a_long_sentence_is_cut_after_a_word() -> None:
    chunks = chunk([Document("", "elephant " * 100)], CL100K, size=20)
    assert all(one.endswith("elephant ") for one in chunks)


def test_a_long_word_is_cut_after_a_token() -> None:
    chunks = chunk([Document("", "ab" * 500)], CL100K, size=20)
    assert all(10 <= CL100K.count(one) <= 20 for one in chunks[:-1])


def test_the_rest_of_a_long_document_is_packed_with_the_next() -> None:
    documents = [Document("", "One two three four five. " * 4), Document("", "Short.")]
    chunks = chunk(documents, CL100K, size=24)
    assert chunks[-1].startswith("One two")
    assert chunks[-1].endswith("Document 2:\nShort.")


def test_token_windows_overlap_on_both_sides() -> None:
    documents = [Document("Title", "alpha beta gamma delta " * 30)]
    text = render(documents)
    edges = [0, *CL100K.offsets(text)]
    chunks = chunk(documents, CL100K, size=20, overlap=5, cut="token")
    assert chunks[0] == text[: edges[25]]
    assert chunks[2] == text[edges[35] : edges[65]]


def test_no_documents_make_no_chunks() -> None:
    assert chunk([], CL100K) == chunk([], CL100K, cut="token") == []


@settings(deadline=None)
@given(st.sampled_from(["a", "\x00", "漢", "Word. ", " ", "\n", "\ud800"]))
def test_a_document_of_100_kb_is_cut_without_loss(unit: str) -> None:
    documents = [Document("Long", unit * (100_000 // len(unit)))] * 2
    chunks = chunk(documents, CL100K, size=500)
    assert rejoined(render(documents), chunks)
    assert max(map(CL100K.count, chunks)) <= 500


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"size": 0}, "size=0"),
        ({"size": -3}, "size=-3"),
        ({"size": 10, "overlap": -1, "cut": "token"}, "overlap=-1"),
        ({"size": 10, "overlap": 11, "cut": "token"}, "overlap=11"),
        ({"size": 10, "overlap": 2}, "overlap=2"),
    ],
)
def test_impossible_sizes_are_errors_that_name_the_value(options: dict, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        chunk([Document("A", "x")], CL100K, **options)


def test_an_unknown_cut_is_an_error_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="'token'"):
        chunk([], CL100K, cut="tokens")
