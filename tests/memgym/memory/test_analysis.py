"""What counts as a term, in many scripts."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgym.memory.analysis import FeatureCache, fold, ngram_features, term_features, terms

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Running, runs", ("run", "run")),
        ("the cat and the hat", ("cat", "hat")),
        ("don't we'll she's", ("don",)),
        ("snake_case and kebab-case", ("snake", "case", "kebab", "case")),
        ("GPT-4o in 2023", ("gpt", "4o", "2023")),
        ("Straße STRASSE", ("strass", "strass")),
        ("ＡＢＣ１２３ ﬁne", ("abc123", "fine")),
        ("naïve Café", ("naïv", "café")),
        ("हिन्दी में लिखो", ("हिन्दी", "में", "लिखो")),
        ("كِتَابٌ جديد", ("كِتَابٌ", "جديد")),
        ("שָׁלוֹם", ("שָׁלוֹם",)),
        ("Ελληνικά Привет", ("ελληνικά", "привет")),
        ("我喜欢猫", ("我喜", "喜欢", "欢猫")),
        ("猫", ("猫",)),
        ("iPhone手机", ("iphon", "手机")),
        ("東京タワー", ("東京", "京タ", "タワ", "ワー")),
        ("한국어 책", ("한국", "국어", "책")),
        ("กรุงเทพ", ("กร", "รุ", "ุง", "งเ", "เท", "ทพ")),
        ("ລາວ", ("ລາ", "າວ")),
        ("ខ្មែរ", ("ខ្", "្ម", "មែ", "ែរ")),
        ("မြန်", ("မြ", "ြန", "န်")),
        ("soft\u00adhyphen", ("softhyphen",)),
        ("ชา\u200bนม", ("ชา", "นม")),
        ("\ud800 ok \x00 🎉", ("ok",)),
        ("", ()),
        (" \t\n\u3000", ()),
    ],
)
def test_terms_of_many_scripts(text: str, expected: tuple[str, ...]) -> None:
    assert terms(text) == expected


@given(ANY_TEXT)
def test_term_features_count_the_terms_of_any_text(text: str) -> None:
    features = term_features(text)
    assert sorted(features.counts.tolist()) == sorted(Counter(terms(text)).values())
    assert features.total == len(terms(text))
    assert (features.ids[1:] > features.ids[:-1]).all()


@given(ANY_TEXT)
def test_folding_twice_changes_nothing_of_the_terms(text: str) -> None:
    assert terms(fold(text)) == terms(text)


def grams(text: str) -> Counter[str]:
    """Every 3- to 5-gram of each word with a space on both sides, the plain way."""
    found: Counter[str] = Counter()
    for word in fold(text).split():
        padded = f" {word} "
        for size in (3, 4, 5):
            found.update(padded[at : at + size] for at in range(len(padded) - size + 1))
    return found


@given(ANY_TEXT | st.text("ab c\x00", max_size=60))
def test_ngram_features_count_what_the_plain_way_counts(text: str) -> None:
    features = ngram_features(text)
    assert sorted(features.counts.tolist()) == sorted(grams(text).values())
    assert (features.ids[1:] > features.ids[:-1]).all()


@given(st.lists(st.text("ab猫\x00 ", max_size=8), max_size=8))
def test_two_texts_share_exactly_the_ngrams_that_they_share_as_text(texts: list[str]) -> None:
    for one in texts:
        for two in texts:
            shared = set(ngram_features(one).ids.tolist()) & set(ngram_features(two).ids.tolist())
            assert len(shared) == len(set(grams(one)) & set(grams(two)))


def test_a_very_long_word_is_one_term_and_is_counted_in_full() -> None:
    text = "a" * 100_000
    assert terms(text) == (text,)
    assert ngram_features(text).total == 3 * 100_002 - 9


def test_the_cache_returns_the_same_features_and_forgets_the_least_recently_used() -> None:
    counted: list[str] = []

    def count(text: str) -> object:
        counted.append(text)
        return term_features(text)

    cache = FeatureCache(count, limit=60)  # type: ignore[arg-type]
    first = cache.get("one cat")
    cache.get("two dogs")
    assert cache.get("one cat") is first
    for number in range(20):
        cache.get("one cat")
        cache.get(f"text {number}")
    assert counted.count("one cat") == 1
    assert len(cache) <= 4
    cache.get("two dogs")
    assert counted.count("two dogs") == 2
