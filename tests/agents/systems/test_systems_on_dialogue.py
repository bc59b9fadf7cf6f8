"""Systems that read a stream play a conversation to its end, asked whenever its questions come."""

from __future__ import annotations

from typing import Any

import pytest

import memgym
from memgym.agents.lifecycle.builtin import dated
from memgym.records import Episode, EpisodeRecord
from memgym.rollout import play

HASHING = {"options": {"backend": {"encoder": "hashing"}}}
SYSTEMS: dict[str, dict[str, Any]] = {
    "memagent": {},
    "mem1": {},
    "readagent": {},
    "memgpt": HASHING,
    "generative-agents": HASHING,
    "memorybank": HASHING,
}


def played(name: str, env: str = "MemGym/SyntheticDialogue-5sessions") -> EpisodeRecord:
    needs: Any = memgym.make_agent(name, model=memgym.make_model("rules"), **SYSTEMS[name])
    [record] = play(
        [Episode(name, env, name, 0, model="rules", options=dict(needs.needs), agent_options=SYSTEMS[name])]
    )
    return record


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_conversation_is_played_to_its_end_and_only_repeated_turns_are_refused(name: str) -> None:
    record = played(name)
    assert record.error is None
    assert record.terminated
    refused = {(one.operation, str(one.status)) for step in record.steps for one in step.results if not one.ok}
    assert refused <= {("create", "duplicate")}


@pytest.mark.parametrize("name", SYSTEMS)
def test_two_plays_from_one_seed_are_equal(name: str) -> None:
    assert played(name).to_json() == played(name).to_json()


def test_a_text_that_says_its_time_itself_is_not_dated_twice() -> None:
    assert dated("Mia moved.", "May 2016") == "(May 2016) Mia moved."
    assert dated("Session 1 (May 2016) with Mia:\nMia: hi", "May 2016") == "Session 1 (May 2016) with Mia:\nMia: hi"
    assert dated("Mia moved.", "") == "Mia moved."
