"""What each operation does to a memory, and how it is refused."""

from __future__ import annotations

from typing import Any

import pytest

from memgym.memory import Entry, Memory, Write
from memgym.memory.memory import key_of
from memgym.operations import (
    Create,
    Delete,
    Evolve,
    Link,
    Malformed,
    Operation,
    Read,
    Result,
    Scratchpad,
    Status,
    Update,
)
from memgym.tokens import make_tokenizer

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


# -------------------------------------------------------------------- create


def test_ids_are_short_and_count_upwards(memory: Memory) -> None:
    assert [entry.id for entry in memory.entries()] == ["m1", "m2", "m3"]


def test_an_entry_holds_everything_that_create_says() -> None:
    memory = Memory()
    do(memory, Create("a"), Create("b", ("k",), ("t",), "c", ("m1",), "2020", (("colour", "red"),)))
    assert memory.get("m2") == Entry(
        "m2", "b", "main", SOURCE, SOURCE, ("k",), ("t",), "c", ("m1",), "2020", (("colour", "red"),)
    )


def test_the_same_text_twice_is_duplicate_and_names_the_entry_that_holds_it(memory: Memory) -> None:
    (result,) = do(memory, Create("Mia lives in Oslo."))
    assert (result.status, result.ids, len(memory)) == (Status.DUPLICATE, ("m1",), 3)


def test_the_same_text_twice_is_two_entries_where_texts_need_not_be_unique() -> None:
    memory = Memory(unique=False)
    assert [one.status for one in do(memory, Create("x"), Create("x"))] == [Status.OK, Status.OK]


def test_a_text_may_be_created_again_after_its_entry_was_deleted(memory: Memory) -> None:
    assert do(memory, Delete("m1"), Create("Mia lives in Oslo."))[1].ids == ("m4",)


def test_a_text_may_be_created_again_after_its_entry_was_updated(memory: Memory) -> None:
    assert do(memory, Update("m1", "Mia lives in Rome."), Create("Mia lives in Oslo."))[1].ids == ("m4",)


@pytest.mark.parametrize("blank", ["", "  \n\t"])
def test_a_blank_text_is_empty(memory: Memory, blank: str) -> None:
    assert status(memory, Create(blank)) is Status.EMPTY
    assert status(memory, Update("m1", blank)) is Status.EMPTY
    assert len(memory) == 3


def test_a_create_at_the_cap_is_over_capacity() -> None:
    memory = Memory(capacity=1)
    assert [one.status for one in do(memory, Create("a"), Create("b"))] == [Status.OK, Status.OVER_CAPACITY]


def test_a_delete_makes_room_at_the_cap() -> None:
    memory = Memory(capacity=1)
    assert do(memory, Create("a"), Delete("m1"), Create("b"))[2].ok


def test_capacity_counts_the_entries_of_all_stores() -> None:
    memory = Memory({"a": None, "b": None}, capacity=1)
    assert do(memory, Create("x", store="a"), Create("y", store="b"))[1].status is Status.OVER_CAPACITY


def test_a_refused_create_uses_no_id(memory: Memory) -> None:
    assert do(memory, Create(""), Create("Mia lives in Oslo."), Create("new"))[2].ids == ("m4",)


def test_a_create_that_links_to_nothing_is_unknown_id_and_writes_nothing(memory: Memory) -> None:
    assert status(memory, Create("x", links=("m1", "m9"))) is Status.UNKNOWN_ID
    assert len(memory) == 3


@pytest.mark.parametrize("text", SCRIPTS)
def test_a_text_of_any_script_is_kept_as_it_is(text: str) -> None:
    memory = Memory()
    do(memory, Create(text))
    assert [entry.text for entry in memory.entries()] == [text]


# -------------------------------------------------------------------- update, delete, link, evolve, scratchpad


def test_an_update_keeps_id_annotations_and_links_and_counts_the_version(memory: Memory) -> None:
    do(memory, Link("m1", ("m2",)), Evolve("m1", keywords=("home",)), Update("m1", "Mia lives in Rome."))
    entry = memory.get("m1")
    assert entry is not None
    assert (entry.text, entry.keywords, entry.links, entry.version) == ("Mia lives in Rome.", ("home",), ("m2",), 4)


def test_an_update_names_who_wrote_it_and_keeps_who_created_it(memory: Memory) -> None:
    later = Write("later", 7, "update", 9)
    memory.apply(Update("m1", "new"), later)
    entry = memory.get("m1")
    assert entry is not None
    assert (entry.created, entry.updated) == (SOURCE, later)


def test_update_of_a_deleted_entry_is_unknown_id(memory: Memory) -> None:
    assert do(memory, Delete("m1"), Update("m1", "x"))[1].status is Status.UNKNOWN_ID


def test_an_update_to_a_text_that_another_entry_holds_is_duplicate(memory: Memory) -> None:
    assert do(memory, Update("m1", "Ben has a red bicycle."))[0].ids == ("m2",)


@pytest.mark.parametrize(
    "operation", [Update("m9", "x"), Delete("m9"), Link("m9", ("m1",)), Link("m1", ("m9",)), Evolve("m9")]
)
def test_an_id_that_no_entry_has_is_unknown_id(memory: Memory, operation: Operation) -> None:
    before = memory.digest()
    assert (status(memory, operation), memory.digest()) == (Status.UNKNOWN_ID, before)


@pytest.mark.parametrize(
    "id", ["", "m", "m0", "m01", "M1", "1", "m-1", "m１", "m" + "9" * 5000, "\x00", "\ud800", "mm1"]
)
def test_what_is_no_id_names_no_entry(memory: Memory, id: str) -> None:
    assert key_of(id) == 0
    assert status(memory, Delete(id)) is Status.UNKNOWN_ID


def test_ids_are_not_given_out_again_after_a_delete(memory: Memory) -> None:
    assert do(memory, Delete("m3"), Create("new"))[1].ids == ("m4",)


def test_a_delete_takes_the_links_to_the_entry_with_it(memory: Memory) -> None:
    do(memory, Link("m1", ("m2", "m3")), Delete("m2"))
    assert [entry.links for entry in memory.entries()] == [("m3",), ()]


def test_a_delete_takes_links_from_other_stores_with_it() -> None:
    memory = Memory({"a": None, "b": None})
    do(memory, Create("x", store="a"), Create("y", store="b", links=("m1",)), Delete("m1"))
    assert memory.entries("b")[0].links == ()


def test_links_are_added_once_and_in_order(memory: Memory) -> None:
    do(memory, Link("m1", ("m3",)), Link("m1", ("m2", "m3", "m2")))
    assert memory.entries()[0].links == ("m3", "m2")


def test_a_link_that_exists_is_duplicate(memory: Memory) -> None:
    assert do(memory, Link("m1", ("m2",)), Link("m1", ("m2",)))[1].status is Status.DUPLICATE


@pytest.mark.parametrize("to", [(), ("m1",), ("m2", "m1")])
def test_a_link_to_nothing_or_to_itself_is_malformed(memory: Memory, to: tuple[str, ...]) -> None:
    assert status(memory, Link("m1", to)) is Status.MALFORMED


def test_evolve_leaves_what_it_does_not_name(memory: Memory) -> None:
    do(memory, Evolve("m1", keywords=("k",), tags=("t",), context="c"), Evolve("m1", tags=()))
    entry = memory.entries()[0]
    assert (entry.keywords, entry.tags, entry.context) == (("k",), (), "c")


def test_evolve_merges_attributes_and_an_empty_value_removes_one(memory: Memory) -> None:
    do(memory, Evolve("m1", attributes=(("a", "1"), ("b", "2"))), Evolve("m1", attributes=(("a", ""), ("c", "3"))))
    assert memory.entries()[0].attributes == (("b", "2"), ("c", "3"))


def test_an_evolve_that_changes_nothing_is_duplicate(memory: Memory) -> None:
    assert do(memory, Evolve("m1", context="c"), Evolve("m1", context="c"))[1].status is Status.DUPLICATE


def test_what_evolve_adds_is_found(memory: Memory) -> None:
    do(memory, Evolve("m3", keywords=("breakfast",)))
    assert found(memory, "breakfast") == ["m3"]


def test_what_evolve_removes_is_not_found_any_more(memory: Memory) -> None:
    do(memory, Evolve("m3", context="breakfast"), Evolve("m3", context=""))
    assert found(memory, "breakfast") == []


def test_the_scratchpad_is_replaced_and_may_be_emptied(memory: Memory) -> None:
    do(memory, Scratchpad("one"), Scratchpad("two"))
    assert memory.scratchpad == "two"
    do(memory, Scratchpad(""))
    assert memory.scratchpad == ""


@pytest.mark.parametrize("operation", [Read("x"), Malformed("x", "y")])
def test_what_is_no_write_is_malformed_as_a_write(memory: Memory, operation: Operation) -> None:
    assert status(memory, operation) is Status.MALFORMED


@pytest.mark.parametrize(
    "operation",
    [Create("new"), Update("m1", "new"), Delete("m1"), Link("m1", ("m2",)), Evolve("m1", context="c"), Scratchpad("s")],
)
def test_a_frozen_memory_refuses_every_write(memory: Memory, operation: Operation) -> None:
    before = memory.digest()
    memory.frozen = True
    assert (status(memory, operation), memory.digest()) == (Status.FROZEN, before)


# -------------------------------------------------------------------- token budget


def test_entries_and_scratchpad_share_the_token_budget() -> None:
    memory = Memory(max_tokens=4, tokenizer=make_tokenizer("cl100k"))
    assert do(memory, Create("one two"), Scratchpad("three four"))[1].ok
    assert status(memory, Create("five")) is Status.OVER_BUDGET


def test_an_update_and_a_scratchpad_are_counted_by_what_they_replace() -> None:
    memory = Memory(max_tokens=2, tokenizer=make_tokenizer("cl100k"))
    assert all(one.ok for one in do(memory, Create("one two"), Update("m1", "three four")))
    assert status(memory, Update("m1", "one two three")) is Status.OVER_BUDGET
    assert status(memory, Scratchpad("one")) is Status.OVER_BUDGET


def test_a_token_budget_without_a_tokenizer_is_an_error() -> None:
    with pytest.raises(ValueError, match="tokenizer"):
        Memory(max_tokens=1)


def test_the_sum_of_tokens_follows_every_change_and_every_restored_state() -> None:
    tokenizer = make_tokenizer("cl100k")
    memory = Memory(max_tokens=10_000, tokenizer=tokenizer)

    def counted() -> int:
        return sum(tokenizer.count(text) for text in [memory.scratchpad, *(one.text for one in memory.entries())])

    do(memory, Create("Mia lives in Oslo."), Create("Ben has a boat and a red car.", links=("m1",)))
    snapshot = memory.snapshot()
    assert memory.tokens() == counted() > 0
    for operation in (
        Update("m2", "Ben sold it."),
        Scratchpad("three words here"),
        Delete("m1"),
        Evolve("m2", tags=("people",)),
        Create("記憶は東京にある。"),
    ):
        assert do(memory, operation)[0].ok
        assert memory.tokens() == counted()
    assert memory.fork().tokens() == counted()
    memory.restore(snapshot)
    assert memory.tokens() == counted()
