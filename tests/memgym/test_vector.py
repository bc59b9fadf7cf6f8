"""MemoryVectorEnv is a SyncVectorEnv of the same environments, but for one encoder call a step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from small_world import Colours, CountingEncoder, colours, registered

from memgym.env import MemoryEnv
from memgym.operations import Action, Advance, Answer, Create, Read
from memgym.pomdp import TEXTS
from memgym.registry import UnknownName
from memgym.vector import MemoryVectorEnv

MODES = list(AutoresetMode)
NUMBER = 3
OPTIONS: dict[str, Any] = {"things": 2, "encoder": "hashing:32", "k": 2}


@pytest.fixture(scope="module")
def id() -> Iterator[str]:
    names = {"counting": "small_world:CountingEncoder", "sided": "small_world:SidedEncoder"}
    with colours() as id, registered("encoder", **names):
        yield id


def pair(id: str, mode: AutoresetMode, **options: Any) -> tuple[MemoryVectorEnv, SyncVectorEnv]:
    options = {**OPTIONS, **options}
    ours = MemoryVectorEnv(NUMBER, benchmark="Colours", autoreset_mode=mode, **options)
    theirs = SyncVectorEnv([lambda: MemoryEnv("Colours", **options)] * NUMBER, autoreset_mode=mode)
    return ours, theirs


def same(one: Any, two: Any) -> bool:
    """Whether two values of any depth are equal, arrays and their types included."""
    if isinstance(one, np.ndarray):
        return (
            isinstance(two, np.ndarray) and one.dtype == two.dtype and one.shape == two.shape
            and all(same(a, b) for a, b in zip(one.ravel().tolist(), two.ravel().tolist(), strict=True))
        )  # fmt: skip
    if isinstance(one, dict):
        return isinstance(two, dict) and one.keys() == two.keys() and all(same(one[name], two[name]) for name in one)
    if isinstance(one, tuple):
        return isinstance(two, tuple) and len(one) == len(two) and all(map(same, one, two))
    return bool(one == two)


def actions(step: int) -> tuple[str, ...]:
    """What each of the environments does: they end at different steps."""
    texts = [
        "",
        f"<create_memory>note {step}</create_memory><read_memory>note</read_memory>",
        f"<create_memory>red {step}</create_memory><answer>red</answer>",
        "<answer>green</answer><read_memory by='text'>red</read_memory>",
        "<delete_memory id='#1'/><scratchpad>seen</scratchpad><read_memory k='1'>note red</read_memory>",
    ]
    return tuple(texts[(step * (i + 1) + i) % len(texts)] for i in range(NUMBER))


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize(
    "options", [{}, {"reads": "persistent"}, {"max_steps": 2}, {"encoder": None}, {"advance": "explicit"}]
)
def test_it_is_a_sync_vector_env(id: str, mode: AutoresetMode, options: dict[str, Any]) -> None:
    ours, theirs = pair(id, mode, **options)
    assert same(ours.reset(seed=7), theirs.reset(seed=7))
    ends = 0
    for step in range(25):
        mine, gyms = ours.step(actions(step)), theirs.step(actions(step))
        assert same(mine, gyms), step
        ends += int((mine[2] | mine[3]).sum())
    assert ends > 0 or options == {"advance": "explicit"}


def test_it_is_a_sync_vector_env_that_is_reset_by_hand(id: str) -> None:
    ours, theirs = pair(id, AutoresetMode.DISABLED)
    assert same(ours.reset(seed=7), theirs.reset(seed=7))
    for step in range(25):
        mine, gyms = ours.step(actions(step)), theirs.step(actions(step))
        assert same(mine, gyms)
        over = mine[2] | mine[3]
        if over.any():
            options = [{"reset_mask": over.copy(), "memory": "keep"} for _ in range(2)]
            assert same(ours.reset(seed=step, options=options[0]), theirs.reset(seed=step, options=options[1]))


def test_a_reset_mask_leaves_the_other_episodes_alone() -> None:
    envs = MemoryVectorEnv(2, benchmark=Colours(), autoreset_mode="Disabled")
    envs.reset(seed=0)
    envs.step(("<scratchpad>a</scratchpad>", "<scratchpad>b</scratchpad>"))
    texts, infos = envs.reset(options={"reset_mask": np.array([True, False])})
    assert texts["scratchpad"] == ("", "b")
    assert infos["_step"].tolist() == [True, False]


@pytest.mark.parametrize("mask", [np.array([False, False]), np.array([True]), [True, False, True]])
def test_a_reset_mask_of_nothing_or_of_another_size_is_an_error(mask: Any) -> None:
    envs = MemoryVectorEnv(2, benchmark=Colours())
    envs.reset(seed=0)
    with pytest.raises(ValueError, match="reset_mask"):
        envs.reset(options={"reset_mask": mask})


def test_a_reset_mask_before_the_first_reset_is_an_error() -> None:
    envs = MemoryVectorEnv(2, benchmark=Colours())
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.reset(options={"reset_mask": np.array([True, False])})


def test_reset_options_are_given_to_every_episode_and_left_as_they_were() -> None:
    envs = MemoryVectorEnv(2, benchmark=Colours())
    options = {"sample": "s3", "reset_mask": np.array([True, True])}
    envs.reset(seed=0)
    envs.reset(options=options)
    assert [env.pomdp.sample.id for env in envs.envs] == ["s3", "s3"]
    assert set(options) == {"sample", "reset_mask"}


@pytest.mark.parametrize("seed", [7, [7, 8], [7, None]])
def test_each_episode_has_a_seed_of_its_own(seed: int | Sequence[int | None]) -> None:
    envs = MemoryVectorEnv(2, benchmark=Colours())
    texts, infos = envs.reset(seed=seed)
    alone = MemoryEnv(Colours()).reset(seed=7)
    assert texts["observation"][0] == alone[0]["observation"]
    assert infos["group"][0] == alone[1]["group"] != infos["group"][1]


def test_seeds_of_another_number_are_an_error() -> None:
    with pytest.raises(ValueError, match="3 seeds were given for 2"):
        MemoryVectorEnv(2, benchmark=Colours()).reset(seed=[1, 2, 3])


@pytest.mark.parametrize("actions", [(), ("",), ("", "", "")])
def test_actions_of_another_number_are_an_error(actions: tuple[str, ...]) -> None:
    envs = MemoryVectorEnv(2, benchmark=Colours())
    envs.reset(seed=0)
    with pytest.raises(ValueError, match="actions were given for 2"):
        envs.step(actions)


def test_one_text_is_not_taken_for_an_action_a_character() -> None:
    envs = MemoryVectorEnv(2, benchmark=Colours())
    envs.reset(seed=0)
    with pytest.raises(TypeError, match="one action for each"):
        envs.step("ab")


def test_no_environment_at_all_is_an_error() -> None:
    with pytest.raises(ValueError, match="num_envs is 0"):
        MemoryVectorEnv(0, benchmark=Colours())


def test_an_unknown_autoreset_mode_proposes_the_nearest() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'NextStep'"):
        MemoryVectorEnv(1, benchmark=Colours(), autoreset_mode="NextSteps")


@pytest.mark.parametrize("mode", ["SameStep", "SAME_STEP", "same_step", AutoresetMode.SAME_STEP])
def test_an_autoreset_mode_is_taken_by_any_of_its_names(mode: str | AutoresetMode) -> None:
    envs = MemoryVectorEnv(1, benchmark=Colours(), autoreset_mode=mode)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP


def test_memories_of_the_episodes_are_apart() -> None:
    envs = MemoryVectorEnv(3, benchmark=Colours(), encoder="hashing:32")
    envs.reset(seed=0)
    envs.step([Action((Create(f"red {i}"), Read("red"))) for i in range(3)])
    assert [[entry.text for entry in env.memory.entries()] for env in envs.envs] == [["red 0"], ["red 1"], ["red 2"]]
    assert [len(env.pomdp.seen.memories) for env in envs.envs] == [1, 1, 1]


# -------------------------------------------------------------------- one encoder call a step


def calls_of_a_step(envs: MemoryVectorEnv, actions: Sequence[str | Action]) -> list[list[str]]:
    CountingEncoder.calls.clear()
    envs.step(actions)
    return [list(call) for call in CountingEncoder.calls]


def test_a_step_makes_one_encoder_call_for_all_episodes(id: str) -> None:
    envs = MemoryVectorEnv(3, benchmark="Colours", encoder="counting:33")
    envs.reset(seed=0)
    calls = calls_of_a_step(
        envs, [Action((Create(f"one {i}"), Create(f"two {i}"), Read(f"query {i}"))) for i in range(3)]
    )
    assert [sorted(call) for call in calls] == [
        sorted(f"{word} {i}" for word in ("one", "two", "query") for i in range(3))
    ]


def test_an_encoder_that_tells_queries_apart_is_called_once_for_each_side(id: str) -> None:
    envs = MemoryVectorEnv(3, benchmark="Colours", encoder="sided:34")
    envs.reset(seed=0)
    calls = calls_of_a_step(envs, [Action((Create(f"one {i}"), Read(f"query {i}"))) for i in range(3)])
    assert calls == [["one 0", "one 1", "one 2"], ["query 0", "query 1", "query 2"]]


def test_what_was_encoded_is_not_encoded_again(id: str) -> None:
    envs = MemoryVectorEnv(2, benchmark="Colours", encoder="counting:35")
    envs.reset(seed=0)
    envs.step([Action((Create("one"), Read("query"))), Action((Create("one"),))])
    assert calls_of_a_step(envs, [Action((Read("query"),)), Action((Read("query"),))]) == []


def test_persistent_reads_are_encoded_in_the_same_call(id: str) -> None:
    envs = MemoryVectorEnv(2, benchmark="Colours", encoder="counting:36", reads="persistent")
    envs.reset(seed=0)
    envs.step([Action((Create("zero"), Read("query 0"))), Action((Create("zero"), Read("query 1")))])
    calls = calls_of_a_step(envs, [Action((Create("new 0"),)), Action((Create("new 1"),))])
    assert calls == [["new 0", "new 1"]]


@pytest.mark.parametrize("read", [Read("query", by="text"), Read(" "), Read("query", store="nowhere")])
def test_a_step_that_needs_no_vector_makes_no_call(id: str, read: Read) -> None:
    envs = MemoryVectorEnv(2, benchmark="Colours", encoder="counting:37")
    envs.reset(seed=0)
    assert calls_of_a_step(envs, [Action((Create("one"), read)), "<create_memory>two</create_memory>"]) == []


# -------------------------------------------------------------------- Gymnasium


@pytest.mark.parametrize("mode", MODES)
def test_make_vec_builds_it(id: str, mode: AutoresetMode) -> None:
    envs = gymnasium.make_vec(id, num_envs=2, vectorization_mode="vector_entry_point", things=2, autoreset_mode=mode)
    assert isinstance(envs.unwrapped, MemoryVectorEnv)
    assert envs.metadata["autoreset_mode"] is mode
    texts, _ = envs.reset(seed=0)
    assert texts in envs.observation_space
    sampled = envs.action_space.sample()
    assert sampled in envs.action_space
    texts, rewards, terminated, truncated, _ = envs.step(sampled)
    assert texts in envs.observation_space
    assert (rewards.dtype, terminated.dtype, truncated.dtype) == (np.float64, np.bool_, np.bool_)
    envs.close()


def test_make_vec_builds_gymnasiums_own_too(id: str) -> None:
    ours = gymnasium.make_vec(id, num_envs=2, vectorization_mode="vector_entry_point", things=2)
    sync = gymnasium.make_vec(id, num_envs=2, vectorization_mode="sync", things=2)
    assert same(ours.reset(seed=3)[0], sync.reset(seed=3)[0])
    assert ours.single_observation_space == sync.single_observation_space
    assert ours.observation_space == sync.observation_space
    assert ours.action_space == sync.action_space
    ours.close()
    sync.close()


def test_it_plays_in_processes_without_shared_memory(id: str) -> None:
    ours = MemoryVectorEnv(2, benchmark="Colours", things=2)
    apart = AsyncVectorEnv([lambda: MemoryEnv("Colours", things=2)] * 2, shared_memory=False)
    try:
        assert same(ours.reset(seed=3)[0], apart.reset(seed=3)[0])
        for step in range(4):
            texts = ("", f"<create_memory>x {step}</create_memory><read_memory>x</read_memory>")
            assert same(ours.step(texts)[:4], apart.step(texts)[:4])
    finally:
        apart.close()


def test_each_episode_is_rendered() -> None:
    envs = MemoryVectorEnv(2, benchmark=Colours(), render_mode="ansi")
    envs.reset(seed=0)
    envs.step([Action((), Advance()), Action((Create("x"),), Answer("red"))])
    screens = envs.render()
    assert screens is not None
    assert ["step 1" in screen for screen in screens] == [True, True]


def test_texts_have_the_same_names_as_those_of_one_episode() -> None:
    assert tuple(MemoryVectorEnv(1, benchmark=Colours()).reset(seed=0)[0]) == TEXTS
