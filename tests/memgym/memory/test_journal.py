"""A memory that outlives its process: it opens as it was closed, with its vectors."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_journal import Counting, do, nearest

from memgym.memory import Memory
from memgym.memory.encoders import HashingEncoder
from memgym.memory.journal import DurableMemory, JournalError
from memgym.operations import Create, Delete, Evolve, Link, Operation, Read, Scratchpad, Update

ODD = ["\ud800", "\ud83d\ude00", "\U0001f600", "a\x00b", "記憶", "ความจำ", "x" * 100_000]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.sqlite"


def test_a_journal_opens_as_it_was_closed(path: Path) -> None:
    with DurableMemory(path) as memory:
        do(
            memory,
            Create("a", ("k",), ("t",), "c", (), "2020", (("x", "y"),)),
            Create("b", links=("m1",)),
            Create("gone"),
        )
        do(memory, Update("m2", "B"), Evolve("m1", tags=("u",)), Delete("m3"), Scratchpad("note"))
        memory.tick()
        before = memory.to_json()
    with DurableMemory(path) as again:
        assert again.to_json() == before


def test_ids_are_not_given_out_again_after_reopening(path: Path) -> None:
    with DurableMemory(path) as memory:
        do(memory, Create("a"), Create("b"), Delete("m2"))
    with DurableMemory(path) as again:
        assert do(again, Create("c"))[0].ids == ("m3",)


def test_a_delete_takes_links_with_it_in_the_file_too(path: Path) -> None:
    with DurableMemory(path) as memory:
        do(memory, Create("a"), Create("b", links=("m1",)), Delete("m1"))
    with DurableMemory(path) as again:
        assert [entry.links for entry in again.entries()] == [()]


@pytest.mark.parametrize("text", ODD, ids=ascii)
def test_any_text_comes_back_as_it_was(path: Path, text: str) -> None:
    with DurableMemory(path) as memory:
        do(memory, Create(f"{text}!", keywords=(text,), attributes=(("a", text),)), Scratchpad(text))
        before = memory.digest()
    with DurableMemory(path) as again:
        assert (again.digest(), again.scratchpad) == (before, text)


def test_folders_on_the_way_are_made(tmp_path: Path) -> None:
    with DurableMemory(tmp_path / "a" / "b" / "memory.sqlite") as memory:
        assert do(memory, Create("x"))[0].ok


def test_a_json_state_that_is_loaded_is_kept(path: Path) -> None:
    source = Memory()
    do(source, Create("a"), Create("b"), Delete("m2"), Scratchpad("note"))
    with DurableMemory(path) as memory:
        memory.load_json(source.to_json())
    with DurableMemory(path) as again:
        assert again.to_json() == source.to_json()


def test_a_journal_is_not_rewound(path: Path) -> None:
    with DurableMemory(path) as memory, pytest.raises(ValueError, match="only goes forward"):
        memory.restore(memory.snapshot())


def test_a_fork_writes_to_no_file(path: Path) -> None:
    with DurableMemory(path) as memory:
        do(memory, Create("a"))
        do(memory.fork(), Create("b"), Scratchpad("c"))
    with DurableMemory(path) as again:
        assert (len(again), again.scratchpad) == (1, "")


# -------------------------------------------------------------------- closing


def test_a_closed_memory_can_be_read_and_refuses_writes(path: Path) -> None:
    memory = DurableMemory(path, {"main": HashingEncoder(16)})
    do(memory, Create("Mia lives in Oslo."))
    memory.close()
    memory.close()
    assert nearest(memory, "Oslo") == ["m1"]
    assert do(memory, Create("b"))[0].status == "frozen"


def test_a_closed_memory_that_is_thawed_says_that_it_is_closed(path: Path) -> None:
    memory = DurableMemory(path)
    memory.close()
    memory.frozen = False
    with pytest.raises(JournalError, match="closed"):
        do(memory, Create("b"))


# -------------------------------------------------------------------- vectors and encoders


def test_vectors_are_kept_and_not_computed_again(path: Path) -> None:
    with DurableMemory(path, {"main": Counting()}) as memory:
        do(memory, Create("Mia lives in Oslo."), Create("Ben has a bicycle."))
        before = nearest(memory, "Oslo")
    encoder = Counting()
    with DurableMemory(path, {"main": encoder}) as again:
        assert nearest(again, "Oslo") == before
    assert encoder.texts == ["Oslo"]


def test_a_vector_that_no_read_has_needed_is_computed_when_one_does(path: Path) -> None:
    with DurableMemory(path, {"main": Counting()}) as memory:
        do(memory, Create("a text"))
    encoder = Counting()
    with DurableMemory(path, {"main": encoder}) as again:
        assert encoder.texts == []
        assert nearest(again, "text") == ["m1"]
    assert encoder.texts == ["a text", "text"]


def test_a_change_of_links_keeps_the_vector(path: Path) -> None:
    with DurableMemory(path, {"main": Counting()}) as memory:
        do(memory, Create("one"), Create("two"), Create("three"))
        nearest(memory, "one")
        do(memory, Link("m1", ("m2", "m3")), Delete("m2"), Evolve("m3", attributes=(("a", "b"),)))
    encoder = Counting()
    with DurableMemory(path, {"main": encoder}) as again:
        assert again.entries()[0].links == ("m3",)
        nearest(again, "one")
    assert encoder.texts == ["one"]


@pytest.mark.parametrize("change", [Update("m1", "three"), Evolve("m1", context="three")])
def test_a_change_of_what_is_searched_drops_the_vector(path: Path, change: Operation) -> None:
    with DurableMemory(path, {"main": Counting()}) as memory:
        do(memory, Create("one"), Create("two"))
        nearest(memory, "one")
        do(memory, change)
    encoder = Counting()
    with DurableMemory(path, {"main": encoder}) as again:
        assert nearest(again, "three")[0] == "m1"
    assert len(encoder.texts) == 2


@pytest.mark.parametrize("other", [HashingEncoder(32), None])
def test_another_encoder_is_an_error_that_names_both(path: Path, other: HashingEncoder | None) -> None:
    with DurableMemory(path, {"main": HashingEncoder(16)}) as memory:
        do(memory, Create("one"))
        nearest(memory, "one")
    with pytest.raises(
        JournalError, match=r"written with hashing \(16.*opened with (hashing \(32|no encoder).*reembed=True"
    ):
        DurableMemory(path, {"main": other})
    with DurableMemory(path, {"main": HashingEncoder(16)}) as again:
        assert nearest(again, "one") == ["m1"]


def test_an_encoder_of_the_same_name_and_dimension_but_other_weights_is_an_error(path: Path) -> None:
    with DurableMemory(path, {"main": HashingEncoder(16)}):
        pass
    other = HashingEncoder(16)
    other.fingerprint = "hashing:16:other"
    with pytest.raises(JournalError, match="hashing:16:other"):
        DurableMemory(path, {"main": other})


def test_reembed_says_that_vectors_may_be_made_anew(path: Path) -> None:
    with DurableMemory(path, {"main": HashingEncoder(16)}) as memory:
        do(memory, Create("one"))
        nearest(memory, "one")
    encoder = Counting(32)
    with DurableMemory(path, {"main": encoder}, reembed=True) as again:
        assert nearest(again, "one") == ["m1"]
    assert encoder.texts == ["one", "one"]
    with DurableMemory(path, {"main": HashingEncoder(32)}) as last:
        assert nearest(last, "one") == ["m1"]


def test_other_stores_are_an_error(path: Path) -> None:
    with DurableMemory(path, {"a": None}):
        pass
    with pytest.raises(JournalError, match=r"\['a'\].*\['b'\]"):
        DurableMemory(path, {"b": None})


# -------------------------------------------------------------------- for all histories


TEXTS = st.text(st.characters(exclude_categories=()), max_size=8)
IDS = st.integers(1, 5).map(lambda number: f"m{number}")
OPERATIONS = st.lists(
    st.builds(Create, TEXTS)
    | st.builds(Update, IDS, TEXTS)
    | st.builds(Delete, IDS)
    | st.builds(Link, IDS, st.lists(IDS, max_size=2).map(tuple))
    | st.builds(Evolve, IDS, context=TEXTS)
    | st.builds(Scratchpad, TEXTS)
    | st.builds(Read, TEXTS),
    max_size=12,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(operations=OPERATIONS, at=st.integers(0, 12))
def test_reopening_at_any_point_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, operations: list[Operation], at: int
) -> None:
    file = tmp_path_factory.mktemp("journal") / "memory.sqlite"
    plain, encoder = Memory({"main": HashingEncoder(16)}), HashingEncoder(16)
    memory = DurableMemory(file, {"main": encoder})
    for number, operation in enumerate(operations):
        if number == at:
            memory.close()
            memory = DurableMemory(file, {"main": encoder})
        if isinstance(operation, Read):
            assert memory.read(operation, k=3) == plain.read(operation, k=3)
        else:
            assert do(memory, operation) == do(plain, operation)
        assert memory.digest() == plain.digest()
    memory.close()


def test_operations_done_together_are_one_transaction(path: Path) -> None:
    with DurableMemory(path, sync="full") as memory:
        with memory.together():
            do(memory, Create("one"), Create("two"), Update("m1", "three"))
        with pytest.raises(AttributeError), memory.together():
            do(memory, Delete("m2"), Create("four"), None)  # type: ignore[arg-type]
        with memory.together(), pytest.raises(JournalError, match="open already"), memory.together():
            pass
        before = memory.digest()
    with DurableMemory(path) as memory:
        assert [entry.text for entry in memory.entries()] == ["three", "four"]
        assert memory.digest() == before
