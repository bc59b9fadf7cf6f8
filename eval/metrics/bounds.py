"""Which rows of a table are bounds: where its scale begins and ends. They are no competitors."""

from __future__ import annotations

from memgym.records import EpisodeRecord

BOUNDS = {
    "no-memory": "lower bound: no memory",
    "random": "lower bound: random",
    "full-context": "the whole text in the prompt",
    "oracle": "upper bound: sees the answers",
}
"""Agents that stand in a table to show its scale, and what each shows."""


def bound_of(record: EpisodeRecord) -> str:
    """Return what kind of bound played an episode, "" for a competitor; with options of its own an agent is one."""
    if record.privileged:
        return BOUNDS["oracle"]
    return "" if record.episode.agent_options else BOUNDS.get(record.episode.agent, "")
