"""Bounds come free with every table: rows that show where its scale begins and ends, as far as they can play.

Separate from the config, which says what was asked for: here a run that starts is completed.
"""

from __future__ import annotations

import numpy as np

from memgym.operations import Advance, Answer
from memgym.tokens import make_tokenizer

from .config import AgentConfig, RunConfig, built, player_of, refusal
from .metrics.bounds import BOUNDS
from .protocols.plan import Plan

_OUTSIDE = ("full-context", "oracle")
"""Bounds that keep what they read in themselves, not in the environment's memory."""
_READERS = ("no-memory", "full-context")
"""Bounds whose answers are their model's."""


def with_bounds(config: RunConfig, plan: Plan) -> tuple[RunConfig, Plan]:
    """Return a run and its plan with the bounds that can play and are not there yet; the config says why others cannot.

    They are played under the same protocol, on the same samples, from the same seeds. A bound that would fail, or whose
    score would say nothing, is left out; where agents use each other's memories there are none.
    """
    if not config.bounds:
        return config, plan
    there = {agent.agent for agent in config.agents if not agent.options}
    rows, left_out = [], {}
    for name in BOUNDS:
        if name in there:
            continue
        row = _row(config, name)
        if why := _why_not(config, plan, row):
            left_out[name] = why
        else:
            rows.append(row)
    done = config.model_copy(update={"agents": [*config.agents, *rows], "left_out": left_out})
    return done, plan.with_players(player_of(done, row) for row in rows)


def _row(config: RunConfig, name: str) -> AgentConfig:
    taken = any(agent.name == name for agent in config.agents)
    return AgentConfig(agent=name, label=f"{name}, bound" if taken else "")


def _why_not(config: RunConfig, plan: Plan, row: AgentConfig) -> str:
    """Return why a bound cannot play, "" if it can."""
    protocol, name = config.scheduler, row.agent
    if protocol.crosses:
        return f"under {protocol.name} every row is a pair of agents"
    if not {"question", "world"} & plan.benchmark.provides:
        return f"{plan.benchmark.name} asks nothing and wants nothing done"
    if why := refusal(config, plan, row):
        return why
    if protocol.keeps and name in _OUTSIDE:
        return f"what it read it keeps outside of memory, and under {protocol.name} other episodes ask for it"
    if config.model == "none" and name in _READERS:
        return "its answers are a model's, and none was given"
    return _too_long(plan, row) if name == "full-context" else ""


def _too_long(plan: Plan, row: AgentConfig) -> str:
    """Return by how much the text of the first sample is too long for an agent that keeps all of it."""
    room = int(getattr(built(row), "context_tokens"))  # noqa: B009
    length = _tokens(plan)
    return f"the text has {length:,} tokens, and its context holds {room:,}" if length > room else ""


def _tokens(plan: Plan) -> int:
    """Return the tokens (cl100k) of what the first sample shows to read."""
    sample = plan.benchmark.sample(plan.samples[0])
    task, count = plan.benchmark.task(sample, np.random.default_rng(0)), make_tokenizer("cl100k").count
    total = 0
    for _ in range(task.horizon):
        phase = task.view.phase
        if phase not in ("read", "answer"):
            break
        total += count(task.view.text)
        task.take(Advance() if phase == "read" else Answer(""))
    return total
