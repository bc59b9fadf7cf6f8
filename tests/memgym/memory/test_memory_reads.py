"""What a read finds in a memory, and what following links adds to it."""

from __future__ import annotations

from typing import Any

import pytest

from memgym.memory import Hit, Memory, Write
from memgym.memory.encoders import HashingEncoder
from memgym.operations import (
    Create,
    Delete,
    Link,
    Operation,
    Read,
    Result,
    Status,
    Update,
)

SOURCE = Write("episode", 1, "test", 1)
SCRIPTS = [
    "Mia lives in Oslo.",
    "記憶は東京にある。",
    "ความจำอยู่ที่กรุงเทพ",
    "الذاكرة في القاهرة",
    "🧠🧠",
    "a\x00b",
    "\ud800 half",
]


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


# -------------------------------------------------------------------- reads


def test_a_read_returns_the_nearest_first(memory: Memory) -> None:
    assert found(memory, "who has a red bicycle?")[0] == "m2"


def test_a_read_gives_at_most_k(memory: Memory) -> None:
    assert len(found(memory, "the lives has", k=2)) == 2


@pytest.mark.parametrize("k", [0, -1, -(10**20)])
def test_a_k_below_one_is_malformed(memory: Memory, k: int) -> None:
    result, hits = memory.read(Read("Oslo", k=k), k=6)
    assert (result.status, hits) == (Status.MALFORMED, [])


@pytest.mark.parametrize("by", ["text", "dense", "hybrid"])
def test_a_huge_k_is_all_there_is(dense: Memory, by: str) -> None:
    assert set(found(dense, "Mia lives, Ben has", k=10**30, by=by)) == {"m1", "m2"}


@pytest.mark.parametrize("query", ["", " \n"])
def test_a_blank_query_is_empty(memory: Memory, query: str) -> None:
    result, hits = memory.read(Read(query), k=6)
    assert (result.status, hits) == (Status.EMPTY, [])


@pytest.mark.parametrize("by", ["text", "dense", "hybrid"])
@pytest.mark.parametrize("query", [*SCRIPTS, "?!…", "x" * 100_000])
def test_a_read_of_an_empty_memory_finds_nothing(by: str, query: str) -> None:
    result, hits = Memory({"main": HashingEncoder(16)}).read(Read(query, by=by), k=3)
    assert (result.status, hits) == (Status.OK, [])


@pytest.mark.parametrize("by", ["text", "dense", "hybrid"])
@pytest.mark.parametrize("text", SCRIPTS)
def test_a_text_of_any_script_is_found_by_itself(by: str, text: str) -> None:
    memory = Memory({"main": HashingEncoder(64)})
    do(memory, Create(text), Create("something else altogether"))
    assert found(memory, text, k=1, by=by) == ["m1"]


def test_hits_say_which_index_found_them(dense: Memory) -> None:
    for by in ("text", "dense", "hybrid"):
        _, hits = dense.read(Read("Oslo", by=by), k=1)
        assert [hit.by for hit in hits] == [by]


def test_a_store_with_an_encoder_is_read_by_both_when_nothing_is_said(dense: Memory) -> None:
    _, hits = dense.read(Read("Oslo"), k=1)
    assert hits[0].by == "hybrid"


def test_a_dense_read_of_a_store_without_an_encoder_is_refused(memory: Memory) -> None:
    result, hits = memory.read(Read("Oslo", by="dense"), k=1)
    assert (result.status, hits) == (Status.MASKED, [])
    assert "text" in result.reason


def test_an_update_is_found_by_its_new_text_only(dense: Memory) -> None:
    found(dense, "Oslo")
    do(dense, Update("m1", "The harbour is closed."))
    assert found(dense, "harbour", k=1, by="text") == ["m1"]
    assert "m1" not in found(dense, "Oslo", by="text")
    assert found(dense, "harbour", k=1, by="dense") == ["m1"]


def test_what_is_deleted_is_found_by_no_read(dense: Memory) -> None:
    found(dense, "Oslo")
    do(dense, Delete("m1"))
    assert all("m1" not in found(dense, "Mia lives in Oslo.", by=by) for by in ("text", "dense", "hybrid"))


def test_stores_do_not_see_each_other() -> None:
    memory = Memory({"a": None, "b": None})
    do(memory, Create("Oslo", store="a"), Create("Oslo", store="b"))
    assert (found(memory, "Oslo"), found(memory, "Oslo", store="b")) == (["m1"], ["m2"])


def test_an_unknown_store_is_a_result_that_names_the_stores_shortly(memory: Memory) -> None:
    name = "x" * 1_000_000
    for result in (memory.apply(Create("x", store=name), SOURCE), memory.read(Read("x", store=name), k=1)[0]):
        assert result.status is Status.UNKNOWN_ID
        assert "main" in result.reason
        assert len(result.reason) < 200


def test_a_read_never_changes_the_state(dense: Memory) -> None:
    before = dense.digest()
    for by in ("text", "dense", "hybrid"):
        found(dense, "Oslo", by=by, follow=2)
    assert dense.digest() == before


# -------------------------------------------------------------------- following links


@pytest.fixture
def chain() -> Memory:
    memory = Memory()
    do(memory, *(Create(text) for text in ("apple", "brick", "cloud", "drum")))
    do(memory, Link("m1", ("m2",)), Link("m2", ("m3", "m1")), Link("m3", ("m4",)))
    return memory


def test_without_follow_links_are_not_shown(chain: Memory) -> None:
    assert found(chain, "apple") == ["m1"]


@pytest.mark.parametrize(("rounds", "ids"), [(1, ["m1", "m2"]), (2, ["m1", "m2", "m3"]), (3, ["m1", "m2", "m3", "m4"])])
def test_each_round_follows_links_one_further(chain: Memory, rounds: int, ids: list[str]) -> None:
    assert found(chain, "apple", follow=rounds) == ids


def test_links_followed_are_at_most_k(chain: Memory) -> None:
    assert found(chain, "apple", k=1, follow=3) == ["m1", "m2"]


def test_following_ends_when_nothing_new_is_reached(chain: Memory) -> None:
    assert found(chain, "apple", follow=10**15) == ["m1", "m2", "m3", "m4"]


def test_a_followed_entry_says_so_and_has_the_score_of_its_hit(chain: Memory) -> None:
    _, hits = chain.read(Read("apple", follow=1), k=2)
    assert hits[1] == Hit(hits[1].entry, hits[0].score, "link")
