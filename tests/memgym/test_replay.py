"""A record that was played again is the same line; one that was tampered with is found, and where is named."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from small_world import colours, registered

from memgym.env import MemoryEnv
from memgym.memory import Memory, Write
from memgym.operations import Create
from memgym.records import Episode, EpisodeRecord
from memgym.replay import Replayed, play_again, replay
from memgym.rollout import Cast, begin, finish, take

ACTIONS = [
    "<create_memory>Mia lives in Oslo.</create_memory><delete_memory id='m9'/>",
    "<read_memory>Oslo</read_memory> \U0001f600 \ud800 \x00",
    "<update_memory id='#1'>Mia lives in 東京.</update_memory>",
    "", "<create_memory>cut off", "<scratchpad>x</scratchpad><answer>red</answer>", "", "<answer>blue</answer>",
]  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def names() -> Iterator[None]:
    with colours(), registered("encoder", other="small_world:CountingEncoder"):
        yield


def played(actions: list[str] = ACTIONS, error: str | None = None, **fields: Any) -> EpisodeRecord:
    """The record of an episode of these actions, as far as they lead."""
    given = {"options": {"encoder": "hashing:32"}, **fields}
    episode = Episode(f"hand/{len(actions)}", "MemGym/Colours", "by-hand", 5, **given)
    env = Cast().env(episode)
    first = begin(env, episode)
    steps = []
    for action in actions:
        if not env.pomdp.over:
            steps.append(take(env, action))
    return finish(env, episode, first, steps, privileged=False, error=error)


def file(path: Path, *lines: str) -> Path:
    path.write_text("".join(line + "\n" for line in lines), "utf-8")
    return path


def again(path: Path, record: EpisodeRecord, *changes: Callable[[Any], object]) -> Replayed:
    data = json.loads(record.line())
    for change in changes:
        change(data)
    (result,) = replay(file(path / "records.jsonl", json.dumps(data, separators=(",", ":"))))
    return result


def test_a_record_comes_out_the_same_byte_for_byte(tmp_path: Path) -> None:
    assert again(tmp_path, played()) == Replayed("hand/8", True)


@pytest.mark.parametrize("count", range(len(ACTIONS)))
def test_an_episode_that_failed_is_compared_up_to_its_error(tmp_path: Path, count: int) -> None:
    assert again(tmp_path, played(ACTIONS[:count], error="ValueError: no")).equal


@pytest.mark.parametrize(
    "fields",
    [
        {"sample": "s3"},
        {"frozen": True},
        {"options": {"things": 2, "reads": "persistent", "operations": ["read", "create"], "max_steps": 3}},
        {"options": {"stores": ["a", "b"], "show_budget": True, "capacity": 2, "max_tokens": 30}},
        {"tags": {"phase": "test"}},
        {"options": {"dialect": "atommem"}},
    ],
)
def test_episodes_of_any_setting_come_out_the_same(tmp_path: Path, fields: dict[str, Any]) -> None:
    assert again(tmp_path, played(**fields)).equal


def test_a_starting_memory_comes_out_the_same(tmp_path: Path) -> None:
    memory = Memory()
    memory.apply(Create("Mia was in Rome. \ud800"), Write("before", 1, "create", 1))
    memory.tick()
    assert again(tmp_path, played(memory=memory.to_json())).equal


def test_records_are_replayed_one_after_another_in_one_environment(tmp_path: Path) -> None:
    lines = [played(ACTIONS[:count]).line() for count in (8, 3, 5)]
    assert [one.equal for one in replay(file(tmp_path / "r.jsonl", *lines))] == [True] * 3


# -------------------------------------------------------------------- tampering


def step(number: int, name: str, value: Any) -> Callable[[Any], None]:
    def change(data: Any) -> None:
        data["steps"][number - 1][name] = value

    return change


def field(name: str, value: Any) -> Callable[[Any], None]:
    def change(data: Any) -> None:
        data[name] = value

    return change


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (
            step(1, "action", "<create_memory>Mia lives in Rome.</create_memory><delete_memory id='m9'/>"),
            "step 2, observation",
        ),
        (step(1, "results", []), "step 1, results"),
        (step(2, "shown", []), "step 2, shown"),
        (step(3, "observation", "00"), "step 3, observation"),
        (step(4, "reward", 1.0), "step 4, reward"),
        (step(5, "size", 7), "step 5, size"),
        (step(6, "tokens", [1, 1]), "step 6, tokens"),
        (field("start", "00"), "start: recorded '00'"),
        (field("start_tokens", 1), "start_tokens"),
        (field("memory", "00"), "memory"),
        (field("group", "other"), "group"),
        (field("sample", "s19"), "sample"),
        (field("terminated", False), "terminated"),
        (field("truncated", True), "truncated"),
        (field("setting", {}), "setting"),
        (lambda data: data["outcome"].update(reward=0.25), "outcome"),
        (lambda data: data["outcome"].update(predictions=["blue"]), "outcome"),
        (lambda data: data["steps"].pop(), "outcome"),
        (lambda data: data["episode"].update(seed=6), "step 1, "),
        (lambda data: data["episode"].update(sample="s3"), "step "),
        (lambda data: data["episode"]["options"].update(k=1), "setting"),
        (lambda data: data.update(outcome=None), "outcome"),
    ],
)
def test_a_record_that_was_tampered_with_is_found_and_named(
    tmp_path: Path, change: Callable[[Any], object], named: str
) -> None:
    result = again(tmp_path, played(), change)
    assert not result.equal
    assert result.difference.startswith(named)


def test_one_tampered_record_does_not_hide_the_others(tmp_path: Path) -> None:
    good = played()
    bad = json.dumps({**json.loads(good.line()), "memory": "00"})
    found = list(replay(file(tmp_path / "r.jsonl", good.line(), bad, good.line())))
    assert [one.equal for one in found] == [True, False, True]


def test_the_first_difference_is_the_one_that_is_named(tmp_path: Path) -> None:
    assert again(tmp_path, played(), step(5, "size", 9), step(2, "size", 9)).difference.startswith("step 2, size")


def test_another_spelling_of_the_same_record_is_a_difference_of_form(tmp_path: Path) -> None:
    line = played().line().replace('"reward":0.0', '"reward":0', 1)
    (result,) = replay(file(tmp_path / "r.jsonl", line))
    assert (result.equal, result.difference) == (False, "the lines differ in form only")


def test_no_agent_is_asked() -> None:
    record = played()
    assert record.episode.agent == "by-hand"
    assert play_again(replace(record, episode=replace(record.episode, model="none"))).steps == record.steps


def test_what_only_the_agent_knows_is_carried_over() -> None:
    record = replace(played(ACTIONS[:2]), privileged=True, error="ModelError: away", outcome=None)
    assert play_again(record) == record


def test_an_environment_is_given_back_after_a_replay() -> None:
    cast = Cast()
    record = played()
    play_again(record, cast)
    env = cast.env(record.episode)
    assert isinstance(env, MemoryEnv)
    assert env.pomdp.steps == len(record.steps)
