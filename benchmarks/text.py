"""The words half of the text index over documents of about a hundred words, beside bm25s and rank-bm25."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.rows import Row, absent, against, limited
from benchmarks.timing import interleaved
from memgym.memory.analysis import terms
from memgym.memory.lexical import Bm25Index

DOCUMENTS = 10_000
K = 6


def documents(count: int, seed: int, words: int = 98) -> list[str]:
    """Return texts over 20,000 words, drawn as often as words of a language are."""
    rng = np.random.default_rng(seed)
    drawn = np.minimum(rng.zipf(1.35, size=(count, words)), 20_000)
    return [" ".join(f"word{number}x" for number in line) for line in drawn.tolist()]


def rows(full: bool = False) -> list[Row]:
    """Measure queries, adding and deleting at 10,000 documents."""
    texts, queries = documents(DOCUMENTS, 0), documents(100, 1, 10)
    index = Bm25Index()
    index.add(range(DOCUMENTS), texts)
    work: dict[str, Callable[[int], None]] = {"ours": _asked(lambda query: index.search(query, K), queries)}
    peers = _peers(texts, queries)
    took = interleaved({**work, **peers}, times={"ours": 50, **{n: 50 if "bm25s" in n else 3 for n in peers}}, rounds=7)
    bounds: dict[str, tuple[float | None, float | None]] = {"bm25s, numba": (2.0, None), "rank-bm25": (None, 20.0)}
    found = [
        against("BM25 query, 10,000 documents", took["ours"], name, took[name], at_most=most, at_least=least)
        if name in took
        else absent("BM25 query, 10,000 documents", name)
        for name, (most, least) in bounds.items()
    ]
    return [*found, *_changes(index, texts, 9 if full else 5)]


def _asked(search: Callable[[Any], object], queries: list[Any]) -> Callable[[int], None]:
    def run(times: int) -> None:
        for number in range(times):
            search(queries[number % len(queries)])

    return run


def _peers(texts: list[str], queries: list[str]) -> dict[str, Callable[[int], None]]:
    """Return the peers that are installed, over the same terms; they get them ready, we find them in the text."""
    found: dict[str, Callable[[int], None]] = {}
    split, asked = [list(terms(text)) for text in texts], [list(terms(query)) for query in queries]
    try:
        importlib.import_module("numba")
        fast = importlib.import_module("bm25s").BM25(backend="numba")
        fast.index(split, show_progress=False)
        found["bm25s, numba"] = _asked(
            lambda query: fast.retrieve([query], k=K, show_progress=False, n_threads=1), asked
        )
    except ImportError:
        pass
    try:
        okapi = importlib.import_module("rank_bm25").BM25Okapi(split)
        found["rank-bm25"] = _asked(lambda query: okapi.get_top_n(query, range(len(texts)), K), asked)
    except ImportError:
        pass
    return found


def _changes(index: Bm25Index, texts: list[str], rounds: int) -> list[Row]:
    fresh = iter(documents(2000, 3))
    state = {"next": len(texts)}

    def add(times: int) -> None:
        for _ in range(times):
            index.add([state["next"]], [next(fresh)])
            state["next"] += 1

    def read_after_add(times: int) -> None:
        add(times)
        index.search("word3x word77x", K)

    def delete(times: int) -> None:
        for _ in range(times):
            state["next"] -= 1
            index.remove(state["next"])

    took = interleaved({"add": read_after_add, "delete": delete}, times=50, rounds=rounds)
    return [
        limited("BM25 add, one document of 50 and a query", took["add"], 150.0),
        limited("BM25 delete", took["delete"], 150.0),
    ]
