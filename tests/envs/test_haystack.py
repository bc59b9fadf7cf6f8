"""Needed documents hidden among others, in an order that the generator decides."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgym.envs.haystack import build, distinct
from memgym.task import Document

OWN = [Document("Own", f"needed {number}") for number in range(3)]
POOL = [Document("Pool", f"other {number}") for number in range(40)]
DOCUMENTS = st.lists(
    st.builds(Document, st.sampled_from(["", "A", "B"]), st.sampled_from(["x", "y", "A\nx"])), max_size=9
)


def positions(seed: int, size: int = 20) -> list[int]:
    haystack = build(OWN, POOL, size, np.random.default_rng(seed))
    return [haystack.index(one) for one in OWN]


def test_a_haystack_holds_what_is_needed_and_is_as_large_as_asked() -> None:
    haystack = build(OWN, POOL, 20, np.random.default_rng(0))
    assert len(haystack) == 20
    assert set(OWN) < set(haystack)


@given(DOCUMENTS, DOCUMENTS, st.integers(0, 2**32))
def test_no_text_is_in_a_haystack_twice(own: list[Document], pool: list[Document], seed: int) -> None:
    size = len({one.render() for one in own + pool})
    haystack = build(own, pool, size, np.random.default_rng(seed))
    assert len({one.render() for one in haystack}) == len(haystack) == size


@given(DOCUMENTS)
def test_distinct_keeps_the_first_of_each_text_in_order(documents: list[Document]) -> None:
    texts = [one.render() for one in documents]
    assert [one.render() for one in distinct(documents)] == sorted(set(texts), key=texts.index)


def test_the_pool_may_hold_the_needed_documents() -> None:
    haystack = build(OWN, OWN + POOL, 43, np.random.default_rng(0))
    assert Counter(haystack).most_common(1)[0][1] == 1


def test_one_seed_makes_one_haystack() -> None:
    assert build(OWN, POOL, 20, np.random.default_rng(5)) == build(OWN, POOL, 20, np.random.default_rng(5))


def test_needed_documents_are_elsewhere_under_another_seed() -> None:
    assert len({tuple(positions(seed)) for seed in range(20)}) == 20


def test_every_position_is_about_as_likely() -> None:
    counts = Counter(place for seed in range(2000) for place in positions(seed))
    expected = 2000 * len(OWN) / 20
    assert sorted(counts) == list(range(20))
    assert (
        sum((count - expected) ** 2 / expected for count in counts.values()) < 52.2
    )  # chi-square, 19 degrees, p < 7e-5


def test_every_other_document_is_about_as_likely() -> None:
    counts = Counter(one for seed in range(2000) for one in build(OWN, POOL, 20, np.random.default_rng(seed)))
    assert all(750 < counts[one] < 950 for one in POOL)


def test_too_small_a_pool_is_an_error_that_says_how_many_there_are_and_what_to_do() -> None:
    with pytest.raises(ValueError, match=r"43 different documents.*documents=44.*corpus="):
        build(OWN, POOL, 44, np.random.default_rng(0))


def test_more_needed_documents_than_asked_is_an_error_that_names_both() -> None:
    with pytest.raises(ValueError, match=r"3 documents.*documents=2"):
        build(OWN, POOL, 2, np.random.default_rng(0))
