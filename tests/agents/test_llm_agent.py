"""The model that writes the dialect itself: what it is shown, and that its text reaches the environment as it is."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from small_world import colours

from memgym.agent import Briefing, Observation
from memgym.agents.llm import LanguageModelAgent
from memgym.dialects.xml import XmlDialect
from memgym.memory.entry import Entry, Hit, Write
from memgym.model import Reply, Request, Usage
from memgym.operations import Result, Status
from memgym.records import Episode
from memgym.rollout import Cast, play
from memgym.task import TaskView

WRITE = Write("e", 1, "create", 1)
HIT = Hit(Entry("m3", "Mia lives in Oslo.", "main", WRITE, WRITE), 1.0, "text")
READING = Observation(
    TaskView("Answer: where is Mia?", "Document 1:\nMia", "read", ("advance",), ("Where is Mia?",)),
    "Mia: ?",
    (HIT,),
    (Result("create", Status.OVER_CAPACITY, reason="the memory is full"),),
    2,
    7,
    "Left: 7 steps.",
)
ANSWERING = Observation(TaskView("Where is Mia?", "", "answer", ("answer",), ("Where is Mia?",)), "", (), (), 3, 6)


class Writer:
    """A policy with one text for the phase of reading and one for answering."""

    name = "writer"

    def __init__(self, reading: str = "", answering: str = "") -> None:
        self.texts = {"read": reading, "answer": answering}
        self.requests: list[Request] = []

    async def chat(self, request: Request) -> Reply:
        self.requests.append(request)
        return Reply(self.texts[request.inputs["phase"]], Usage(calls=1))


def requests(*observations: Observation, **options: Any) -> list[Request]:
    """Return what a model is asked when an agent with these options is shown the observations."""
    writer = Writer("<advance/>", "<answer>Oslo</answer>")

    async def act() -> None:
        agent = LanguageModelAgent(writer, **options)
        operations = frozenset({"create", "read"})
        await agent.reset(Briefing(np.random.default_rng(0), XmlDialect(), operations, 6))
        for observation in observations:
            await agent.act(observation)

    asyncio.run(act())
    return writer.requests


@pytest.fixture
def world() -> Iterator[None]:
    with colours():
        yield


def test_the_prompt_shows_all_that_is_observed() -> None:
    [request] = requests(READING)
    prompt = request.messages[-1].content
    shown = [
        "where is Mia?",
        "Left: 7 steps.",
        "Mia: ?",
        "[m3] Mia lives in Oslo.",
        "the memory is full",
        "Document 1:",
    ]
    assert [part for part in shown if part not in prompt] == []
    assert (request.name, request.schema, request.max_tokens, request.temperature) == ("policy", None, 4096, 0.0)


def test_the_system_text_explains_what_is_allowed_now() -> None:
    reading, answering = requests(READING, ANSWERING)
    grammar = reading.messages[0].content
    assert "<create_memory" in grammar
    assert "<delete_memory" not in grammar
    assert "<advance/>" in grammar
    assert "<answer>" not in grammar
    assert "<answer>" in answering.messages[0].content


def test_every_step_is_a_fresh_prompt() -> None:
    assert [len(request.messages) for request in requests(READING, ANSWERING, ANSWERING)] == [2, 2, 2]


def test_history_keeps_that_many_steps() -> None:
    asked = requests(READING, ANSWERING, ANSWERING, history=1)
    assert [[message.role for message in request.messages] for request in asked] == [
        ["system", "user"],
        ["system", "user", "assistant", "user"],
        ["system", "user", "assistant", "user"],
    ]
    assert asked[1].messages[1:3] == (asked[0].messages[1], asked[1].messages[2])
    assert asked[1].messages[2].content == "<advance/>"
    assert asked[2].messages[2].content == "<answer>Oslo</answer>"


def test_instructions_replace_the_strategy_and_not_the_grammar() -> None:
    [request] = requests(READING, instructions="Store everything.")
    assert request.messages[0].content.startswith("Store everything.\n\n")
    assert "<create_memory" in request.messages[0].content


def test_sampling_draws_a_seed_a_step_and_greedy_none() -> None:
    seeds = [request.seed for request in requests(READING, READING, temperature=0.7)]
    assert len(set(seeds)) == 2
    assert None not in seeds
    assert seeds == [request.seed for request in requests(READING, READING, temperature=0.7)]
    assert [request.seed for request in requests(READING)] == [None]


def test_the_inputs_are_the_observation_as_data() -> None:
    [request] = requests(READING)
    assert request.inputs["memories"] == [{"id": "m3", "text": "Mia lives in Oslo."}]
    assert request.inputs["questions"] == ["Where is Mia?"]


@pytest.mark.usefixtures("world")
def test_what_the_model_writes_is_carried_out() -> None:
    writer = Writer(
        "I note this.\n<scratchpad>seen</scratchpad><create_memory>a fact</create_memory>\n<advance/>",
        "<think>Is it <answer>blue</answer>?</think><answer>green</answer>",
    )
    [record] = play([Episode("e", "Colours", "llm", 0, model="writer")], cast=Cast({"writer": writer}))
    assert record.error is None
    assert [result.operation for result in record.steps[0].results] == ["scratchpad", "create", "advance"]
    assert record.outcome is not None
    assert record.outcome.predictions == ("green",)
    assert "seen" in writer.requests[-1].messages[-1].content


@pytest.mark.usefixtures("world")
@pytest.mark.parametrize("text", ["", "no tags at all", "\ud800\x00 <create_memory>", "<answer>" * 100, "日本" * 1000])
def test_whatever_the_model_writes_the_episode_goes_to_its_end(text: str) -> None:
    [record] = play([Episode("e", "Colours", "llm", 0, model="w")], cast=Cast({"w": Writer(text, text)}))
    assert record.error is None
    assert record.outcome is not None


@pytest.mark.parametrize("bad", [{"history": -1}, {"max_tokens": 0}])
def test_an_option_out_of_range_is_refused(bad: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="expected"):
        LanguageModelAgent(Writer(), **bad)  # type: ignore[arg-type]


def test_without_a_model_it_says_how_to_give_one() -> None:
    with pytest.raises(ValueError, match=r"'llm'.*model="):
        LanguageModelAgent()
