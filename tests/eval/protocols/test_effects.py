"""The effect that each protocol is for, over five seeds of a generated benchmark, with its interval printed (-s)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from memgym.eval.metrics.intervals import Estimate, estimate
from memgym.eval.metrics.rows import rows
from memgym.records import EpisodeRecord

pytestmark = pytest.mark.slow

SEEDS = range(5)
TALKING: dict[str, Any] = {
    "env": "MemGym/SyntheticDialogue-5sessions", "agents": ["bm25-rag"], "model": "rules", "episodes": 6,
    "env_options": {"questions": 6, "unanswerable": 0},
}  # fmt: skip
Values = Mapping[str, float]


def over_seeds(played: Any, what: str, value: Callable[[Any, Sequence[EpisodeRecord]], float], *runs: Any) -> Estimate:
    """The mean over seeds of a value, or of its difference between two runs; printed with its interval."""
    found = []
    for seed in SEEDS:
        values = [value(*played(name, seed=seed, **{"episodes": 24, **options})) for name, options in runs]
        found.append(values[0] if len(values) == 1 else values[1] - values[0])
    result = estimate(found)
    print(f"{what}: {result.mean:+.3f} [{result.low:+.3f}, {result.high:+.3f}] over {result.n} seeds")
    return result


def reward(_: Any, records: Sequence[EpisodeRecord]) -> float:
    return rows(records)[0].reward.mean


def measured(name: str) -> Callable[[Any, Sequence[EpisodeRecord]], float]:
    def value(config: Any, records: Sequence[EpisodeRecord]) -> float:
        return next(one.value.mean for one in config.scheduler.measures(records) if one.name == name)

    return value


@pytest.mark.parametrize(
    ("what", "before", "after"),
    [
        ("offline - isolated", ("isolated", {}), ("offline-procedural", {})),
        ("online - isolated", ("isolated", {}), ("online-procedural", {})),
        ("online - batch of 12", ("batch-procedural", {"knobs": {"batch": 12}}), ("online-procedural", {})),
        ("stream - batch of 12", ("batch-procedural", {"knobs": {"batch": 12}}), ("streaming-procedural", {})),
        ("online - stream, which lags", ("streaming-procedural", {}), ("online-procedural", {})),
        (
            "second pass - first pass of a batch of all",
            ("batch-procedural", {"knobs": {"batch": 24}}),
            ("batch-procedural", {"knobs": {"batch": 24, "passes": 2}}),
        ),
    ],
)
def test_when_memory_is_formed_makes_a_difference(what, before, after, played):
    assert over_seeds(played, what, reward, before, after).low > 0


def test_noise_lowers_what_experience_is_worth(played):
    found = over_seeds(
        played, "noise - clean", measured("noise - clean"), ("adversarial-noise", {"knobs": {"ratio": 1}})
    )
    assert found.high < 0


def test_more_noise_is_found_in_memory_where_more_was_told(played):
    runs = [("adversarial-noise", {"knobs": {"ratio": ratio}}) for ratio in (0.2, 1.0)]
    assert over_seeds(played, "noise among stored, 1.0 - 0.2", measured("noise among stored"), *runs).low > 0


def test_reflection_raises_the_final_try(played):
    found = over_seeds(played, "final - first", measured("final - first"), ("reflection-procedural", {}))
    assert found.low > 0


def test_a_shift_costs_retention_where_memory_is_small_and_nothing_where_it_is_not(played):
    knobs = {"by": "task_type", "train": 24}
    small, large = ({"knobs": knobs, "env_options": {"capacity": size, "pulls": 3}} for size in (6, 100))
    assert over_seeds(played, "retention in 6 entries", measured("retention"), ("temporal-shift", small)).high < 0
    assert over_seeds(played, "retention in 100 entries", measured("retention"), ("temporal-shift", large)).low >= 0
    assert over_seeds(played, "adaptation in 6 entries", measured("adaptation"), ("temporal-shift", small)).low > 0


def test_a_memory_is_worth_something_to_another_agent(played):
    agents = {"agents": ["reader", "apprentice"], "knobs": {"writers": ["reader", "apprentice"]}}

    def gain(config: Any, records: Sequence[EpisodeRecord]) -> float:
        measures = {(one.row, one.name): one.value.mean for one in config.scheduler.measures(records)}
        return measures["apprentice > reader", "gain over its own memory"]

    assert over_seeds(played, "an apprentice's memory, to a reader", gain, ("cross-agent-transfer", agents)).low > 0


def test_contradictions_lower_what_is_answered_about_a_conversation(played):
    found = over_seeds(
        played, "noise - clean, conversations", measured("noise - clean"),
        ("adversarial-noise", {**TALKING, "knobs": {"ratio": 1}}),
    )  # fmt: skip
    assert found.high < 0


def test_a_scenario_that_is_asked_on_the_way_is_answered_from_the_sittings_so_far(played):
    along = {**TALKING, "env_options": {**TALKING["env_options"], "ask": "along"}}
    found = over_seeds(played, "reward a scenario", measured("reward a scenario"), ("scenario-declarative", along))
    assert found.low > 0.3


def test_reading_first_and_being_asked_later_is_as_good_as_both_in_one_for_an_agent_that_stores_all(played):
    found = over_seeds(
        played, "offline - isolated, conversations", reward, ("isolated", TALKING), ("offline-declarative", TALKING)
    )
    assert abs(found.mean) < 0.05
