"""``memgym show``: every agent and component says where it is from, what it needs and what it asks a model."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import pytest
from small_house import as_json, experience
from typer.testing import CliRunner

import memgym
from memgym import registry
from memgym.asked import kinds_of
from memgym.cli import app
from memgym.model import Reply, Request
from memgym.records import Episode
from memgym.rollout import Cast, play
from memgym.show import agent, component

SYSTEMS = [name for name in registry.names("agent") if getattr(registry.load("agent", name), "system", {})]
PUBLISHED = [name for name in SYSTEMS if name != "vanilla-rag"]
LIVED = [as_json(experience("mug", "shelf", success=success)) for success in (True, False)]


def said(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    return result.output


class Recording:
    """The rules model; keeps the kinds of request that it was asked."""

    name = "recording"

    def __init__(self) -> None:
        self.rules = memgym.make_model("rules")
        self.kinds: set[str] = set()

    async def chat(self, request: Request) -> Reply:
        self.kinds.add(request.name)
        return await self.rules.chat(request)


def kinds_asked(name: str) -> set[str]:
    """Return the kinds of request that a system makes in an episode that its contract allows."""
    told = agent(name)
    backend = told["stages"]["backend"]["options"]
    own: dict[str, Any] = {"options": {"backend": {"encoder": "hashing"}}} if "encoder" in backend else {}
    encoder = {"encoder": "hashing"} if "encoder" in backend else {}
    lived = any("steps" in part["requires"] for part in told["stages"].values())
    env, more = ("MemGym/Experience", {"experiences": LIVED}) if lived else ("MemGym/SyntheticDialogue-5sessions", {})
    model = Recording()
    episode = Episode(
        name, env, name, 0, model="recording", options={**told["needs"], **encoder, **more}, agent_options=own
    )
    [record] = play([episode], cast=Cast({"recording": model}))
    assert record.error is None
    return model.kinds


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_kind_of_request_that_a_system_makes_is_shown(name: str) -> None:
    told = agent(name)
    shown = {*told["asks"], *(kind for part in told["stages"].values() for kind in part["asks"])}
    assert kinds_asked(name) <= shown


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_system_shows_its_source_its_needs_and_its_five_stages(name: str) -> None:
    told = json.loads(said("show", "agent", name, "--json"))
    assert told["source"].startswith("Source")
    assert told["needs"]["advance"] == "explicit"
    assert list(told["stages"]) == ["formation", "backend", "evolution", "retrieval", "utilization"]
    text = said("show", "agent", name)
    assert told["source"] in text
    for stage, part in told["stages"].items():
        assert f"\n{stage}: {part['name']}\n" in text


def test_a_component_is_shown_with_its_contract_and_its_defaults() -> None:
    text = said("show", "component", "a-mem.evolution")
    assert "requires: context, id, keywords, tags, text_content, text_embedding_index" in text
    assert "options: neighbours=5, separate=False" in text
    assert "asks: evolve, link_and_evolve, relate" in text


def test_prompts_are_printed_on_request_each_once() -> None:
    assert "=== analyse ===" not in said("show", "agent", "a-mem")
    text = said("show", "agent", "memgpt", "--prompts")
    assert text.count("=== answer ===") == 1
    assert "=== enough ===\n--- system ---\n" in text


@pytest.mark.parametrize("name", registry.names("component"))
def test_every_component_can_be_shown(name: str) -> None:
    told = component(name)
    assert told["doc"]
    assert set(told["prompts"]) <= set(told["asks"])
    json.dumps(told)


@pytest.mark.parametrize("name", registry.names("agent"))
def test_every_agent_can_be_shown(name: str) -> None:
    assert said("show", "agent", name).startswith(f"{name}: ")


def test_a_kind_that_is_not_in_the_code_can_be_declared() -> None:
    class Given:
        asks: ClassVar = ("riddle",)

    assert kinds_of(Given) == ["riddle"]


def test_another_kind_of_thing_proposes_the_nearest() -> None:
    result = CliRunner().invoke(app, ["show", "agnet", "a-mem"])
    assert result.exit_code == 2
    assert "Did you mean 'agent'?" in result.output
