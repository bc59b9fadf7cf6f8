"""Lexical indexes answer like fresh ones over the same live entries, and as their formulas say."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from memgym.memory.analysis import terms
from memgym.memory.indexes import Bm25Index, DenseIndex, Index, NgramIndex, TextIndex, fuse, hybrid_search

LEXICAL = [Bm25Index, NgramIndex, TextIndex]
WORDS = ["cat", "cats", "dog", "the", "lake", "painting", "猫が好き", "กรุงเทพ", "🎉", "\ud800", "42"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join) | st.text(max_size=12)
STEPS = st.lists(st.tuples(st.sampled_from(["add", "remove", "ask"]), st.integers(0, 7), TEXTS), max_size=40)


@pytest.mark.parametrize("make", LEXICAL)
@settings(max_examples=60, deadline=None)
@given(steps=STEPS, query=TEXTS, data=st.data())
def test_a_text_index_answers_like_a_fresh_one_whatever_happened_before(
    make: type[TextIndex], steps: list[tuple[str, int, str]], query: str, data: st.DataObject
) -> None:
    index, live = make(), dict[int, str]()
    for what, key, text in steps:
        if what == "add":
            index.add([key], [text])
            live[key] = text
        elif what == "remove" and key in live:
            index.remove(key)
            del live[key]
        else:
            index.search(text, 3)
    fresh = make()
    order = data.draw(st.permutations(sorted(live)))
    fresh.add(order, [live[key] for key in order])
    assert index.keys() == fresh.keys() == sorted(live)
    assert len(index) == len(live)
    for asked in (query, *live.values()):
        assert index.search(asked, 5) == fresh.search(asked, 5)


@pytest.mark.parametrize("make", LEXICAL)
def test_a_text_index_answers_like_a_fresh_one_after_thousands_of_changes(make: type[TextIndex]) -> None:
    rng = np.random.default_rng(0)
    vocabulary = [f"word{number}" for number in range(300)]
    index, live = make(), dict[int, str]()
    for key in range(1500):
        live[key] = " ".join(rng.choice(vocabulary, 8))
        index.add([key], [live[key]])
        if len(live) > 150:
            gone = int(rng.choice(list(live)))
            index.remove(gone)
            del live[gone]
        if key % 7 == 0:
            index.search("word1 word2", 3)
    fresh = make()
    fresh.add(list(live), list(live.values()))
    for text in live.values():
        assert index.search(text, 200) == fresh.search(text, 200)


def test_bm25_scores_are_those_of_the_formula() -> None:
    texts = {3: "a cat on a mat", 5: "cat cat dog", 8: "lake", 9: "dogs chase a cat at the lake lake lake"}
    index = Bm25Index(k1=1.2, b=0.6)
    index.add(list(texts), list(texts.values()))
    mean = sum(len(terms(text)) for text in texts.values()) / len(texts)
    query = "cat lake cat"

    def score(text: str) -> float:
        counts, total = Counter(terms(text)), 0.0
        for term in terms(query):
            holding = sum(term in terms(other) for other in texts.values())
            idf = math.log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
            tf = counts[term]
            total += idf * tf * 2.2 / (tf + 1.2 * (0.4 + 0.6 * len(terms(text)) / mean))
        return total

    expected = sorted(((key, score(text)) for key, text in texts.items()), key=lambda one: -one[1])
    assert [key for key, _ in index.search(query, 9)] == [key for key, _ in expected]
    assert [value for _, value in index.search(query, 9)] == pytest.approx([value for _, value in expected])


def test_ngram_scores_are_the_cosine_of_the_formula() -> None:
    texts = {1: "cat", 2: "cats", 3: "a dog"}
    index = NgramIndex()
    index.add(list(texts), list(texts.values()))

    def grams(text: str) -> Counter[str]:
        padded = [f" {word} " for word in text.split()]
        return Counter(word[at : at + n] for word in padded for n in (3, 4, 5) for at in range(len(word) - n + 1))

    def score(query: str, text: str) -> float:
        counted = [grams(other) for other in texts.values()]
        entry = {gram: 1 + math.log(count) for gram, count in grams(text).items()}
        asked = {
            gram: (1 + math.log(count)) * (math.log(4 / (1 + sum(gram in one for one in counted))) + 1)
            for gram, count in grams(query).items()
        }
        product = sum(weight * asked.get(gram, 0) for gram, weight in entry.items())
        return product / math.hypot(*entry.values()) / math.hypot(*asked.values())

    found = index.search("cat cat cab", 5)
    assert [key for key, _ in found] == [1, 2]
    expected = [score("cat cat cab", text) for text in ("cat", "cats")]
    assert [value for _, value in found] == pytest.approx(expected)


def test_the_text_index_fuses_its_halves() -> None:
    texts = [f"painting number {number} of a lake" for number in range(30)] + ["lakeside", "painter", "paint lakes"]
    index = TextIndex()
    index.add(range(len(texts)), texts)
    halves = [index.words.search("painted lake 7", 256), index.ngrams.search("painted lake 7", 256)]
    assert index.search("painted lake 7", 6) == fuse(halves, 6)
    assert index.search("painted lake 7", 6) == index.search("painted lake 7", 40)[:6]


@pytest.mark.parametrize("make", LEXICAL)
@pytest.mark.parametrize("query", ["", " ", "\n\t", "\u3000", "\u00a0"])
def test_a_blank_query_finds_nothing(make: type[TextIndex], query: str) -> None:
    index = make()
    assert index.search(query, 5) == []
    index.add([1, 2], ["a cat", ""])
    assert index.search(query, 5) == []


@pytest.mark.parametrize("make", LEXICAL)
@pytest.mark.parametrize("query", ["zebra", "\ud800", "\x00", "e" * 100_000])
def test_a_query_that_shares_nothing_finds_nothing(make: type[TextIndex], query: str) -> None:
    index = make()
    index.add([1, 2], ["a cat", "a dog"])
    assert index.search(query, 5) == []


def test_a_query_of_stop_words_has_no_terms() -> None:
    index = Bm25Index()
    index.add([1], ["what is the thing"])
    assert index.search("what is the", 5) == []


@pytest.mark.parametrize("make", LEXICAL)
@pytest.mark.parametrize(
    ("query", "text", "other"),
    [
        ("猫", "猫 在 这里", "我爱你"),
        ("谁喜欢动物园", "小明喜欢动物园的大熊猫", "今天下雨了"),
        ("好きな食べ物", "私の好きな食べ物は寿司です", "東京は雨"),
        ("고양이를 좋아", "나는 고양이가 좋아요", "비가 온다"),
        ("กรุงเทพ", "เขาอาศัยอยู่ในกรุงเทพมหานคร", "ฝนตกหนัก"),
        ("ភាសាខ្មែរ", "ខ្ញុំរៀនភាសាខ្មែរ", "ទឹក"),
        ("हिन्दी किताब", "मेरी हिन्दी की किताब", "वर्षा हुई"),
        ("كتاب", "هذا كتاب جديد", "المطر غزير"),
        ("собаки", "Две собаки и кошка", "идёт дождь"),
    ],
)
def test_a_query_finds_its_entry_in_its_script(make: type[TextIndex], query: str, text: str, other: str) -> None:
    index = make()
    index.add([1, 2, 3], [other, text, "an English entry"])
    assert [key for key, _ in index.search(query, 5)][:1] == [2]


def test_emoji_and_symbols_are_found_by_their_ngrams() -> None:
    index = TextIndex()
    index.add([1, 2], ["we won 🎉 today", "C++ code"])
    assert index.search("🎉", 1)[0][0] == 1
    assert index.search("c++", 1)[0][0] == 2


@pytest.mark.parametrize("make", LEXICAL)
def test_equal_texts_are_ordered_by_key(make: type[TextIndex]) -> None:
    index = make()
    keys = [40, 7, 23, 1, 12]
    index.add(keys, ["the same cat"] * 5)
    assert [key for key, _ in index.search("cat", 3)] == [1, 7, 12]


@pytest.mark.parametrize("make", LEXICAL)
def test_adding_a_live_key_replaces_its_text(make: type[TextIndex]) -> None:
    index = make()
    index.add([1, 2], ["a cat", "a cat"])
    index.add([1], ["a dog"])
    assert [key for key, _ in index.search("cat", 5)] == [2]
    assert len(index) == 2


@pytest.mark.parametrize("make", [*LEXICAL, lambda: DenseIndex(3)])
def test_removing_an_unknown_key_is_a_key_error_that_names_it(make: type[TextIndex]) -> None:
    with pytest.raises(KeyError, match="17"):
        make().remove(17)


@pytest.mark.parametrize("make", LEXICAL)
def test_keys_and_texts_must_be_as_many_and_nothing_is_added_otherwise(make: type[TextIndex]) -> None:
    index = make()
    with pytest.raises(ValueError, match="2 keys and 1 texts"):
        index.add([1, 2], ["a cat"])
    assert len(index) == 0


@pytest.mark.parametrize("make", LEXICAL)
def test_a_fork_of_a_text_index_shares_nothing_that_changes(make: type[TextIndex]) -> None:
    index = make()
    index.add([1, 2], ["a cat", "a dog"])
    index.search("cat", 1)
    index.add([3], ["cats and dogs"])
    fork = index.fork()
    before = index.search("cat dog", 5)
    fork.remove(1)
    fork.add([4], ["another cat"])
    assert index.search("cat dog", 5) == before
    assert fork.keys() == [2, 3, 4]
    index.remove(2)
    assert 2 in [key for key, _ in fork.search("dog", 5)]


@pytest.mark.parametrize("count", [1, 16, 17, 65, 66, 300])
@pytest.mark.parametrize("make", LEXICAL)
def test_an_index_that_was_emptied_can_be_filled_again(make: type[TextIndex], count: int) -> None:
    index = make()
    for _ in range(2):
        index.add(range(count), ["a cat"] * count)
        assert len(index.search("cat", count)) == count
        for key in range(count):
            index.remove(key)
        assert index.search("cat", 1) == []


def test_what_is_removed_leaves_the_postings_in_time() -> None:
    index = Bm25Index()
    for key in range(2000):
        index.add([key], [f"entry number {key}"])
        if key >= 10:
            index.remove(key - 10)
    assert len(index) == 10
    assert index._postings.rows <= 2 * 10 + 65


def test_a_hybrid_search_gives_words_ngrams_and_vectors_one_vote_each() -> None:
    texts = ["a cat", "a dog", "cats", "a lake"]
    index, vectors = TextIndex(), DenseIndex(2)
    index.add(range(4), texts)
    vectors.add(range(4), np.array([[0, 1], [1, 0], [0, -1], [0, 0]], np.float32))
    asked = np.array([1, 0], np.float32)
    votes = [index.words.search("cat", 9), index.ngrams.search("cat", 9), vectors.search(asked, 9)]
    assert hybrid_search(index, vectors, "cat", asked, 3) == fuse(votes, 3)
    assert hybrid_search(index, vectors, " ", asked, 3) == []
    assert hybrid_search(index, vectors, "cat", asked, 0) == []


def test_all_indexes_follow_one_protocol() -> None:
    words: list[Index[list[str], str]] = [Bm25Index(), NgramIndex(), TextIndex()]
    vectors: Index[NDArray[np.float32], NDArray[np.float32]] = DenseIndex(2)
    for index in words:
        index.add([1], ["cat"])
        assert index.fork().keys() == [1]
    vectors.add([1], np.array([[1, 0]], np.float32))
    assert vectors.fork().keys() == [1]
