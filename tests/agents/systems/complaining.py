"""Small memories and systems on which the complaints of users are tried."""

from __future__ import annotations

from typing import Any

from staged import Pages, Replies, Staged, staged

from memgym.agents.systems.graphiti import Graphiti
from memgym.env import MemoryEnv
from memgym.memory import Memory, Write
from memgym.memory.encoders import HashingEncoder
from memgym.operations import Action, Create, Operation, Read, Result

WAYS = ("text", "dense", "hybrid")
HOMES = ("Ann lives in Rome.", "Bob lives in Oslo.", "Cem lives in Bonn.", "Dag lives in Lima.")


def apply(memory: Memory, operation: Operation) -> Result:
    return memory.apply(operation, Write("episode", 1, operation.kind, memory.clock))


def holding(*texts: str, memory: Memory | None = None) -> Memory:
    memory = Memory({"main": HashingEncoder()}) if memory is None else memory
    for text in texts:
        apply(memory, Create(text))
    return memory


def found(memory: Memory, query: str, by: str = "text", k: int = 9) -> list[str]:
    return [hit.entry.text for hit in memory.read(Read(query, by=by), k=k)[1]]


def environment(*texts: str) -> MemoryEnv:
    env = MemoryEnv(Pages(["Read this."], ["Who?"]), advance="explicit", encoder="hashing")
    env.reset(seed=0)
    env.step(Action(tuple(Create(text) for text in texts)))
    return env


def facts(inputs: Any) -> dict[str, list[str]]:
    """Take each sentence of a text for a fact."""
    return {"facts": [f"{one.strip()}." for one in inputs["text"].split(".") if one.strip()]}


def shown_ids(memories: list[str]) -> list[str]:
    return [one[1:].partition("]")[0] for one in memories]


def edge(subject: str, place: str, year: int) -> dict[str, str]:
    text = f"{subject} lives in {place}."
    return {"subject": subject, "relation": "lives in", "object": place, "valid_at": str(year), "text": text}


def lived_in(*edges: dict[str, str], texts: int = 1) -> Staged:
    """Play Graphiti over pages with these edges; its model takes every candidate for superseded."""
    model = Replies(
        edges=[{"edges": list(edges)}], invalidate=lambda inputs: {"ids": shown_ids(inputs["memories"])}
    )  # fmt: skip
    return staged(Graphiti, model, [f"Page {number}." for number in range(texts)])
