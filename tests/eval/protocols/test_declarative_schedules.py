"""What is read, when it is asked, and whose memory answers: protocols on a generated conversation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from memgym.records import EpisodeRecord

TALK = "MemGym/SyntheticDialogue-5sessions"
TALKING: dict[str, Any] = {
    "env": TALK, "agents": ["bm25-rag"], "model": "rules", "env_options": {"questions": 4, "unanswerable": 0}, "episodes": 3,
}  # fmt: skip


def of(records: Sequence[EpisodeRecord], phase: str) -> list[EpisodeRecord]:
    return [record for record in records if record.episode.tags["phase"] == phase]


def stored(records: Sequence[EpisodeRecord]) -> list[float]:
    return [record.outcome.metrics["evidence_stored"] for record in records if record.outcome]


@pytest.mark.parametrize(
    "protocol",
    ["offline-declarative", "adversarial-noise", "temporal-shift", "cross-agent-transfer", "scenario-declarative"],
)
@pytest.mark.parametrize("env", [TALK, "MemGym/Synthetic-50doc"])
def test_every_episode_is_played_without_an_error(protocol, env, played):
    if protocol == "scenario-declarative" and env != TALK:
        pytest.skip("Synthetic has no sessions")
    _, records = played(protocol, **{**TALKING, "env": env, "env_options": {"questions": 4}})
    assert [record.error for record in records if record.error] == []


def test_a_sample_is_read_whole_then_asked_of_that_memory_frozen(played):
    _, records = played("offline-declarative", **TALKING)
    forms, tests = of(records, "form"), of(records, "test")
    assert [test.episode.after for test in tests] == [form.episode.id for form in forms]
    assert all(form.outcome and form.outcome.reward == 1 for form in forms)
    assert stored(tests) == [1, 1, 1]
    assert all(test.episode.frozen and test.outcome and len(test.outcome.references) == 4 for test in tests)


def test_an_agent_without_memory_knows_nothing_of_what_it_read_in_another_episode(played):
    _, records = played("offline-declarative", **{**TALKING, "agents": ["no-memory", "full-context"]})
    assert {test.outcome.reward for test in of(records, "test") if test.outcome} == {0}


def test_every_scenario_begins_with_an_empty_memory_and_each_sitting_goes_on(played):
    _, records = played("scenario-declarative", **TALKING)
    sittings = of(records, "form")
    for number in range(3):
        own = [one for one in sittings if one.episode.tags["number"] == str(number)]
        assert [one.episode.after for one in own] == [None, *(one.episode.id for one in own[:-1])]
        assert [one.episode.part["read"] for one in own] == [[at, at + 1] for at in range(len(own))]


def test_a_question_of_a_scenario_is_asked_when_it_arises_and_of_the_memory_as_it_is_then(played):
    _, records = played(
        "scenario-declarative", **{**TALKING, "env_options": {"questions": 6, "ask": "along", "unanswerable": 0}}
    )
    tests = of(records, "test")
    reads = [int(test.episode.tags["read"]) for test in tests if test.episode.tags["number"] == "0"]
    assert reads == sorted(set(reads))
    assert min(reads) < 5
    assert stored(tests) == [1] * len(tests)
    asked = [test.episode.part["ask"] for test in tests if test.episode.tags["number"] == "0"]
    assert [first for first, _ in asked] == [0, *(last for _, last in asked[:-1])]
    assert asked[-1][1] == 6


def test_a_shift_tests_both_periods_before_and_after_it(played):
    made, records = played("temporal-shift", **{**TALKING, "episodes": 4})
    whens = [record.episode.tags["when"] for record in of(records, "test")]
    assert whens == ["A after A"] * 2 + ["B after A"] * 2 + ["A after B"] * 2 + ["B after B"] * 2
    values = {one.name: one.value.mean for one in made.scheduler.measures(records)}
    assert values["adaptation"] > 0
    assert values["retention"] <= 0
    assert 0 < values["stale among shown"] < 1


def test_a_shift_costs_what_no_longer_fits_into_memory(played):
    options = {"questions": 4, "unanswerable": 0, "capacity": 60}
    _, records = played("temporal-shift", **{**TALKING, "env_options": options, "episodes": 4})
    held = stored(of(records, "test"))
    assert held[-2:] < [1, 1]  # nothing is deleted by bm25-rag: what comes after the shift finds no room


def test_noise_is_read_by_the_agent_and_only_its_own_writing_counts_as_noise(played):
    made, records = played("adversarial-noise", **TALKING, knobs={"ratio": 1})
    noise = of(records, "noise")
    assert len(noise) == 3
    assert all(record.episode.part["texts"] for record in noise)
    rows = {record.episode.tags["row"] for record in of(records, "test")}
    assert rows == {"bm25-rag", "bm25-rag + noise"}
    values = {one.name: one.value for one in made.scheduler.measures(records)}
    assert 0 < values["noise among stored"].mean < 1
    assert 0 < values["noise among shown"].mean < 1
    assert values["noise - clean"].mean < 0
    assert values["noise - clean"].n == 3


@pytest.mark.parametrize("when", ["before", "after"])
def test_noise_comes_when_it_is_said_to(when, played):
    _, records = played("adversarial-noise", **TALKING, knobs={"when": when})
    own = [record for record in records if record.episode.tags["arm"] == "noise"]
    ids = [record.episode.tags["phase"] for record in own][:3]
    assert ids == (["noise", "form", "test"] if when == "before" else ["form", "noise", "test"])
    for record, before in zip(own[1::3], own[::3], strict=True):
        assert record.episode.after == before.episode.id


def test_no_noise_at_all_is_the_clean_arm_twice(played):
    made, records = played("adversarial-noise", **TALKING, knobs={"ratio": 0})
    assert of(records, "noise") == []
    values = {one.name: one.value for one in made.scheduler.measures(records)}
    assert values["noise - clean"].mean == 0
    assert values["noise among stored"].mean == 0


def test_irrelevant_noise_is_of_another_sample(played):
    _, records = played("adversarial-noise", **TALKING, knobs={"noise": "irrelevant", "ratio": 0.5})
    [first, *_] = of(records, "noise")
    form = next(record for record in of(records, "form") if record.episode.sample == first.episode.sample)
    written = {step.action for step in form.steps}
    assert all(text not in "".join(written) for text in first.episode.part["texts"])
