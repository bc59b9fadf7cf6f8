"""Every agent from end to end: the embedded world, the rules model, the loop that `memgym bench` uses."""

from __future__ import annotations

from functools import cache
from statistics import mean
from typing import Any

import pytest

from memgym.records import Episode, EpisodeRecord
from memgym.rollout import play

AGENTS = ["no-memory", "full-context", "bm25-rag", "dense-rag", "hybrid-rag", "scratchpad-only", "random", "oracle"]
KEEPING = ["bm25-rag", "dense-rag", "hybrid-rag", "oracle"]


def records(agent: str, agent_options: dict[str, Any] | None = None, **options: Any) -> list[EpisodeRecord]:
    options = {"encoder": "hashing", "questions": 3, **options}
    return play(
        Episode(f"e{seed}", "MemGym/Synthetic-50doc", agent, seed, None, options, agent_options or {}, "rules")
        for seed in range(8)
    )


@cache
def plain(agent: str) -> tuple[EpisodeRecord, ...]:
    return tuple(records(agent))


def reward(played: list[EpisodeRecord] | tuple[EpisodeRecord, ...]) -> float:
    assert [record.error for record in played if record.error] == []
    return mean(record.outcome.reward for record in played if record.outcome)


def metric(played: tuple[EpisodeRecord, ...], name: str) -> float:
    return mean(record.outcome.metrics[name] for record in played if record.outcome)


@pytest.mark.parametrize("agent", AGENTS)
def test_every_episode_ends_by_its_last_answer(agent: str) -> None:
    assert reward(plain(agent)) <= 1.0
    assert all(record.terminated and not record.truncated for record in plain(agent))


@pytest.mark.parametrize("agent", AGENTS)
def test_no_operation_of_a_pipeline_fails(agent: str) -> None:
    results = [result for record in plain(agent) for step in record.steps for result in step.results]
    failed = [result for result in results if not result.ok]
    assert agent == "random" or failed == []


def test_the_bounds_hold() -> None:
    assert reward(plain("oracle")) > 0.95
    assert reward(plain("full-context")) > 0.95
    assert reward(plain("no-memory")) < 0.1
    assert reward(plain("random")) < 0.1


@pytest.mark.parametrize("agent", ["bm25-rag", "dense-rag", "hybrid-rag", "scratchpad-only"])
def test_memory_helps_and_is_not_perfect(agent: str) -> None:
    assert reward(plain("no-memory")) < reward(plain(agent)) < reward(plain("oracle"))


@pytest.mark.parametrize("agent", KEEPING)
def test_all_evidence_is_stored(agent: str) -> None:
    assert metric(plain(agent), "evidence_stored") == 1.0


def test_more_rounds_reach_more_hops() -> None:
    further = tuple(records("bm25-rag", {"rounds": 3}))
    assert metric(further, "evidence_shown") > metric(plain("bm25-rag"), "evidence_shown")


@pytest.mark.parametrize("agent", ["bm25-rag", "full-context", "oracle"])
def test_chunks_that_cut_through_documents_cost_nothing(agent: str) -> None:
    assert reward(records(agent, cut="token", chunk_tokens=400, overlap=50)) == reward(plain(agent))


def test_a_small_memory_bounds_the_oracle() -> None:
    assert reward(records("oracle", capacity=2)) < reward(plain("oracle"))


def test_the_upper_bound_is_marked_as_privileged() -> None:
    assert [agent for agent in AGENTS if plain(agent)[0].privileged] == ["oracle"]
