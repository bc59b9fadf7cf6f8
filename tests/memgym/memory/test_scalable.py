"""The scalable dense index: it moves in by itself, finds what exact search finds, and is the same in every run."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.typing import NDArray

from memgym.memory.encoders import HashingEncoder
from memgym.memory.entry import Entry, Write
from memgym.memory.indexes import DenseIndex, ScalableIndex, Scaling, search_many
from memgym.memory.ranking import Ranking
from memgym.memory.store import Store

DIMENSION = 24
SMALL = Scaling(threshold=1500)


def clustered(count: int, seed: int = 0) -> NDArray[np.float32]:
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(99).standard_normal((40, DIMENSION))
    rows = centres[rng.integers(40, size=count)] + 0.7 * rng.standard_normal((count, DIMENSION))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def exact_over(rows: NDArray[np.float32]) -> DenseIndex:
    index = DenseIndex(DIMENSION)
    index.add(range(len(rows)), rows)
    return index


def scalable_over(rows: NDArray[np.float32], scaling: Scaling = SMALL) -> ScalableIndex:
    index = scaling.grown(exact_over(rows))
    assert isinstance(index, ScalableIndex)
    index.settle()
    assert index.approximate
    return index


def recall(found: list[Ranking], wanted: list[Ranking]) -> float:
    pairs = zip(found, wanted, strict=True)
    return float(np.mean([len(dict(one).keys() & dict(other).keys()) / len(other) for one, other in pairs]))


def test_a_graph_finds_what_reading_every_row_finds_with_the_same_scores() -> None:
    rows, queries = clustered(3000), clustered(50, seed=1)
    index, exact = scalable_over(rows), exact_over(rows)
    found, wanted = [index.search(one, 6) for one in queries], [exact.search(one, 6) for one in queries]
    assert recall(found, wanted) >= 0.95
    scores = [dict(exact.search(one, 3000)) for one in queries]
    assert all(score == of[key] for ranking, of in zip(found, scores, strict=True) for key, score in ranking)
    assert all(ranking == sorted(ranking, key=lambda pair: (-pair[1], pair[0])) for ranking in found)


def test_deleted_entries_are_never_found_and_changed_ones_only_by_their_new_vector() -> None:
    rows, fresh = clustered(2000), clustered(2000, seed=2)
    index = scalable_over(rows)
    for key in range(0, 2000, 2):
        index.remove(key)
    for key in range(1, 400, 2):
        index.put(key, fresh[key])
    live = exact_over(rows)
    for key in range(0, 2000, 2):
        live.remove(key)
    live.add(range(1, 400, 2), fresh[1:400:2])
    found = [index.search(one, 6) for one in clustered(50, seed=3)]
    assert all(key % 2 for ranking in found for key, _ in ranking)
    assert recall(found, [live.search(one, 6) for one in clustered(50, seed=3)]) >= 0.95
    assert all(index.search(fresh[key], 1)[0][0] == key for key in range(1, 400, 20))


def test_a_graph_with_many_dead_places_is_built_anew() -> None:
    index = scalable_over(clustered(3000))
    for key in range(1300):
        index.remove(key)
    index.settle()
    assert index._graph is not None
    assert index._graph.dead < 0.1
    assert index.keys() == list(range(1300, 3000))
    assert len(index.search(clustered(1, seed=4)[0], 6)) == 6


def test_an_index_that_shrank_far_below_its_threshold_is_exact_again() -> None:
    rows = clustered(2000)
    index, exact = scalable_over(rows), exact_over(rows)
    for key in range(1400):
        index.remove(key)
        exact.remove(key)
    index.settle()
    index.remove(1400)
    exact.remove(1400)
    assert not index.approximate
    query = clustered(1, seed=5)[0]
    assert index.search(query, 6) == exact.search(query, 6)


def answers(reads_between: bool) -> list[Ranking]:
    index, queries = SMALL.grown(exact_over(clustered(1500))), clustered(20, seed=6)
    found = []
    for number, row in enumerate(clustered(700, seed=7)):
        index.put(5000 + number % 300, row)
        if number % 3 == 0:
            index.remove(number)
        if reads_between:
            index.search(queries[0], 3)
            index.fork()
        if number % 50 == 0:
            found += [index.search(one, 6) for one in queries]
    return found


def test_the_same_writes_give_the_same_answers_whatever_is_read_or_forked_between() -> None:
    assert answers(False) == answers(False) == answers(True)


def test_a_graph_is_put_to_use_when_a_tenth_as_many_entries_were_written() -> None:
    index = SMALL.grown(exact_over(clustered(1500)))
    assert isinstance(index, ScalableIndex)
    seen = []
    for number, row in enumerate(clustered(151, seed=8)):
        seen.append(index.approximate)
        index.put(2000 + number, row)
    assert seen == [False] * 150 + [True]


def test_a_fork_and_a_pickle_of_a_scalable_index_share_nothing_that_changes() -> None:
    index, query = scalable_over(clustered(2000)), clustered(1, seed=9)[0]
    before = index.search(query, 6)
    for copy in (index.fork(), pickle.loads(pickle.dumps(index))):
        assert copy.search(query, 6) == before
        copy.remove(before[0][0])
        assert copy.search(query, 1)[0][0] == before[1][0]
    assert index.search(query, 6) == before
    index.remove(before[0][0])
    assert len(index) == 1999


def test_many_indexes_are_searched_together_where_one_has_a_graph() -> None:
    rows, query = clustered(1600), clustered(1, seed=10)
    both = [exact_over(rows[:50]), scalable_over(rows)]
    asked = np.concatenate([query, query])
    assert search_many(both, asked, 6) == [one.search(query[0], 6) for one in both]


def test_few_entries_all_come_back_and_a_zero_query_finds_nothing() -> None:
    index = scalable_over(clustered(1600))
    assert len(index.search(clustered(1)[0], 1600)) == 1600
    assert index.search(np.zeros(DIMENSION, np.float32), 3) == []
    with pytest.raises(ValueError, match=r"not \(4,\)"):
        index.search(np.ones(4, np.float32), 3)
    with pytest.raises(KeyError):
        index.remove(99_999)


@pytest.mark.parametrize(
    ("options", "said"),
    [({"kind": "hnsw"}, "kind"), ({"swap": "soon"}, "swap"), ({"threshold": 0}, "threshold is 0")],
)
def test_a_scaling_that_means_nothing_is_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises((LookupError, ValueError), match=said):
        Scaling(**options)  # type: ignore[arg-type]


def filled(scaling: Scaling) -> Store:
    store, write = Store("main", HashingEncoder(32), scaling), Write("by hand", 1, "create", 1)
    for key in range(1, 1301):
        store.put(key, Entry(f"m{key}", f"fact {key} of town {key % 97}", "main", write, write))
    return store


def test_a_store_takes_the_scalable_index_by_itself_unless_it_is_told_not_to() -> None:
    assert isinstance(filled(Scaling(threshold=1300)).dense_index(), ScalableIndex)
    assert isinstance(filled(Scaling("scalable")).dense_index(), ScalableIndex)
    for scaling in (Scaling("exact", threshold=5), Scaling(threshold=1301)):
        assert isinstance(filled(scaling).dense_index(), DenseIndex)


def test_a_large_store_reads_dense_and_hybrid_and_goes_back_to_a_snapshot() -> None:
    store = filled(Scaling(threshold=1300))
    index = store.dense_index()
    assert isinstance(index, ScalableIndex)
    index.settle()
    before = store.search("fact 77 of town", 6, "hybrid"), store.search("fact 77 of town", 6, "dense")
    snapshot = store.snapshot()
    store.drop(int(before[1][0].entry.id[1:]))
    assert before[1][0] not in store.search("fact 77 of town", 6, "dense")
    store.restore(snapshot)
    assert (store.search("fact 77 of town", 6, "hybrid"), store.search("fact 77 of town", 6, "dense")) == before
