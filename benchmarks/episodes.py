"""A whole episode: 800 documents in some 28 chunks, six creates and one read a chunk, every step recorded."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

from benchmarks.rows import Row, limited
from memgym.operations import Action, Create, Read
from memgym.rollout import make_env, start_of, take

ENV = "MemGym/Synthetic-800doc"
CREATES = 6
LIMIT = 150_000.0
"""CPU microseconds an episode."""

_END = re.compile(r"(?<=[.!?])\s+")


def rows(full: bool = False) -> Iterator[Row]:
    """Measure episodes of several seeds, from reset to the last chunk; the first, which loads all, is left out."""
    env = make_env(ENV, encoder="hashing", by="dense")
    spent, chunks = list[float](), 0
    for seed in range(12 if full else 6):
        start = time.process_time_ns()
        texts, _ = env.reset(seed=seed)
        start_of(texts)
        chunks = 0
        while env.pomdp.seen.view.phase == "read" and not env.pomdp.over:
            chunks += 1
            take(env, env.dialect.format(_action(env.pomdp.seen.view.text, chunks)))
        spent.append((time.process_time_ns() - start) / 1000)
    what = f"episode of 800 documents, {chunks} steps, {len(env.memory)} entries, hashing, recorded"
    yield limited(what, spent[1:], LIMIT)


def _action(text: str, number: int) -> Action:
    sentences = [part for part in _END.split(text) if part.strip()][:CREATES]
    return Action(
        (*[Create(f"{number}: {part}") for part in sentences], Read(sentences[0] if sentences else "nothing"))
    )
