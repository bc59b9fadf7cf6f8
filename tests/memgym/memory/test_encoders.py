"""Encoders give unit rows that depend on the text alone, and the cache asks for each text once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from memgym.memory.encoders import (
    CachedEncoder,
    Encoder,
    HashingEncoder,
    RandomEncoder,
    SentenceTransformerEncoder,
    encodable,
    make_encoder,
)
from memgym.registry import UnknownName

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=40)
ODD = ["", " \n", "a cat", "猫が好き", "กรุงเทพ", "🎉", "\ud800", "a \udfff cat", "\x00", "x" * 100_000]


class Counting:
    """A hashing encoder that keeps the calls it gets."""

    name, dimension, fingerprint = "counting", 8, "counting:8"

    def __init__(self, sided: bool = False) -> None:
        self.sided = sided
        self.calls: list[list[str]] = []
        self._inner = HashingEncoder(8)

    def encode(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        self.calls.append(list(texts))
        return self._inner.encode([text + " query" for text in texts] if query else texts)


@pytest.mark.parametrize("encoder", [HashingEncoder(), HashingEncoder(1), RandomEncoder(), make_encoder("hashing")])
def test_rows_are_float32_of_length_one_or_zero_for_odd_texts(encoder: Encoder) -> None:
    rows = encoder.encode(ODD)
    assert rows.dtype == np.float32
    assert rows.shape == (len(ODD), encoder.dimension)
    lengths = np.linalg.norm(rows, axis=1)
    assert ((np.abs(lengths - 1) < 1e-5) | (lengths == 0)).all()
    assert encoder.encode([]).shape == (0, encoder.dimension)


@pytest.mark.parametrize("encoder", [HashingEncoder(), RandomEncoder(), CachedEncoder(HashingEncoder(), size=3)])
@settings(max_examples=25, deadline=None)
@given(texts=st.lists(ANY_TEXT, max_size=6), query=st.booleans())
def test_a_text_gets_the_same_row_alone_and_among_others(encoder: Encoder, texts: list[str], query: bool) -> None:
    together = encoder.encode(texts, query=query)
    for row, text in zip(together, texts, strict=True):
        assert np.array_equal(row, encoder.encode([text], query=query)[0])


@pytest.mark.parametrize("name", ["hashing", "random"])
def test_another_process_gives_the_same_rows(name: str) -> None:
    code = (
        "import sys; from memgym.memory.encoders import make_encoder;"
        f"sys.stdout.write(make_encoder({name!r}).encode(['a cat in the café 猫']).tobytes().hex())"
    )
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert other.stdout == make_encoder(name).encode(["a cat in the café 猫"]).tobytes().hex()


def test_hashing_puts_texts_that_share_words_nearer() -> None:
    rows = HashingEncoder().encode(["cats chase dogs", "a dog chased by a cat", "the moon is made of cheese"])
    assert rows[0] @ rows[1] > 0.9
    assert abs(rows[0] @ rows[2]) < 0.4


def test_hashing_leaves_only_blank_texts_without_a_direction() -> None:
    lengths = np.linalg.norm(HashingEncoder().encode(["", "\u3000\n", "🎉", "the", "?!"]), axis=1)
    assert (lengths > 0).tolist() == [False, False, True, True, True]


def test_random_rows_are_unrelated_between_texts_sides_and_seeds() -> None:
    encoder = RandomEncoder()
    document, other = encoder.encode(["a cat", "a cat!"])
    query = encoder.encode(["a cat"], query=True)[0]
    seeded = RandomEncoder(seed=1).encode(["a cat"])[0]
    assert max(abs(document @ other), abs(document @ query), abs(document @ seeded)) < 0.3


@pytest.mark.parametrize("make", [HashingEncoder, RandomEncoder])
def test_a_dimension_of_zero_is_refused(make: type[HashingEncoder]) -> None:
    with pytest.raises(ValueError, match="not 0"):
        make(0)


def test_fingerprints_tell_dimensions_and_seeds_apart() -> None:
    encoders: list[Encoder] = [
        HashingEncoder(),
        HashingEncoder(255),
        RandomEncoder(),
        RandomEncoder(seed=1),
        RandomEncoder(256),
    ]
    assert len({encoder.fingerprint for encoder in encoders}) == len(encoders)
    assert HashingEncoder().fingerprint == HashingEncoder(256).fingerprint


def test_the_cache_computes_each_distinct_text_once_and_misses_in_one_call() -> None:
    inner = Counting()
    cached = CachedEncoder(inner)
    rows = cached.encode(["a", "b", "a"])
    again = cached.encode(["c", "b", "d", "a", "c"])
    assert inner.calls == [["a", "b"], ["c", "d"]]
    assert cached.computed == 4
    assert np.array_equal(rows[0], rows[2])
    assert np.array_equal(again[1], rows[1])
    assert (cached.name, cached.dimension, cached.fingerprint) == ("counting", 8, "counting:8")


def test_the_cache_keeps_the_sides_apart_only_where_they_differ() -> None:
    one, two = Counting(sided=False), Counting(sided=True)
    for inner in (one, two):
        cached = CachedEncoder(inner)
        cached.encode(["a"])
        cached.encode(["a"], query=True)
    assert (len(one.calls), len(two.calls)) == (1, 2)


def test_the_cache_forgets_the_least_recently_used_and_may_be_smaller_than_a_call() -> None:
    inner = Counting()
    cached = CachedEncoder(inner, size=2)
    rows = cached.encode(["a", "b", "c", "d"])
    assert np.array_equal(rows, HashingEncoder(8).encode(["a", "b", "c", "d"]))
    cached.encode(["c"])
    cached.encode(["e"])
    cached.encode(["c", "e"])
    assert cached.computed == 5
    cached.encode(["d"])
    assert cached.computed == 6


def test_what_a_caller_does_to_its_rows_does_not_reach_the_cache() -> None:
    cached = CachedEncoder(HashingEncoder(8))
    rows = cached.encode(["a cat"])
    kept = rows.copy()
    rows[:] = 7
    assert np.array_equal(cached.encode(["a cat"]), kept)


def test_an_encoder_is_made_by_name_once_per_process() -> None:
    assert make_encoder("hashing:512").dimension == 512
    seeded = make_encoder("random:16", seed=3).encode(["a cat"])
    assert np.array_equal(seeded, RandomEncoder(16, seed=3).encode(["a cat"]))
    assert make_encoder("hashing") is make_encoder("hashing")
    assert make_encoder("hashing") is not make_encoder("hashing:128")


def test_names_and_options_that_do_not_exist_are_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="'hashing'"):
        make_encoder("hasing")
    with pytest.raises(TypeError, match="'dimension'"):
        make_encoder("hashing", dimensions=3)
    with pytest.raises(ValueError, match="not 'big'"):
        make_encoder("hashing:big")


@given(ANY_TEXT)
def test_encodable_text_is_valid_unicode_and_valid_text_is_unchanged(text: str) -> None:
    shown = encodable(text)
    shown.encode("utf-8")
    if not any("\ud800" <= character <= "\udfff" for character in text):
        assert shown == text


def test_a_pair_of_surrogates_becomes_its_character_and_a_lone_one_is_replaced() -> None:
    assert encodable("\ud83c\udf89 \ud83c!") == "🎉 \ufffd!"


@pytest.fixture(scope="module")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sentence-transformers model of one random layer, with a query prompt of its own."""
    package = pytest.importorskip("sentence_transformers", reason="the extra sentence-transformers is not installed")
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("model")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "find", ":", "a", "cat", "dog"]
    (folder / "vocab.txt").write_text("\n".join(words))
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(words), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16
    )
    transformers.BertModel(config).save_pretrained(folder / "bert")
    transformers.BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder / "bert")
    modules = pytest.importorskip("sentence_transformers.models")
    words_model, pooling = modules.Transformer(str(folder / "bert")), modules.Pooling(16)
    model = package.SentenceTransformer(modules=[words_model, pooling], prompts={"query": "find:", "document": ""})
    model.save(str(folder / "whole"))
    return folder / "whole"


def test_a_sentence_transformer_prompts_queries_only(tiny_model: Path) -> None:
    encoder = make_encoder(f"sentence-transformers:{tiny_model}", device="cpu").encoder
    assert encoder.dimension == 16
    document, query = encoder.encode(["a cat"])[0], encoder.encode(["a cat"], query=True)[0]
    assert np.allclose(query, encoder.encode(["find:a cat"])[0], atol=1e-5)
    assert not np.allclose(query, document, atol=1e-3)
    plain = SentenceTransformerEncoder(str(tiny_model), query_prompt="", device="cpu")
    assert np.allclose(plain.encode(["a cat"], query=True)[0], document, atol=1e-5)
    assert plain.fingerprint != encoder.fingerprint


def test_a_sentence_transformer_takes_blank_and_broken_texts(tiny_model: Path) -> None:
    rows = SentenceTransformerEncoder(str(tiny_model), device="cpu").encode(["", "a \ud800 cat", " "])
    assert np.linalg.norm(rows, axis=1) == pytest.approx([0, 1, 0])
