"""Every protocol on published data: conversations and haystacks to read, and ALFWorld's games where it is installed."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from memgym import registry

READ = ["offline-declarative", "adversarial-noise", "temporal-shift", "cross-agent-transfer", "scenario-declarative"]
ACT = [
    ("offline-procedural", {}),
    ("online-procedural", {}),
    ("batch-procedural", {"batch": 2}),
    ("streaming-procedural", {}),
    ("streaming-procedural", {"unit": "step", "every": 4}),
    ("adversarial-noise", {}),
    ("temporal-shift", {}),
    ("cross-agent-transfer", {}),
    ("reflection-procedural", {"retries": 1}),
]


def held(records, what):
    tests = [one for one in records if one.episode.tags["phase"] == "test" and one.outcome is not None]
    return [one.outcome.metrics[what] for one in tests if what in one.outcome.metrics]


@pytest.mark.slow
@pytest.mark.parametrize("protocol", READ)
@pytest.mark.parametrize("env", ["MemGym/LoCoMo", "MemGym/HotpotQA-50doc"])
def test_a_protocol_plays_published_texts(protocol, env, played, shared_data):
    if protocol == "scenario-declarative" and env != "MemGym/LoCoMo":
        pytest.skip("HotpotQA has no sessions")
    options = {"data": str(shared_data), **({"questions": 3} if env == "MemGym/LoCoMo" else {})}
    knobs = {"chunks": 8} if protocol == "scenario-declarative" else {}
    _, records = played(protocol, env, agents=["bm25-rag"], env_options=options, episodes=2, knobs=knobs)
    assert [record.error for record in records if record.error] == []
    last = [one for one in records if one.episode.tags["phase"] == "test"][-1]
    assert last.outcome is not None
    assert last.outcome.metrics["evidence_stored"] == 1


@pytest.mark.slow
@pytest.mark.skipif(find_spec("textworld") is None, reason='needs pip install "memgym[alfworld]"')
@pytest.mark.parametrize(("protocol", "knobs"), ACT)
@pytest.mark.parametrize("env", ["MemGym/ALFWorld-unseen", "MemGym/ALFWorld-generated"])
def test_a_protocol_plays_alfworld(protocol, knobs, env, played, shared_data):
    options = {"game_steps": 6, "encoder": "hashing"} | ({"data": str(shared_data)} if env.endswith("unseen") else {})
    _, records = played(protocol, env, agents=["awm"], model="rules", env_options=options, episodes=3, knobs=knobs)
    assert [record.error for record in records if record.error] == []
    assert any(record.episode.tags["phase"] == "form" for record in records)


def test_every_protocol_that_schedules_something_is_played_on_published_data():
    assert {*READ, *(name for name, _ in ACT)} == set(registry.names("protocol")) - {"isolated", "curriculum"}
