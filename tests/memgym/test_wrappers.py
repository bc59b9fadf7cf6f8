"""Wrappers around an environment: one prompt for the texts, the fully observable twin, the recorder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from small_world import Colours, colours

from memgym.env import MemoryEnv
from memgym.operations import Action, Advance, Answer, Create, Delete, Read, Scratchpad
from memgym.records import read_records
from memgym.replay import replay
from memgym.spaces import Unicode
from memgym.wrappers import FullyObservable, PromptObservation, RecordEpisodes, render_prompt

WRITE = Action((Create("Mia lives in Oslo."), Scratchpad("my note")))


@pytest.fixture(scope="module")
def id() -> Iterator[str]:
    with colours() as id:
        yield id


# -------------------------------------------------------------------- prompt


def test_a_prompt_has_a_heading_for_every_part_that_is_not_empty() -> None:
    texts = {"task": "t", "observation": "o", "scratchpad": "", "memories": "m", "feedback": ""}
    assert render_prompt(texts) == "## Task\nt\n\n## Memories read\nm\n\n## Input\no"


def test_prompts_are_texts_of_the_space() -> None:
    env = PromptObservation(MemoryEnv(Colours()))
    first, _ = env.reset(seed=0)
    second, *_ = env.step(Action((Scratchpad("my \ud800 note"), Read("x"))))
    assert env.observation_space == Unicode()
    assert first in env.observation_space
    assert "my \ud800 note" in second


def test_a_prompt_holds_every_text_that_is_observed() -> None:
    env = PromptObservation(MemoryEnv(Colours(), advance="explicit"))
    env.reset(seed=0)
    env.step(WRITE)
    prompt, *_ = env.step(Action((Read("Oslo"), Delete("m9"))))
    texts = env.unwrapped.pomdp.texts  # type: ignore[attr-defined]
    assert all(texts.values())
    assert all(text in prompt for text in texts.values())


# -------------------------------------------------------------------- fully observable


def test_the_whole_memory_is_seen_without_asking() -> None:
    env = FullyObservable(MemoryEnv(Colours()))
    env.reset(seed=0)
    texts, *_ = env.step(WRITE)
    assert texts["memories"] == "[m1] Mia lives in Oslo."
    assert env.step(Action((Delete("m1"),)))[0]["memories"] == ""


def test_every_input_so_far_is_seen_once() -> None:
    env = FullyObservable(MemoryEnv(Colours(), advance="explicit"))
    first, _ = env.reset(seed=0)
    env.step("")
    second = env.step(Action((), Advance()))[0]
    inner = env.unwrapped.pomdp.texts  # type: ignore[attr-defined]
    assert second["observation"] == f"{first['observation']}\n\n{inner['observation']}"
    assert second in env.observation_space


def test_the_history_begins_anew_at_reset() -> None:
    env = FullyObservable(MemoryEnv(Colours()))
    first, _ = env.reset(seed=0)
    env.step(Action((), Advance()))
    assert env.reset(seed=0)[0] == first


def test_the_inner_environment_shows_what_it_always_does() -> None:
    inner = MemoryEnv(Colours())
    env = FullyObservable(inner)
    env.reset(seed=0)
    env.step(WRITE)
    assert inner.pomdp.texts["memories"] == ""


def test_the_twin_needs_a_memory_environment() -> None:
    other: Any = gymnasium.make("CartPole-v1")
    with pytest.raises(TypeError, match="MemoryEnv, not CartPoleEnv"):
        FullyObservable(other)


# -------------------------------------------------------------------- recorder


def win(env: gymnasium.Env[Any, Any], *first: str | Action, **reset: Any) -> None:
    env.reset(**reset)
    inner = env.unwrapped
    assert isinstance(inner, MemoryEnv)
    for action in first:
        env.step(action)
    while not inner.pomdp.over:
        env.step(Action((), inner.cheat()))


def recorded(id: str, path: Path, **options: Any) -> RecordEpisodes:
    return RecordEpisodes(gymnasium.make(id, **options), path)


def test_each_finished_episode_is_a_record_that_replays(id: str, tmp_path: Path) -> None:
    path = tmp_path / "deep" / "records.jsonl"
    env = recorded(id, path, encoder="hashing:32", things=2)
    for seed in range(3):
        win(env, WRITE, "<read_memory>Oslo</read_memory>", "free text \ud83d\ude00 \ud800", seed=seed)
    records = list(read_records(path))
    assert [record.episode.id for record in records] == ["by-hand/000000", "by-hand/000001", "by-hand/000002"]
    assert [record.outcome is not None and record.outcome.reward for record in records] == [1.0] * 3
    assert [(one.equal, one.difference) for one in replay(path)] == [(True, "")] * 3


def test_a_kept_or_frozen_memory_replays_too(id: str, tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    env = recorded(id, path)
    win(env, WRITE, seed=0)
    win(env, Action((Create("more"),)), seed=1, options={"memory": "keep"})
    win(env, WRITE, seed=2, options={"memory": "keep", "frozen": True})
    assert [one.equal for one in replay(path)] == [True] * 3
    last = list(read_records(path))[-1]
    assert last.episode.frozen
    assert last.steps[0].size == 2


def test_an_episode_without_a_seed_is_recorded_with_the_error(id: str, tmp_path: Path) -> None:
    env = recorded(id, tmp_path / "records.jsonl")
    win(env)
    (record,) = read_records(tmp_path / "records.jsonl")
    assert record.error is not None
    assert "without a seed" in record.error
    assert record.outcome is None


def test_an_episode_that_was_left_is_not_recorded(id: str, tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    env = recorded(id, path)
    env.reset(seed=0)
    env.step(WRITE)
    win(env, seed=1)
    assert [record.episode.seed for record in read_records(path)] == [1]


def test_steps_after_the_end_are_not_recorded(id: str, tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    env = recorded(id, path, things=1)
    win(env, seed=0)
    env.step(Action((), Answer("red")))
    (record,) = read_records(path)
    assert len(record.steps) == 2
    assert [one.equal for one in replay(path)] == [True]


def test_the_recorder_needs_an_id(tmp_path: Path) -> None:
    env = RecordEpisodes(MemoryEnv(Colours()), tmp_path / "records.jsonl")
    with pytest.raises(ValueError, match=r"gym\.make"):
        env.reset(seed=0)


def test_records_name_the_agent(id: str, tmp_path: Path) -> None:
    env = RecordEpisodes(gymnasium.make(id, render_mode="ansi"), tmp_path / "records.jsonl", "me")
    win(env, seed=0)
    (record,) = read_records(tmp_path / "records.jsonl")
    assert (record.episode.agent, record.episode.id) == ("me", "me/000000")
    assert "render_mode" not in record.episode.options


@pytest.mark.parametrize("wrapper", [PromptObservation, FullyObservable])
def test_a_wrapped_environment_can_be_made_again_from_its_spec(id: str, wrapper: Any) -> None:
    env = wrapper(gymnasium.make(id))
    again = gymnasium.make(env.spec)
    assert again.reset(seed=2)[0] == env.reset(seed=2)[0]


def test_a_recorder_around_a_prompt_records_the_same_episode(id: str, tmp_path: Path) -> None:
    win(RecordEpisodes(gymnasium.make(id), tmp_path / "plain.jsonl"), WRITE, seed=0)
    prompted: Any = PromptObservation(RecordEpisodes(gymnasium.make(id), tmp_path / "prompt.jsonl"))
    win(prompted, WRITE, seed=0)
    assert (tmp_path / "plain.jsonl").read_bytes() == (tmp_path / "prompt.jsonl").read_bytes()
