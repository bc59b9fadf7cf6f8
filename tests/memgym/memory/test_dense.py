"""The dense index and the rankings: exact to the last bit, and every tie is decided."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgym.memory.indexes import DenseIndex, best, fuse, search_many

VECTORS = st.lists(st.integers(-3, 3), min_size=3, max_size=3)


@settings(max_examples=60, deadline=None)
@given(
    steps=st.lists(st.tuples(st.sampled_from(["add", "remove"]), st.integers(0, 30), VECTORS), max_size=80),
    query=VECTORS,
)
def test_a_dense_index_answers_like_a_fresh_one_whatever_happened_before(
    steps: list[tuple[str, int, list[int]]], query: list[int]
) -> None:
    index, live = DenseIndex(3), dict[int, list[float]]()
    for what, key, whole in steps:
        vector = [part / 7 for part in whole]
        if what == "add":
            index.add([key], np.array([vector], np.float32))
            live[key] = vector
        elif key in live:
            index.remove(key)
            del live[key]
    fresh = DenseIndex(3)
    fresh.add(sorted(live), np.array([live[key] for key in sorted(live)], np.float32).reshape(-1, 3))
    asked = np.array(query, np.float32)
    assert index.keys() == sorted(live)
    assert index.search(asked, 5) == fresh.search(asked, 5)
    assert index.search(asked, 5) == index.search(asked, 50)[:5]


@pytest.mark.parametrize("dimension", [1, 3, 8, 33, 384])
def test_a_dense_score_depends_on_query_and_vector_alone(dimension: int) -> None:
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((200, dimension)).astype(np.float32)
    query = rng.standard_normal(dimension).astype(np.float32)
    whole = DenseIndex(dimension)
    whole.add(range(200), rows)
    scores = dict(whole.search(query, 200))
    for count in (1, 2, 3, 17, 63):
        part = DenseIndex(dimension)
        part.add(range(count), rows[:count])
        assert dict(part.search(query, 200)) == {key: scores[key] for key in range(count)}
    same = DenseIndex(dimension)
    same.add(range(99), np.tile(rows[0], (99, 1)))
    assert {score for _, score in same.search(query, 99)} == {scores[0]}


def test_zero_rows_score_zero_and_a_zero_query_finds_nothing() -> None:
    index = DenseIndex(2)
    index.add([5, 2], np.zeros((2, 2), np.float32))
    index.add([1], np.array([[-1, 0]], np.float32))
    assert index.search(np.array([1, 0], np.float32), 3) == [(2, 0.0), (5, 0.0), (1, -1.0)]
    assert str(index.search(np.array([-0.0, -1.0], np.float32), 1)[0][1]) == "0.0"
    assert index.search(np.zeros(2, np.float32), 3) == []
    assert DenseIndex(2).search(np.ones(2, np.float32), 3) == []


def test_vectors_of_another_dimension_are_refused_with_both_shapes() -> None:
    index = DenseIndex(3)
    with pytest.raises(ValueError, match=r"\(1, 3\), not \(1, 4\)"):
        index.add([1], np.zeros((1, 4), np.float32))
    with pytest.raises(ValueError, match=r"\(3,\), not \(4,\)"):
        index.search(np.zeros(4, np.float32), 1)
    with pytest.raises(ValueError, match="finite"):
        index.add([1], np.array([[0, np.nan, 0]], np.float32))
    assert len(index) == 0


def test_a_fork_of_a_dense_index_shares_nothing_that_changes() -> None:
    index = DenseIndex(2)
    index.add([1, 2], np.array([[1, 0], [0, 1]], np.float32))
    fork = index.fork()
    fork.add([1, 3], np.array([[0, -1], [1, 0]], np.float32))
    index.remove(2)
    assert index.search(np.array([1, 0], np.float32), 5) == [(1, 1.0)]
    assert fork.search(np.array([1, 0], np.float32), 5) == [(3, 1.0), (1, 0.0), (2, 0.0)]
    assert fork.vector(1).tolist() == [0.0, -1.0]
    empty = DenseIndex(2).fork()
    empty.add([9], np.array([[1, 0]], np.float32))
    assert empty.keys() == [9]


@given(
    st.dictionaries(st.integers(-5, 10**12), st.integers(0, 4).map(float), max_size=60),
    st.integers(-1, 70),
)
def test_best_is_the_head_of_the_sorted_list(scores: dict[int, float], k: int) -> None:
    found = best(np.array(list(scores), np.int64), np.array(list(scores.values())), k)
    assert found == sorted(scores.items(), key=lambda item: (-item[1], item[0]))[: max(k, 0)]


def test_fusion_adds_reciprocal_ranks_and_orders_ties_by_key() -> None:
    fused = fuse([[(7, 9.0), (3, 8.0)], [(3, 0.2), (7, 0.1)], [(1, 5.0)]], 5)
    assert fused == [(3, 1 / 22 + 1 / 21), (7, 1 / 21 + 1 / 22), (1, 1 / 21)]
    assert fuse([[(7, 9.0), (3, 8.0)]], 1, constant=0) == [(7, 1.0)]
    assert fuse([], 3) == []
    with pytest.raises(ValueError, match="-1"):
        fuse([], 3, constant=-1)


@settings(max_examples=60, deadline=None)
@given(
    stores=st.lists(st.lists(VECTORS, max_size=12), max_size=6),
    queries=st.lists(VECTORS, min_size=6, max_size=6),
    k=st.integers(0, 8),
)
def test_many_indexes_searched_at_once_answer_like_each_alone(
    stores: list[list[list[int]]], queries: list[list[int]], k: int
) -> None:
    indexes = []
    for rows in stores:
        index = DenseIndex(3)
        index.add(range(len(rows)), np.array(rows, np.float32).reshape(-1, 3) / np.float32(7))
        indexes.append(index)
    asked = np.array(queries[: len(stores)], np.float32).reshape(-1, 3)
    assert search_many(indexes, asked, k) == [index.search(row, k) for index, row in zip(indexes, asked, strict=True)]


def test_many_indexes_need_one_query_each_of_their_dimension() -> None:
    with pytest.raises(ValueError, match=r"2 indexes need as many query vectors, not an array of shape \(1, 3\)"):
        search_many([DenseIndex(3), DenseIndex(3)], np.zeros((1, 3), np.float32), 1)
    with pytest.raises(ValueError, match=r"\(3,\), not \(4,\)"):
        search_many([DenseIndex(3)], np.zeros((1, 4), np.float32), 1)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(2, 70), dimension=st.sampled_from([1, 7, 16, 33, 384]))
def test_adding_an_entry_never_changes_the_bits_of_another_score(seed: int, count: int, dimension: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((count, dimension)).astype(np.float32)
    rows[-1] = rows[0]
    query = rng.standard_normal(dimension).astype(np.float32)
    index, before = DenseIndex(dimension), dict[int, float]()
    for key, row in enumerate(rows):
        index.put(key, row)
        ranking = index.search(query, count)
        assert before == {one: score for one, score in ranking if one != key}
        assert ranking == sorted(ranking, key=lambda pair: (-pair[1], pair[0]))
        before = dict(ranking)
    assert before[0] == before[count - 1]
