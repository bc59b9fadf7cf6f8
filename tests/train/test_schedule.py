"""Which episodes a recipe plays, and what a group of rollouts shares."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memgym import registry
from memgym.records import Episode, EpisodeRecord
from memgym.registry import UnknownName
from memgym.rollout import make_env, play
from memgym.train.recipe import Recipe
from memgym.train.recipe_files import load_recipe
from memgym.train.schedule import (
    UnsharedGroup,
    check_group,
    held_out_settings,
    member_of,
    training_episodes,
    validation_episodes,
)

WORLD = {"documents": 12, "chunk_tokens": 200}


def recipe(*overrides: str) -> Recipe:
    said = {"name": "x", "env": {"options": WORLD}, "grpo": {"steps": 3, "batch": 2}, "validation": {"samples": 5}}
    made = Recipe.model_validate(said)
    return made.model_copy(update={"data": load_recipe("synthetic-cpu", overrides).data}) if overrides else made


def played(*episodes: Episode) -> list[EpisodeRecord]:
    """Episodes with a random player in place of the policy: what it does is what a member samples."""
    return play([replace(one, agent="random", agent_options={}, model=None) for one in episodes])


def test_there_is_one_episode_for_each_group_of_an_epoch() -> None:
    assert len(training_episodes(recipe())) == 6


def test_the_same_recipe_schedules_the_same_episodes() -> None:
    assert training_episodes(recipe()) == training_episodes(recipe())


def test_another_seed_schedules_others() -> None:
    other = recipe().model_copy(update={"seed": 1})
    assert not {one.sample for one in training_episodes(recipe())} & {one.sample for one in training_episodes(other)}


def test_what_is_validated_is_never_trained_on() -> None:
    made = recipe()
    assert {one.options["split"] for one in training_episodes(made)} == {"train"}
    assert {one.options["split"] for one in validation_episodes(made)} == {"validation"}
    assert held_out_settings(made)[""]["split"] == "test"


def test_a_curriculum_comes_in_its_order() -> None:
    made = recipe("data.schedule={name: curriculum, stages: [{options: {hops: 2}}, {options: {hops: 3, capacity: 3}}]}")
    assert [(one.options["hops"], one.options.get("capacity")) for one in training_episodes(made)] == [
        *[(2, None)] * 3,
        *[(3, 3)] * 3,
    ]


@pytest.mark.parametrize("name", [name for name in registry.names("protocol") if registry.load("protocol", name).keeps])
def test_a_schedule_whose_memories_are_not_known_before_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="curriculum or isolated"):
        training_episodes(recipe(f"data.schedule={{name: {name}}}"))


def test_an_unknown_knob_of_a_schedule_proposes_the_nearest() -> None:
    with pytest.raises(UnknownName, match="stages"):
        training_episodes(recipe("data.schedule={name: curriculum, stage: []}"))


def test_members_of_a_group_share_what_they_must() -> None:
    first = training_episodes(recipe())[0]
    records = played(*(member_of(first, member) for member in range(4)))
    check_group(records)
    assert len({record.group for record in records}) == 1
    assert len({record.start for record in records}) == 1


def test_members_of_a_group_differ_by_what_they_sample() -> None:
    first = training_episodes(recipe())[0]
    records = played(*(member_of(first, member) for member in range(4)))
    assert len({tuple(step.action for step in record.steps) for record in records}) == 4


def test_the_same_member_of_the_same_group_plays_the_same() -> None:
    first = member_of(training_episodes(recipe())[0], 1)
    again = replace(first, id="again")
    one, other = played(first, again)
    assert [step.action for step in one.steps] == [step.action for step in other.steps]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"seed": 5}, "sample, order and starting memory"),
        ({"sample": "train-0000001"}, "sample, order and starting memory"),
        ({"options": {**WORLD, "split": "train", "capacity": 2}}, "world"),
    ],
)
def test_rollouts_that_differ_in_more_are_no_group(change: dict[str, object], said: str) -> None:
    first, second = (member_of(training_episodes(recipe())[0], member) for member in range(2))
    with pytest.raises(UnsharedGroup, match=said):
        check_group(played(first, replace(second, **change)))  # type: ignore[arg-type]


def test_rollouts_that_start_with_another_memory_are_no_group() -> None:
    first, second = (member_of(training_episodes(recipe())[0], member) for member in range(2))
    memory = make_env(first.env, **first.options).memory
    memory.scratchpad = "known before"
    with pytest.raises(UnsharedGroup, match="starting memory"):
        check_group(played(first, replace(second, memory=memory.to_json())))


def test_one_member_twice_is_no_group() -> None:
    first = member_of(training_episodes(recipe())[0], 1)
    with pytest.raises(UnsharedGroup, match="not distinct"):
        check_group(played(first, replace(first, id="again")))
