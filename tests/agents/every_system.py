"""All memory systems and pipelines, and small episodes that each of them can be given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from small_house import as_json, experience

import memgym
from memgym import registry
from memgym.agents.lifecycle.system import MemorySystem
from memgym.contracts import Contract, Violation, check
from memgym.matching import all_contracts
from memgym.records import Episode

SYSTEMS = [name for name in registry.names("agent") if getattr(registry.load("agent", name), "system", {})]
"""Every registered agent that is a memory system with parts of its own."""
LIVED = [
    as_json(experience(thing, place, success=success))
    for thing, place, success in (("mug", "shelf", True), ("plate", "table", False), ("cup", "shelf", True))
]
Played = tuple[str, dict[str, Any]]
"""An environment, and options of it."""
QA: Played = ("MemGym/Synthetic-50doc", {})
SMALL_QA: Played = ("MemGym/Synthetic-50doc", {"documents": 12})
DIALOGUE: Played = ("MemGym/SyntheticDialogue-5sessions", {})
HOUSE: Played = ("MemGym/House", {})
EXPERIENCE: Played = ("MemGym/Experience", {"experiences": LIVED})
CONTRACTS: Mapping[str, Contract] = {one.name: one for one in all_contracts()}


def built(agent: str, parts: Mapping[str, str] | None = None) -> tuple[MemorySystem, dict[str, Any]]:
    """Build an agent without a model, its backend with the hashing encoder; return it with its options."""
    options: dict[str, Any] = dict(parts or {})
    backend = options.get("backend") or registry.load("agent", agent).system["backend"]
    if "encoder" in registry.parameters(registry.load("component", backend)):
        options["options"] = {"backend": {"encoder": "hashing"}}
    made: Any = registry.make_agent(agent, model=memgym.make_model("none"), **options)
    return made, options


def episode(agent: str, where: Played, parts: Mapping[str, str] | None = None, number: int = 0) -> Episode:
    """Return an episode of an agent (of a pipeline, if its parts are given) under what it needs."""
    made, options = built(agent, parts)
    env, more = where
    return Episode(
        f"{agent}/{number}", env, agent, number, options={**made.needs, **more}, agent_options=options, model="rules"
    )  # fmt: skip


def provided(where: Played) -> frozenset[str]:
    """Return the keys that the benchmark of an environment provides."""
    benchmark = registry.load("benchmark", registry.environment(where[0])["benchmark"])
    return frozenset(benchmark.provides)


def violations(parts: Iterable[str], given: Iterable[str]) -> tuple[Violation, ...]:
    """Return what the contracts say of a pipeline of these components."""
    contracts = [CONTRACTS[name] for name in parts]
    return check({one.stage: one for one in contracts}, given, CONTRACTS.values())
