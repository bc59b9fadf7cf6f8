"""Scripted writers read and answer with a model; only what is written is a rule's."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from memgym.model import Reply, Request
from memgym.records import Episode, EpisodeRecord
from memgym.rollout import Cast, rollout
from memgym.rollout import make_env as make


class Parrot:
    """Reads by the asked name, tries to write nonsense, and answers with the last statement that it is shown."""

    name = "parrot"

    def __init__(self) -> None:
        self.asked: list[Request] = []

    async def chat(self, request: Request) -> Reply:
        self.asked.append(request)
        prompt = request.messages[-1].content
        name = prompt.split("Where is ")[1].split("?")[0]
        if "\nT: " in prompt:
            return Reply(f"<read_memory>{name}</read_memory><create_memory>nonsense</create_memory>")
        said = [line for line in prompt.replace("] ", "\n").split("\n") if line.startswith(name)]
        return Reply(f"<answer>{said[-1].split()[-1] if said else 'unknown'}</answer>")


def played(agent: str, seed: int, **options: Any) -> tuple[EpisodeRecord, Parrot]:
    model = Parrot()
    episode = Episode("one", "MemGym/Whereabouts", agent, seed, model="parrot", options=options)
    record = asyncio.run(rollout(episode, Cast({"parrot": model})))
    assert record.error is None
    return record, model


def mean(agent: str, episodes: int = 40) -> float:
    return sum(played(agent, seed)[0].outcome.reward for seed in range(episodes)) / episodes  # type: ignore[union-attr]


WRITERS = ["keep-everything", "keep-newest", "store-and-search", "note-newest", "keep-matching", "keep-current"]


@pytest.mark.parametrize("agent", WRITERS)
def test_a_writer_never_writes_what_the_model_would(agent: str) -> None:
    record, model = played(agent, 1)
    assert not any("nonsense" in step.action for step in record.steps)
    assert all(len(request.messages) == 1 for request in model.asked)


def test_keep_current_solves_the_task() -> None:
    assert mean("keep-current") == 1.0


def test_keeping_everything_is_full_before_it_matters() -> None:
    assert mean("keep-everything") < mean("keep-matching") < 1.0


def test_keep_newest_holds_the_two_newest_sentences() -> None:
    record, _ = played("keep-newest", 2)
    env = make("MemGym/Whereabouts")
    env.reset(seed=2)
    for step in record.steps[:-1]:
        env.step(step.action)
    last = env.pomdp.sample.documents[-1].text
    assert [entry.text for entry in env.memory.entries()] == [f"{line.strip()}." for line in last.split(".")[-3:-1]]


def test_note_newest_stores_nothing() -> None:
    record, _ = played("note-newest", 2)
    assert record.steps[-2].size == 0
    assert "<scratchpad>" in record.steps[0].action


def test_store_and_search_reads_by_the_question() -> None:
    record, _ = played("store-and-search", 2)
    assert "<read_memory> Where is " in record.steps[0].action
