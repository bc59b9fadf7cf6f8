"""Whole states of a memory: snapshots, forks, JSON and digests."""

from __future__ import annotations

from typing import Any

import pytest

from memgym.memory import Memory, Write
from memgym.memory.encoders import HashingEncoder
from memgym.operations import (
    Create,
    Delete,
    Evolve,
    Link,
    Operation,
    Read,
    Result,
    Scratchpad,
    Status,
    Update,
)

SOURCE = Write("episode", 1, "test", 1)


def do(memory: Memory, *operations: Operation) -> list[Result]:
    return [memory.apply(operation, SOURCE) for operation in operations]


def status(memory: Memory, operation: Operation) -> Status:
    return memory.apply(operation, SOURCE).status


def found(memory: Memory, query: str, k: int = 6, **options: Any) -> list[str]:
    _, hits = memory.read(Read(query, **options), k=k)
    return [hit.entry.id for hit in hits]


@pytest.fixture
def memory() -> Memory:
    memory = Memory()
    do(memory, Create("Mia lives in Oslo."), Create("Ben has a red bicycle."), Create("The kettle is on the shelf."))
    return memory


@pytest.fixture
def dense() -> Memory:
    memory = Memory({"main": HashingEncoder(64)})
    do(memory, Create("Mia lives in Oslo."), Create("Ben has a red bicycle."))
    return memory


def test_restore_of_a_snapshot_is_the_identity(dense: Memory) -> None:
    kept, before = dense.snapshot(), dense.digest()
    do(dense, Create("new"), Delete("m1"), Scratchpad("x"), Update("m2", "y"))
    dense.tick()
    dense.restore(kept)
    assert dense.digest() == before
    assert found(dense, "Oslo", k=1, by="dense") == ["m1"]


def test_a_snapshot_can_be_restored_many_times(memory: Memory) -> None:
    found(memory, "Oslo")
    kept, before = memory.snapshot(), memory.digest()
    for _ in range(3):
        assert found(memory, "Oslo", k=1) == ["m1"]
        do(memory, Delete("m1"), Evolve("m2", context="c"))
        assert "m1" not in found(memory, "Oslo", k=1)
        memory.restore(kept)
        assert memory.digest() == before


def test_a_fork_shares_nothing_that_either_side_can_change(dense: Memory) -> None:
    found(dense, "Oslo")
    twin, before = dense.fork(), dense.digest()
    do(twin, Delete("m1"), Create("twin"), Scratchpad("twin"))
    twin.tick()
    assert dense.digest() == before
    do(dense, Update("m2", "changed"))
    assert [entry.text for entry in twin.entries()] == ["Ben has a red bicycle.", "twin"]


def test_a_fork_keeps_the_bounds_and_is_not_frozen() -> None:
    memory = Memory(capacity=1)
    do(memory, Create("a"))
    memory.frozen = True
    assert status(memory.fork(), Create("b")) is Status.OVER_CAPACITY


def test_json_and_back_is_the_identity(memory: Memory) -> None:
    do(memory, Link("m1", ("m2",)), Evolve("m2", tags=("t",), attributes=(("a", "b"),)), Delete("m3"), Scratchpad("s"))
    memory.tick()
    copy = Memory()
    copy.load_json(memory.to_json())
    assert copy.to_json() == memory.to_json()
    assert copy.apply(Create("next"), SOURCE).ids == ("m4",)


def test_json_fills_only_an_empty_memory(memory: Memory) -> None:
    with pytest.raises(ValueError, match="holds 3 entries"):
        memory.load_json(Memory().to_json())


def test_json_of_another_store_is_an_error_and_fills_nothing() -> None:
    other = Memory({"main": None, "other": None})
    do(other, Create("a"), Create("b", store="other"))
    memory = Memory()
    with pytest.raises(ValueError, match="other"):
        memory.load_json(other.to_json())
    assert len(memory) == 0


def test_a_snapshot_of_other_stores_is_an_error(memory: Memory) -> None:
    with pytest.raises(ValueError, match="other stores"):
        memory.restore(Memory({"else": None}).snapshot())


def test_a_snapshot_with_vectors_of_another_encoder_is_an_error_and_changes_nothing(dense: Memory) -> None:
    other = Memory({"main": HashingEncoder(32)})
    before = dense.digest()
    with pytest.raises(ValueError, match="hashing:32"):
        dense.restore(other.snapshot())
    assert dense.digest() == before


def test_a_snapshot_without_vectors_gets_them_when_they_are_needed(dense: Memory, memory: Memory) -> None:
    found(dense, "Oslo")
    dense.restore(memory.snapshot())
    assert found(dense, "kettle shelf", k=1, by="dense") == ["m3"]


def test_a_snapshot_with_vectors_may_start_a_memory_that_needs_none(dense: Memory, memory: Memory) -> None:
    memory.restore(dense.snapshot())
    do(memory, Delete("m1"))
    dense.restore(memory.snapshot())
    assert found(dense, "bicycle", by="dense") == ["m2"]


def test_equal_states_have_equal_digests() -> None:
    one, two = Memory(), Memory()
    do(one, Create("a"), Create("b"))
    do(two, Create("a"), Create("b"))
    assert one.digest() == two.digest()


@pytest.mark.parametrize(
    "operation",
    [Create("new"), Update("m1", "new"), Delete("m1"), Link("m1", ("m2",)), Evolve("m1", context="c"), Scratchpad("s")],
)
def test_every_change_changes_the_digest(memory: Memory, operation: Operation) -> None:
    before = memory.digest()
    assert memory.apply(operation, SOURCE).ok
    assert memory.digest() != before


def test_an_emoji_and_the_halves_of_its_surrogate_pair_have_different_digests() -> None:
    one, two = Memory(), Memory()
    do(one, Scratchpad("\U0001f600"))
    do(two, Scratchpad("\ud83d\ude00"))
    assert one.digest() != two.digest()


def test_the_clock_counts_steps(memory: Memory) -> None:
    memory.tick()
    memory.tick()
    assert memory.clock == 2
