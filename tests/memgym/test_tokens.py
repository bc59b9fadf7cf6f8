"""Counting tokens and saying where they end, for any text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgym.registry import UnknownName
from memgym.tokens import LONGISH, Cl100k, HuggingFaceTokenizer, Tokenizer, make_tokenizer

ANY = st.text(st.characters(exclude_categories=()), max_size=80)
HARD = [
    "",
    "a",
    " ",
    "\x00",
    "\ud800",
    "a\ud83d\ude00b",
    "👩‍👩‍👧‍👦" * 50,
    "漢字 かな",
    "สวัสดีชาวโลก",
    "<|endoftext|>",
    "é\u0301\r\n\n" * 9,
]
HUGE = ["a" * 100_000, "\x00" * 100_000, "漢" * 33_000, "word " * 20_000, "\ud800" * 100_000]
CL100K = Cl100k()


def slices(text: str, ends: Sequence[int]) -> list[str]:
    return [text[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]


@given(ANY)
def test_slices_between_offsets_are_the_text(text: str) -> None:
    assert "".join(slices(text, CL100K.offsets(text))) == text


@pytest.mark.parametrize("text", HARD + HUGE, ids=range(len(HARD + HUGE)))
def test_hard_texts_are_cut_without_loss(text: str) -> None:
    assert "".join(slices(text, CL100K.offsets(text))) == text


@given(ANY)
def test_there_is_one_ascending_offset_a_token(text: str) -> None:
    ends = CL100K.offsets(text)
    assert len(ends) == CL100K.count(text)
    assert list(ends) == sorted(ends)


def test_counts_are_those_of_cl100k() -> None:
    texts = ["", "hello world", "Document 1:\nParis\n", "tiktoken is great!", "お誕生日おめでとう"]
    assert [CL100K.count(text) for text in texts] == [0, 2, 6, 6, 9]


def test_offsets_of_plain_words_are_where_the_words_end() -> None:
    assert slices("hello world", CL100K.offsets("hello world")) == ["hello", " world"]


def test_a_spelled_out_special_token_is_ordinary_text() -> None:
    assert CL100K.count("<|endoftext|>") > 1


def test_a_lone_surrogate_counts_as_the_replacement_character() -> None:
    assert CL100K.count("a\ud800b") == CL100K.count("a\ufffdb")


@given(st.text(max_size=9).map(lambda text: text * LONGISH))
def test_a_remembered_count_is_the_count(text: str) -> None:
    assert [CL100K.count(text), CL100K.count(text)] == [len(CL100K.offsets(text))] * 2


def test_tokenizers_are_made_by_name() -> None:
    assert make_tokenizer("cl100k").name == "cl100k"
    assert make_tokenizer("huggingface:some/model").name == "huggingface:some/model"


def test_an_unknown_tokenizer_is_an_error_with_the_nearest_name() -> None:
    with pytest.raises(UnknownName, match="cl100k"):
        make_tokenizer("cl100")


def test_a_hugging_face_tokenizer_without_a_model_is_an_error() -> None:
    with pytest.raises(ValueError, match="huggingface:PATH"):
        HuggingFaceTokenizer("")
    with pytest.raises(TypeError):
        make_tokenizer("huggingface")


@pytest.fixture(scope="module", params=["bytes", "words"])
def huggingface(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    """A tiny trained tokenizer on disk: byte-level BPE as in Qwen, or WordPiece that drops white space as in BERT."""
    tokenizers = pytest.importorskip("tokenizers")
    transformers = pytest.importorskip("transformers")
    folder: Path = tmp_path_factory.mktemp(request.param)
    if request.param == "bytes":
        made = tokenizers.ByteLevelBPETokenizer()
        made.train_from_iterator(["hello world, hello there"] * 3, vocab_size=300, show_progress=False)
    else:
        made = tokenizers.BertWordPieceTokenizer()
        made.train_from_iterator(["hello world, hello there"] * 3, vocab_size=60, show_progress=False)
    transformers.PreTrainedTokenizerFast(tokenizer_object=made._tokenizer, unk_token="[UNK]").save_pretrained(folder)
    return make_tokenizer(f"huggingface:{folder}")


@pytest.mark.parametrize("text", HARD, ids=range(len(HARD)))
def test_a_models_own_tokenizer_cuts_without_loss(huggingface: Tokenizer, text: str) -> None:
    ends = huggingface.offsets(text)
    assert "".join(slices(text, ends)) == text
    assert huggingface.count(text) == len(ends)


def test_a_models_own_tokenizer_counts_its_own_tokens(huggingface: Tokenizer) -> None:
    assert huggingface.count("hello hello") == 2


def test_a_models_own_tokenizer_counts_long_texts_alike(huggingface: Tokenizer) -> None:
    assert huggingface.count("hello " * 1000) == len(huggingface.offsets("hello " * 1000))
