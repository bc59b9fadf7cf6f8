"""The structured view: numbers for operations, one to one, through the same step as text."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import SyncVectorEnv
from hypothesis import given, settings
from hypothesis import strategies as st

import memgym
from memgym.env import MemoryEnv
from memgym.operations import Action, Advance, Create, Delete, Read, Scratchpad, Update
from memgym.records import read_records
from memgym.replay import replay
from memgym.rollout import make_env
from memgym.structured import StructuredMemory, make_view, sentences
from memgym.wrappers import RecordEpisodes

ID = "MemGym/Synthetic-tiny"
SLOTS = 4
decisions = st.lists(st.integers(0, 1 + 2 * SLOTS), min_size=12, max_size=12)


def view(**options: Any) -> StructuredMemory:
    return make_view(ID, lexicon=("employs", "hosts"), **options)


def play(env: StructuredMemory, chosen: list[int], seed: int) -> list[Any]:
    """Return what is seen of an episode of these decisions."""
    seen: list[Any] = [env.reset(seed=seed)[0].tobytes()]
    for one in chosen:
        vector, reward, terminated, truncated, info = env.step(one)
        seen.append((vector.tobytes(), reward, terminated, truncated, info["status"]))
    return seen


def perfect(env: StructuredMemory, seed: int) -> float:
    """Play by a look at the evidence: keep what the question needs."""
    env.reset(seed=seed)
    inner = env.unwrapped
    assert isinstance(inner, MemoryEnv)
    while True:
        [question] = inner.pomdp.sample.questions
        _, reward, terminated, *_ = env.step(1 if env.sentence in question.evidence else 0)
        if terminated:
            return reward


# -------------------------------------------------------------------- spaces


def test_it_passes_gymnasiums_check() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*different from the unwrapped version.*")
        check_env(view(), skip_render_check=True)


def test_there_is_one_action_for_a_skip_one_for_a_create_and_two_a_slot() -> None:
    assert view(capacity=7).action_space == gymnasium.spaces.Discrete(16)


@given(chosen=decisions, seed=st.integers(0, 1000))
@settings(max_examples=25)
def test_every_observation_lies_in_the_space(chosen: list[int], seed: int) -> None:
    env = view()
    vector, _ = env.reset(seed=seed)
    for one in chosen:
        assert vector in env.observation_space
        vector, *_ = env.step(one)
    assert vector in env.observation_space


@given(chosen=decisions, seed=st.integers(0, 1000))
@settings(max_examples=15)
def test_the_same_seed_and_decisions_are_the_same_episode(chosen: list[int], seed: int) -> None:
    assert play(view(), chosen, seed) == play(view(), chosen, seed)


def test_gymnasium_batches_it() -> None:
    env = SyncVectorEnv([view, view])
    vectors, _ = env.reset(seed=3)
    assert vectors.shape == (2, *view().observation_space.shape)  # type: ignore[misc]
    assert env.step(np.array([1, 0]))[0].shape == vectors.shape


# -------------------------------------------------------------------- numbers and text


@given(chosen=decisions, seed=st.integers(0, 1000))
@settings(max_examples=25)
def test_every_number_is_an_action_and_a_text_that_stand_for_it(chosen: list[int], seed: int) -> None:
    env = view()
    env.reset(seed=seed)
    for one in chosen:
        for index in range(2 + 2 * SLOTS):
            assert env.from_action(env.to_action(index)) == index
            assert env.from_text(env.to_text(index)) == index
        env.step(one)


def test_the_text_is_that_of_the_dialect() -> None:
    env = view()
    env.reset(seed=1)
    said = env.sentence
    assert env.to_text(1) == f"<create_memory>{said}</create_memory>"
    env.step(1)
    assert env.to_text(2) == f'<update_memory id="m1">{env.sentence}</update_memory>'
    assert env.to_text(2 + SLOTS) == '<delete_memory id="m1"/>'
    assert env.to_text(0) == ""


def test_the_last_decision_of_a_chunk_reads_on() -> None:
    env = view()
    env.reset(seed=1)
    for at in range(4):
        assert (env.to_action(0).command == Advance()) == (at == 3)
        env.step(0)


@pytest.mark.parametrize(
    "action",
    [
        Action((Create("another text"),)), Action((Create("a"), Create("b"))), Action((Read("x"),)),
        Action((Scratchpad("x"),)), Action((Update("m9", "x"),)), Action((Delete("m9"),)), Action((), Advance()),
    ],
)  # fmt: skip
def test_an_action_that_no_number_stands_for_is_a_value_error(action: Action) -> None:
    env = view()
    env.reset(seed=1)
    with pytest.raises(ValueError, match="No decision on"):
        env.from_action(action)


@pytest.mark.parametrize("index", [-1, 2 + 2 * SLOTS])
def test_a_number_outside_the_space_is_a_value_error(index: int) -> None:
    env = view()
    env.reset(seed=1)
    with pytest.raises(ValueError, match="a number from 0 to 9 was expected"):
        env.step(index)


@given(chosen=decisions, seed=st.integers(0, 1000))
@settings(max_examples=10)
def test_the_record_of_a_structured_play_replays_byte_for_byte_as_text(
    tmp_path_factory: pytest.TempPathFactory, chosen: list[int], seed: int
) -> None:
    path = tmp_path_factory.mktemp("records") / "records.jsonl"
    env = StructuredMemory(RecordEpisodes(gymnasium.make(ID, advance="explicit"), path, agent="structured"))
    env.reset(seed=seed)
    for one in chosen:
        env.step(one)
    [again] = replay(path)
    assert again.equal, again.difference


@given(chosen=decisions, seed=st.integers(0, 1000))
@settings(max_examples=15)
def test_the_same_decisions_as_text_leave_the_same_state(chosen: list[int], seed: int) -> None:
    env, plain = view(), make_env(ID, advance="explicit")
    env.reset(seed=seed)
    plain.reset(seed=seed)
    inner = env.unwrapped
    assert isinstance(inner, MemoryEnv)
    for at, one in enumerate(chosen):
        text = env.to_text(one)
        env.step(one)
        plain.step(text)
        if at < len(chosen) - 1:
            assert inner.get_state() == plain.get_state()
            assert inner.pomdp.texts == plain.pomdp.texts


# -------------------------------------------------------------------- statuses and masks


def test_a_slot_without_an_entry_is_a_status() -> None:
    env = view()
    env.reset(seed=1)
    assert env.step(2)[-1]["status"] == "unknown_id"
    assert env.step(2 + SLOTS)[-1]["status"] == "unknown_id"


def test_a_create_without_a_free_slot_is_a_status() -> None:
    env = view()
    env.reset(seed=1)
    assert [env.step(1)[-1]["status"] for _ in range(5)] == ["ok"] * 4 + ["over_capacity"]


@pytest.mark.parametrize(("preset", "index"), [("w/o update", 2), ("w/o delete", 2 + SLOTS)])
def test_a_masked_operation_is_a_status_and_leaves_the_memory_as_it_was(preset: str, index: int) -> None:
    env = view(operations=preset)
    env.reset(seed=1)
    env.step(1)
    held = env.entries
    assert env.step(index)[-1]["status"] == "masked"
    assert env.entries == held
    assert not env.action_masks()[index]


def test_action_masks_are_what_would_end_well() -> None:
    env = view()
    env.reset(seed=1)
    assert env.action_masks().tolist() == [True, True] + [False] * 8
    for _ in range(SLOTS):
        env.step(1)
    assert env.action_masks().tolist() == [True, False] + [True] * 8


# -------------------------------------------------------------------- the reader


def test_keeping_the_evidence_is_answered_rightly_by_the_reader() -> None:
    env = view()
    assert [perfect(env, seed) for seed in range(20)] == [1.0] * 20


def test_a_memory_without_the_evidence_is_answered_unknown() -> None:
    env = view()
    env.reset(seed=1)
    for _ in range(11):
        env.step(0)
    *_, terminated, _, info = env.step(0)
    assert terminated
    assert info["outcome"].predictions == ("unknown",)


def test_the_reader_sees_no_more_entries_than_there_are_slots_and_the_newest_last() -> None:
    seen: list[str] = []

    def reader(question: str, text: str) -> str:
        seen.append(text)
        return "x"

    env = view(reader=reader)
    env.reset(seed=1)
    first, *_ = env.sentence, env.step(1)
    second, *_ = env.sentence, env.step(1)
    slot = [entry.text for entry in env.entries].index(first)
    third, *_ = env.sentence, env.step(2 + slot)
    for _ in range(9):
        env.step(0)
    [text] = seen
    assert set(text.splitlines()) <= {second, third}
    assert first not in text
    assert text.splitlines() == [one for one in (second, third) if one in text]


def test_without_read_the_reader_is_given_nothing() -> None:
    env = view(operations="create,update,delete")
    assert perfect(env, 1) == 0.0


def test_a_reader_may_be_a_function() -> None:
    env = view(reader=lambda question, text: json.dumps([question, text]))
    env.reset(seed=2)
    question = env.question
    for _ in range(11):
        env.step(0)
    assert env.step(0)[-1]["outcome"].predictions == (json.dumps([question, ""]),)


# -------------------------------------------------------------------- what it goes around


@pytest.mark.parametrize(
    ("options", "said"),
    [({"advance": "explicit"}, "give the environment capacity=4"), ({"capacity": 4}, 'needs advance="explicit"')],
)
def test_an_environment_without_slots_or_single_steps_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        StructuredMemory(make_env("MemGym/Synthetic-50doc", **options))


def test_something_else_than_a_memory_environment_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="goes around a MemoryEnv"):
        StructuredMemory(gymnasium.make("CartPole-v1"))  # type: ignore[arg-type]


def test_it_goes_around_any_reading_task() -> None:
    env = make_view("MemGym/Synthetic-50doc", documents=12, chunk_tokens=500, capacity=6)
    env.reset(seed=0)
    steps = 0
    while env.sentence:
        env.step(1 if steps < 6 else 0)
        steps += 1
    assert steps > 80


def test_text_is_cut_at_full_stops_of_any_script_and_at_line_breaks() -> None:
    assert sentences("A b. C d!  E\n\nF。G？ h 🦊\ud800\x00.") == ["A b.", "C d!", "E", "F。", "G？", "h 🦊\ud800\x00."]
    assert sentences(" \n ") == []


def test_records_name_the_environment_that_was_played(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    env = StructuredMemory(RecordEpisodes(gymnasium.make(ID, advance="explicit"), path, agent="structured"))
    env.reset(seed=0)
    for _ in range(12):
        env.step(1)
    [record] = read_records(path)
    assert (record.episode.env, record.episode.agent) == (ID, "structured")
    assert record.outcome is not None
    assert memgym.names("environment").count(ID) == 1
