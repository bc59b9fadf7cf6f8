"""One read of six in each of 256 stores, as a lock step of 256 episodes asks, beside a loop over plain numpy stores."""

from __future__ import annotations

from benchmarks.peers import Plain
from benchmarks.rows import Row, against
from benchmarks.stores import DIMENSION, K, unit_rows
from benchmarks.timing import interleaved
from memgym.memory.batch import search_many
from memgym.memory.dense import DenseIndex

STORES = 256
AT_LEAST = 2.5


def rows(full: bool = False) -> list[Row]:
    """Measure stores of 50 and of 250 entries, and of 500 if ``full``; times are of one read."""
    return [_row(size, 11 if full else 5) for size in ((50, 250, 500) if full else (50, 250))]


def _row(size: int, rounds: int) -> Row:
    ours, plain = [], []
    for seed in range(STORES):
        vectors = unit_rows(size, seed)
        index, peer = DenseIndex(DIMENSION), Plain(DIMENSION)
        for key, vector in enumerate(vectors):
            index.put(key, vector)
            peer.put(key, vector)
        ours.append(index)
        plain.append(peer)
    queries = unit_rows(STORES, 1)

    def together(times: int) -> None:
        for _ in range(times // STORES):
            search_many(ours, queries, K)

    def looped(times: int) -> None:
        for _ in range(times // STORES):
            for peer, query in zip(plain, queries, strict=True):
                peer.nearest(query, K)

    took = interleaved({"ours": together, "plain": looped}, times=STORES, rounds=rounds)
    work = f"256 stores in lock step, a read of 6 of {size}"
    return against(work, took["ours"], "loop over numpy stores", took["plain"], at_least=AT_LEAST, size=size)
