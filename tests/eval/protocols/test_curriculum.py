"""Stages of growing difficulty: what each is made of, and that it is scored by itself."""

from __future__ import annotations

from typing import Any

import pytest

from memgym import registry
from memgym.eval.config import RunConfig, plan_of
from memgym.records import Episode

STAGES = [{"options": {"documents": 12}}, {"options": {"documents": 20, "capacity": 3}, "weight": 2}]
WORLD: dict[str, Any] = {"env": "MemGym/Synthetic-50doc", "agents": ["bm25-rag"], "model": "rules", "episodes": 6}


def scheduled(stages: list[dict[str, Any]], episodes: int = 6) -> list[Episode]:
    config = RunConfig.model_validate(
        {
            **WORLD,
            "agents": [{"agent": "bm25-rag"}],
            "episodes": episodes,
            "protocol": {"name": "curriculum", "stages": stages},
        }
    )
    return [one for lane in config.scheduler.lanes(plan_of(config)) for batch in lane for one in batch]


def test_stages_follow_each_other_in_proportion_to_their_weights() -> None:
    assert [one.tags["stage"] for one in scheduled(STAGES)] == ["0", "0", "1", "1", "1", "1"]


def test_an_episode_is_played_under_the_options_of_its_stage() -> None:
    assert {
        (one.tags["stage"], one.options["documents"], one.options.get("capacity")) for one in scheduled(STAGES)
    } == {
        ("0", 12, None),
        ("1", 20, 3),
    }


def test_no_sample_is_in_two_stages() -> None:
    samples = [one.sample for one in scheduled(STAGES)]
    assert len(set(samples)) == len(samples)


@pytest.mark.parametrize("count", [1, 2, 5, 7])
def test_every_episode_is_in_a_stage_however_few_there_are(count: int) -> None:
    assert len(scheduled([*STAGES, {"weight": 0.1}], count)) == count


def test_without_stages_it_schedules_what_isolated_does() -> None:
    isolated = registry.load("protocol", "isolated")()
    config = RunConfig.model_validate({**WORLD, "agents": [{"agent": "bm25-rag"}]})
    expected = [one for lane in isolated.lanes(plan_of(config)) for batch in lane for one in batch]
    assert [(one.sample, one.seed, one.options) for one in scheduled([])] == [
        (one.sample, one.seed, one.options) for one in expected
    ]


def test_each_stage_is_scored_by_itself(played) -> None:
    config, records = played("curriculum", knobs={"stages": STAGES}, **WORLD)
    names = {measure.name: measure.value.n for measure in config.scheduler.measures(records)}
    assert names == {"reward, stage 1": 2, "reward, stage 2": 4}
