"""Recall of the indexes on real conversations: ``python -m benchmarks.retrieval --data DIR``.

DIR holds LoCoMo's ``locomo10.json``, as its authors publish it (CC BY-NC, so it is not part of this project). Each turn
of a conversation is an entry, each question of categories 1 to 4 a query, and what counts is how much of the
question's evidence is among the k entries found. Constants are those of the indexes: none is fitted to this data.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from memgym.memory.encoders import Encoder, make_encoder
from memgym.memory.indexes import Bm25Index, DenseIndex, NgramIndex, TextIndex, fuse, hybrid_search

CATEGORIES = (1, 2, 3, 4)

Search = Callable[[str, int], list[tuple[int, float]]]


@dataclass(frozen=True, slots=True)
class Conversation:
    """Turns as texts, and questions with the positions of the turns that answer them."""

    turns: tuple[str, ...]
    questions: tuple[tuple[str, frozenset[int]], ...]


def read(file: Path, count: int) -> Iterator[Conversation]:
    """Read the first ``count`` conversations; questions without usable evidence are left out."""
    for record in json.loads(file.read_text(encoding="utf-8"))[:count]:
        sessions = record["conversation"]
        numbers = sorted(int(key[8:]) for key in sessions if re.fullmatch(r"session_\d+", key))
        turns = [turn for number in numbers for turn in sessions[f"session_{number}"]]
        place = {turn["dia_id"]: at for at, turn in enumerate(turns)}
        asked = ((one["question"], _evidence(one, place)) for one in record["qa"] if one["category"] in CATEGORIES)
        yield Conversation(
            tuple(f"{turn['speaker']}: {turn['text']}" for turn in turns),
            tuple((question, evidence) for question, evidence in asked if evidence),
        )


def _evidence(question: dict[str, Any], place: dict[str, int]) -> frozenset[int]:
    # Some fields hold several ids in one string, some an id that does not exist.
    ids = re.findall(r"D\d+:\d+", " ".join(question["evidence"]))
    return frozenset(place[id] for id in ids if id in place)


def lexical(make: Callable[[], Bm25Index | NgramIndex | TextIndex]) -> Callable[[Sequence[str]], Search]:
    """Return what indexes a conversation's turns and gives its search."""

    def build(turns: Sequence[str]) -> Search:
        index = make()
        index.add(range(len(turns)), turns)
        return index.search

    return build


def dense(encoder: Encoder) -> Callable[[Sequence[str]], Search]:
    """Return what encodes a conversation's turns and gives its search."""

    def build(turns: Sequence[str]) -> Search:
        index = DenseIndex(encoder.dimension)
        index.add(range(len(turns)), encoder.encode(turns))
        return lambda query, k: index.search(encoder.encode([query], query=True)[0], k)

    return build


def two_votes(encoder: Encoder) -> Callable[[Sequence[str]], Search]:
    """Return what builds both and fuses two rankings: the text index's and the vectors'."""

    def build(turns: Sequence[str]) -> Search:
        text, vectors = lexical(TextIndex)(turns), dense(encoder)(turns)
        depth = TextIndex.depth
        return lambda query, k: fuse([text(query, depth), vectors(query, depth)], k)

    return build


def hybrid(encoder: Encoder) -> Callable[[Sequence[str]], Search]:
    """Return what builds both and fuses three rankings: words, n-grams and vectors."""

    def build(turns: Sequence[str]) -> Search:
        text, vectors = TextIndex(), DenseIndex(encoder.dimension)
        text.add(range(len(turns)), turns)
        vectors.add(range(len(turns)), encoder.encode(turns))
        return lambda query, k: hybrid_search(text, vectors, query, encoder.encode([query], query=True)[0], k)

    return build


def measure(name: str, build: Callable[[Sequence[str]], Search], data: Sequence[Conversation], k: int) -> list[str]:
    """Return one row: mean share of the evidence found, share of questions with all of it, each with standard error."""
    shares: list[float] = []
    queries, start = 0.0, time.process_time()
    for conversation in data:
        search = build(conversation.turns)
        asked = time.process_time()
        for question, evidence in conversation.questions:
            found = {key for key, _ in search(question, k)}
            shares.append(len(found & evidence) / len(evidence))
        queries += time.process_time() - asked
    whole = [float(share == 1) for share in shares]
    seconds = time.process_time() - start - queries
    return [name, _percent(shares), _percent(whole), str(len(shares)), f"{seconds:.2f}", f"{queries:.2f}"]


def _percent(values: Sequence[float]) -> str:
    error = float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return f"{100 * float(np.mean(values)):.1f} ± {100 * error:.1f}"


def methods(encoders: Sequence[str]) -> dict[str, Callable[[Sequence[str]], Search]]:
    """Return every way to search, by name: the lexical ones, and three for each encoder."""
    found = {"bm25": lexical(Bm25Index), "ngrams": lexical(NgramIndex), "text": lexical(TextIndex)}
    for name in encoders:
        encoder = make_encoder(name)
        found[name] = dense(encoder)
        found[f"rrf(text, {name})"] = two_votes(encoder)
        found[f"hybrid, {name}"] = hybrid(encoder)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with locomo10.json")
    parser.add_argument("--conversations", type=int, default=3)
    parser.add_argument("--encoder", action="append", help="an encoder's name; may be given again")
    parser.add_argument("-k", type=int, default=6)
    options = parser.parse_args()
    data = list(read(options.data / "locomo10.json", options.conversations))
    table = Table("method", f"recall@{options.k}, %", "all evidence, %", "n", "index, cpu s", "queries, cpu s")
    for name, build in methods(options.encoder or _installed()).items():
        table.add_row(*measure(name, build, data, options.k))
    Console(width=120, highlight=False).print(table)


def _installed() -> list[str]:
    try:
        make_encoder("minilm")
    except ImportError as missing:
        print(f"minilm is left out: {missing}")
        return ["hashing"]
    return ["hashing", "minilm"]


if __name__ == "__main__":
    main()
