"""With which memory an episode starts, and what a fork of an episode shares with it: nothing."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from small_world import Colours

from memgym.env import MemoryEnv
from memgym.memory import Memory, Write
from memgym.memory.encoders import HashingEncoder
from memgym.memory.journal import DurableMemory
from memgym.operations import Act, Action, Advance, Create, Delete, Operation, Read, Scratchpad
from memgym.registry import UnknownName

WRITES = Action((Create("Mia lives in Oslo."), Create("Ben has a bicycle."), Scratchpad("note")))


def env(**options: Any) -> MemoryEnv:
    made = MemoryEnv(Colours(), **options)
    made.reset(seed=0)
    return made


def written(**options: Any) -> MemoryEnv:
    made = env(**options)
    made.step(WRITES)
    return made


def texts(made: MemoryEnv) -> list[str]:
    return [entry.text for entry in made.memory.entries()]


def statuses(made: MemoryEnv, *operations: Operation) -> list[str]:
    made.step(Action(operations))
    return [str(result.status) for result in made.pomdp.seen.results]


# -------------------------------------------------------------------- where a memory comes from


@pytest.mark.parametrize("options", [None, {}, {"memory": "fresh"}])
def test_memory_is_empty_at_reset(options: dict[str, Any] | None) -> None:
    made = written()
    first, info = made.reset(seed=0, options=options)
    assert (texts(made), first["scratchpad"], info["memory/size"], made.memory.clock) == ([], "", 0, 0)
    assert made.memory.apply(Create("x"), Write("e", 1, "create", 1)).ids == ("m1",)


def test_a_kept_memory_goes_on() -> None:
    made = written()
    first, info = made.reset(seed=1, options={"memory": "keep"})
    assert (len(texts(made)), first["scratchpad"], info["memory/size"]) == (2, "note", 2)
    made.step(Action((Create("third"),)))
    assert [entry.id for entry in made.memory.entries()] == ["m1", "m2", "m3"]


def test_the_clock_of_a_kept_memory_counts_over_episodes() -> None:
    made = written()
    made.reset(seed=1, options={"memory": "keep"})
    made.step(Action((Create("third"),)))
    assert [(entry.created.step, entry.created.clock) for entry in made.memory.entries()] == [(1, 1), (1, 1), (1, 2)]


def test_what_was_read_before_a_reset_is_not_shown_after_it_even_if_memory_is_kept() -> None:
    made = written(reads="persistent")
    made.step(Action((Read("Oslo"), Delete("m9"))))
    first, info = made.reset(seed=1, options={"memory": "keep"})
    assert (first["memories"], first["feedback"]) == ("", "")
    assert (info["observation"].memories, info["observation"].results, info["step"]) == ((), (), 0)
    assert made.step("")[0]["memories"] == ""


def test_a_given_memory_is_the_one_that_is_used() -> None:
    memory = Memory()
    made = env()
    made.reset(seed=0, options={"memory": memory})
    made.step(WRITES)
    assert made.memory is memory
    assert len(memory) == 2


def test_a_durable_memory_can_be_given(tmp_path: Path) -> None:
    made = env()
    with DurableMemory(tmp_path / "memory.sqlite") as memory:
        made.reset(seed=0, options={"memory": memory})
        made.step(WRITES)
    with DurableMemory(tmp_path / "memory.sqlite") as again:
        assert len(again) == 2


def test_a_snapshot_is_copied_and_not_used_up() -> None:
    made = written()
    kept, before = made.memory.snapshot(), made.memory.digest()
    for _ in range(2):
        made.reset(seed=0, options={"memory": kept})
        assert made.memory.digest() == before
        made.step(Action((Delete("m1"), Scratchpad("other"))))


def test_a_snapshot_of_an_environment_with_another_encoder_is_an_error() -> None:
    kept = written(encoder="hashing:32").memory.snapshot()
    with pytest.raises(ValueError, match="hashing:64"):
        env(encoder="hashing:64").reset(options={"memory": kept})


def test_json_that_went_through_a_file_starts_the_same_memory() -> None:
    made = written()
    before = made.memory.digest()
    made.reset(seed=0, options={"memory": json.loads(json.dumps(made.memory.to_json()))})
    assert made.memory.digest() == before


@pytest.mark.parametrize("start", ["kepp", "Fresh", "", 3, None])
def test_an_unknown_start_proposes_the_nearest(start: Any) -> None:
    with pytest.raises(UnknownName, match=r"Did you mean|Known: fresh, keep"):
        env().reset(options={"memory": start})


def test_an_unknown_reset_option_proposes_the_nearest() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'memory'"):
        env().reset(options={"memmory": "keep"})


def test_an_unknown_sample_is_an_error_that_proposes_the_nearest() -> None:
    with pytest.raises(LookupError, match="s20"):
        env().reset(options={"sample": "s20"})


def test_reset_options_are_left_as_they_were() -> None:
    options = {"memory": "keep", "sample": "s1", "frozen": True}
    kept = dict(options)
    env().reset(options=options)
    assert options == kept


def test_a_sample_can_be_asked_for() -> None:
    made = env()
    made.reset(seed=0, options={"sample": "s7"})
    assert made.pomdp.sample.id == made.get_state()["sample"] == "s7"


# -------------------------------------------------------------------- frozen


def test_a_frozen_memory_refuses_writes_and_answers_reads() -> None:
    made = written()
    made.reset(seed=0, options={"memory": "keep", "frozen": True})
    assert statuses(made, Create("x"), Delete("m1"), Scratchpad("x"), Read("Oslo")) == ["frozen"] * 3 + ["ok"]
    assert (len(texts(made)), made.memory.scratchpad) == (2, "note")


def test_a_memory_is_frozen_for_one_episode() -> None:
    made = written()
    made.reset(seed=0, options={"memory": "keep", "frozen": True})
    made.reset(seed=0, options={"memory": "keep"})
    assert statuses(made, Create("x")) == ["ok"]


# -------------------------------------------------------------------- the group


def group(made: MemoryEnv, seed: int, **options: Any) -> str:
    name: str = made.reset(seed=seed, options=options)[1]["group"]
    return name


def test_a_group_shares_sample_order_and_starting_memory() -> None:
    assert group(env(), 3, sample="s1") == group(env(), 3, sample="s1")
    assert group(env(), 3, sample="s1") != group(env(), 3, sample="s2")
    assert group(env(), 3, sample="s1") != group(env(), 4, sample="s1")


def test_another_starting_memory_is_another_group() -> None:
    kept = written().memory.to_json()
    assert group(env(), 3, sample="s1", memory=kept) != group(env(), 3, sample="s1")
    assert group(env(), 3, sample="s1", memory=kept) == group(env(), 3, sample="s1", memory=kept)


def test_the_group_is_told_at_every_step() -> None:
    made = env()
    assert made.step("")[4]["group"] == made.group


# -------------------------------------------------------------------- state and forks


def test_the_state_is_json_and_shows_what_no_observation_shows() -> None:
    made = written()
    state = json.loads(json.dumps(made.get_state()))
    assert state == made.get_state()
    assert [entry["text"] for entry in state["memory"]["entries"]] == texts(made)
    assert set(state) == {"sample", "step", "over", "operations", "task", "memory"}


SCRIPT = [
    Action((Read("Oslo bicycle"),)), Action((Delete("#1"), Create("third"))), Action((), Act("look")), Action(),
    Action((Scratchpad("y"), Read("third")), Advance()), Action(), Action((Read(" "), Delete("m77"))), Action(), Action(),
]  # fmt: skip


def played(made: MemoryEnv, actions: list[Action]) -> list[Any]:
    return [(made.step(action if action != Action() else ""), made.get_state()) for action in actions]


@pytest.mark.parametrize("reads", ["requested", "persistent"])
@pytest.mark.parametrize("advance", ["always", "explicit"])
@pytest.mark.parametrize("at", range(len(SCRIPT)))
def test_a_fork_in_mid_episode_plays_on_equally(at: int, advance: str, reads: str) -> None:
    made = written(advance=advance, reads=reads, encoder="hashing:32", query_limit=3, max_operations=20)
    played(made, SCRIPT[:at])
    twin = made.fork()
    assert twin.get_state() == made.get_state()
    assert twin.pomdp.texts == made.pomdp.texts
    assert played(twin, SCRIPT[at:]) == played(made, SCRIPT[at:])


@pytest.mark.parametrize("at", range(len(SCRIPT)))
def test_a_fork_in_mid_episode_plays_on_independently(at: int) -> None:
    made, alone = written(encoder="hashing:32"), written(encoder="hashing:32")
    played(made, SCRIPT[:at])
    played(alone, SCRIPT[:at])
    twin = made.fork()
    before = (made.get_state(), copy.deepcopy(made.pomdp.texts))
    played(twin, [Action((Create("twin"), Delete("m1"), Delete("m2"), Scratchpad("twin"), Read("twin"))), *SCRIPT])
    assert (made.get_state(), made.pomdp.texts) == before
    assert played(made, SCRIPT[at:]) == played(alone, SCRIPT[at:])


def test_a_fork_of_an_episode_that_is_over_is_over() -> None:
    made = env(max_steps=1)
    made.step("")
    twin = made.fork()
    assert twin.step("") == made.step("")
    assert twin.step("")[2:4] == (False, True)


def test_a_fork_keeps_the_score_of_its_questions() -> None:
    made = written(advance="explicit")
    fact = made.pomdp.sample.questions[0].evidence[0]
    made.step(Action((Create(fact), Read(fact))))
    outcomes = []
    for one in (made.fork(), made):
        while not one.pomdp.over:
            one.step(Action((), one.cheat()))
        outcomes.append(one.pomdp.outcome)
    assert outcomes[0] == outcomes[1]
    assert outcomes[0] is not None
    assert outcomes[0].metrics["evidence_shown"] == 1.0


def test_the_episodes_after_a_fork_are_those_of_the_original() -> None:
    made = env()
    twin = made.fork()
    assert [twin.reset()[1]["group"] for _ in range(2)] == [made.reset()[1]["group"] for _ in range(2)]


def test_a_reset_of_a_fork_leaves_the_original_alone() -> None:
    made = written()
    before = made.get_state()
    made.fork().reset(seed=9)
    assert made.get_state() == before


def test_a_fork_before_the_first_reset_can_be_reset() -> None:
    made = MemoryEnv(Colours())
    assert made.fork().reset(seed=3)[0] == made.reset(seed=3)[0]


def test_a_fork_of_a_frozen_episode_is_frozen() -> None:
    made = env()
    made.reset(seed=0, options={"frozen": True})
    assert statuses(made.fork(), Create("x")) == ["frozen"]


def test_a_fork_of_a_durable_memory_writes_to_no_file(tmp_path: Path) -> None:
    made = env()
    with DurableMemory(tmp_path / "memory.sqlite", {"main": HashingEncoder(16)}) as memory:
        made.reset(seed=0, options={"memory": memory})
        made.fork().step(WRITES)
        assert len(memory) == 0
    with DurableMemory(tmp_path / "memory.sqlite", {"main": HashingEncoder(16)}) as again:
        assert len(again) == 0


def test_two_environments_in_one_process_do_not_see_each_other() -> None:
    one, two = env(encoder="hashing"), env(encoder="hashing")
    one.step(WRITES)
    two.step(Action((Read("Mia lives in Oslo."), Read("note"))))
    assert two.pomdp.seen.memories == ()
    assert two.pomdp.texts["scratchpad"] == ""
