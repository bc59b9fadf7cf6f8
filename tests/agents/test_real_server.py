"""A whole episode against a real OpenAI-compatible server with a real model; opt-in, because no test brings one.

Start a server, then run: MEMGYM_TEST_ENDPOINT=http://127.0.0.1:8000/v1 python -m pytest -m model tests/agents
"""

from __future__ import annotations

import asyncio
import os
from typing import Any

import pytest

from memgym.agents.models.openai import OpenAIModel
from memgym.agents.prompts import ANSWER, NOTE
from memgym.model import Message, Meter, Request
from memgym.records import Episode, EpisodeRecord
from memgym.rollout import Cast, play

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def served() -> OpenAIModel:
    """The first model that the server names, or MEMGYM_TEST_MODEL."""
    endpoint = os.environ.get("MEMGYM_TEST_ENDPOINT")
    if not endpoint:
        pytest.skip("no server: set MEMGYM_TEST_ENDPOINT to the base URL of an OpenAI-compatible one")
    import openai

    listed = openai.OpenAI(base_url=endpoint, api_key="none").models.list()
    name = os.environ.get("MEMGYM_TEST_MODEL") or listed.data[0].id
    return OpenAIModel(name, endpoint, timeout=600, concurrency=1, retries=2, logprobs=True)


SMALL = {"documents": 12, "chunk_tokens": 600, "hops": 2, "max_steps": 8}


def played(model: OpenAIModel, agent: str, **options: Any) -> EpisodeRecord:
    """Play one small episode of the embedded world."""
    episode = Episode("e", "MemGym/Synthetic-50doc", agent, 0, None, SMALL, options, model="served")
    [record] = play([episode], cast=Cast({"served": model}))
    assert record.error is None
    assert record.outcome is not None
    return record


def test_a_language_model_plays_a_whole_episode(served: OpenAIModel) -> None:
    record = played(served, "llm", max_tokens=96)
    for step in record.steps:
        print(f"--- {step.usage.prompt_tokens} tokens in, {step.usage.completion_tokens} out\n{step.action}")
        print("\n".join(f"    {one.operation}: {one.status} {one.reason}" for one in step.results))
    print(record.outcome)
    assert record.usage.calls == len(record.steps)
    assert record.usage.completion_tokens > 0


def test_a_pipeline_asks_it_typed_requests(served: OpenAIModel) -> None:
    record = played(served, "bm25-rag")
    print(record.outcome, record.usage)
    assert record.terminated
    assert record.usage.calls >= 1


def test_typed_requests_come_back_as_values(served: OpenAIModel) -> None:
    meter = Meter(served)
    answer = asyncio.run(ANSWER.ask(meter, question="Where does Mia live?", text="Mia lives in Oslo."))
    note = asyncio.run(NOTE.ask(meter, questions=["Where is Mia?"], scratchpad="", text="Mia is in Oslo.", limit=50))
    print(answer, note)
    assert answer.value.answer
    assert meter.take().calls == answer.attempts + note.attempts


def test_sampling_by_seed_gives_text_and_log_probabilities(served: OpenAIModel) -> None:
    request = Request("greet", (Message("user", "Say hello."),), max_tokens=8, temperature=0.8, seed=1)
    reply = asyncio.run(served.chat(request))
    assert reply.text
    assert len(reply.logprobs or ()) == reply.usage.completion_tokens
    assert max(reply.logprobs or (1.0,)) <= 0.0
