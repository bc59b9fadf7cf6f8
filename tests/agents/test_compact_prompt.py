"""The compact prompt of the agent "llm": for models that are trained rather than told."""

from __future__ import annotations

import asyncio

import pytest

from memgym.model import Reply, Request
from memgym.records import Episode
from memgym.registry import UnknownName, make_agent
from memgym.rollout import Cast, rollout


class Silent:
    name = "silent"

    def __init__(self) -> None:
        self.asked: list[Request] = []

    async def chat(self, request: Request) -> Reply:
        self.asked.append(request)
        return Reply("<read_memory>rain</read_memory><create_memory>rain</create_memory><scratchpad>a b</scratchpad>")


def prompts() -> list[str]:
    model = Silent()
    episode = Episode("one", "MemGym/Whereabouts", "llm", 0, model="silent", agent_options={"prompt": "compact"})
    asyncio.run(rollout(episode, Cast({"silent": model})))
    assert all([message.role for message in request.messages] == ["user"] for request in model.asked)
    return [request.messages[0].content for request in model.asked]


def test_the_first_prompt_is_the_question_and_the_text() -> None:
    lines = prompts()[0].split("\n")
    assert [line[:3] for line in lines] == ["Q: ", "T: "]
    assert lines[0].startswith("Q: Where is ")


def test_what_was_read_and_noted_is_shown_behind_a_letter() -> None:
    lines = prompts()[1].split("\n")
    assert lines[1:3] == ["S: a b", "M: [m1] rain"]


def test_another_prompt_is_refused() -> None:
    with pytest.raises(UnknownName, match="compact"):
        make_agent("llm", model=Silent(), prompt="compakt")
