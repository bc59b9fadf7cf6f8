"""A memory that outlives its process: what was acknowledged is there, whatever happened to the process."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memgym.memory import Memory, Write
from memgym.memory.encoders import HashingEncoder
from memgym.memory.journal import DurableMemory, JournalError
from memgym.operations import Create, Delete, Evolve, Link, Operation, Read, Result, Scratchpad, Update

SOURCE = Write("episode", 1, "test", 1)
ODD = ["\ud800", "\ud83d\ude00", "\U0001f600", "a\x00b", "記憶", "ความจำ", "x" * 100_000]

WRITER = """
import sys
import numpy as np
from memgym.memory import Write
from memgym.memory.encoders import HashingEncoder
from memgym.memory.journal import DurableMemory
from memgym.operations import Create, Delete, Evolve, Link, Read, Scratchpad, Update

rng = np.random.default_rng(int(sys.argv[2]))
memory = DurableMemory(sys.argv[1], {"main": HashingEncoder(16)})
print("open", flush=True)
for step in range(10**6):
    memory.tick()
    live = [entry.id for entry in memory.entries()] or ["m1"]
    one, two = (live[int(i)] for i in rng.integers(len(live), size=2))
    operation = [
        Create(f"text {step}"), Create(f"word {step}"), Update(one, f"new {step}"), Delete(one), Link(one, (two,)),
        Evolve(one, context=f"context {step}"), Scratchpad(f"note {step}"),
    ][int(rng.integers(7))]
    if rng.integers(3) == 0:
        memory.read(Read("text", by="dense"), k=2)
    memory.apply(operation, Write("episode", step, operation.kind, memory.clock))
    print(step, memory.digest(), flush=True)
"""


class Counting(HashingEncoder):
    """Counts the texts that it encodes."""

    def __init__(self, dimension: int = 16) -> None:
        super().__init__(dimension)
        self.texts: list[str] = []

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Any:
        self.texts += texts
        return super().encode(texts, query=query)


def do(memory: Memory, *operations: Operation) -> list[Result]:
    return [memory.apply(operation, SOURCE) for operation in operations]


def nearest(memory: Memory, query: str) -> list[str]:
    return [hit.entry.id for hit in memory.read(Read(query, by="dense"), k=9)[1]]


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


# -------------------------------------------------------------------- files that are no journals


def test_a_file_that_is_no_database_is_an_error(path: Path) -> None:
    path.write_bytes(b"this is a shopping list\n" * 100)
    with pytest.raises(JournalError, match="not a memory journal"):
        DurableMemory(path)
    assert path.read_bytes().startswith(b"this is a shopping list")


def test_a_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="cannot be opened"):
        DurableMemory(tmp_path)


def test_somebody_elses_database_is_an_error_and_stays_as_it_is(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE recipes (name TEXT)")
    database.close()
    before = path.read_bytes()
    with pytest.raises(JournalError, match="recipes"):
        DurableMemory(path)
    assert path.read_bytes() == before


def changed(path: Path, statement: str) -> None:
    with DurableMemory(path, {"main": HashingEncoder(16)}) as memory:
        do(memory, Create("one"), Scratchpad("x"))
        nearest(memory, "one")
    with sqlite3.connect(path) as database:
        database.execute(statement)
    database.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET entry = x'7b'",
        "UPDATE entries SET entry = x'7b7d'",
        "UPDATE entries SET entry = x'ff'",
        "UPDATE entries SET entry = 'text'",
        "UPDATE entries SET vector = x'00'",
        "UPDATE entries SET vector = x'00000000'",
        "UPDATE entries SET vector = zeroblob(64) || x'00'",
        "UPDATE meta SET value = x'5d' WHERE name = 'next_id'",
        "UPDATE meta SET value = x'5b5d' WHERE name = 'encoders'",
        "ALTER TABLE entries RENAME COLUMN entry TO other",
    ],
)
def test_damaged_content_is_an_error_that_names_the_file(path: Path, statement: str) -> None:
    changed(path, statement)
    with pytest.raises(JournalError, match=r"memory\.sqlite|m1"):
        DurableMemory(path, {"main": HashingEncoder(16)})


def test_damaged_pages_are_an_error(path: Path) -> None:
    with DurableMemory(path) as memory:
        do(memory, *(Create(f"{number} " * 500) for number in range(40)))
    data = bytearray(path.read_bytes())
    data[4096 * 2 : 4096 * 8] = b"\x07" * (4096 * 6)
    path.write_bytes(data)
    with pytest.raises(JournalError, match=r"memory\.sqlite"):
        DurableMemory(path)


def test_a_newer_schema_is_an_error(path: Path) -> None:
    changed(path, "UPDATE meta SET value = x'3939' WHERE name = 'schema'")
    with pytest.raises(JournalError, match="schema 99"):
        DurableMemory(path, {"main": HashingEncoder(16)})


def test_an_unknown_sync_proposes_the_nearest(path: Path) -> None:
    with pytest.raises(LookupError, match="Did you mean 'full'"):
        DurableMemory(path, sync="ful")


# -------------------------------------------------------------------- processes


def test_a_second_opening_is_an_error_that_says_why(path: Path) -> None:
    with DurableMemory(path), pytest.raises(JournalError, match="open in another process"):
        DurableMemory(path)


def start(path: Path, seed: int) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(seed)], stdout=subprocess.PIPE, text=True)


def killed(path: Path, seed: int, lines: int) -> list[str]:
    """Start a writer, read ``lines`` acknowledgements, kill it with no chance to tidy up; return all it had said."""
    writer = start(path, seed)
    assert writer.stdout is not None
    said = [writer.stdout.readline() for _ in range(lines)]
    os.kill(writer.pid, signal.SIGKILL)
    said += writer.stdout.readlines()
    writer.wait()
    writer.stdout.close()
    return [line for line in said if line.endswith("\n")]


def test_a_second_process_is_an_error_that_says_why(path: Path) -> None:
    writer = start(path, 0)
    assert writer.stdout is not None
    try:
        writer.stdout.readline()
        with pytest.raises(JournalError, match="open in another process"):
            DurableMemory(path, {"main": HashingEncoder(16)})
    finally:
        writer.kill()
        writer.wait()
        writer.stdout.close()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_after_kill_9_everything_acknowledged_is_there(path: Path, seed: int) -> None:
    said = killed(path, seed, 2 + 37 * seed % 101)
    # The same operations in a memory without a file: the state after each of them.
    states = [digest for _, digest in (line.split() for line in said[1:])]
    with DurableMemory(path, {"main": HashingEncoder(16)}) as memory:
        survived = memory.to_json()
    steps = survived["clock"]
    expected = replayed(seed, len(states) + 1)
    # One operation more than was said may have been committed; never one less, never half of one.
    assert without_clock(survived) in [without_clock(expected[len(states)]), without_clock(expected[len(states) + 1])]
    assert steps <= len(states) + 1


@pytest.mark.slow
def test_a_journal_survives_being_killed_again_and_again(path: Path) -> None:
    for seed in range(4):
        said = killed(path, seed, 20)
        with DurableMemory(path, {"main": Counting()}) as memory:
            assert len(said) >= 20
            assert all(memory.get(id) for entry in memory.entries() for id in entry.links)


def replayed(seed: int, steps: int) -> list[dict[str, Any]]:
    """The states of the writer's memory after 0, 1, ... steps, made without a file."""
    rng = np.random.default_rng(seed)
    memory = Memory({"main": HashingEncoder(16)})
    states = [memory.to_json()]
    for step in range(steps):
        memory.tick()
        live = [entry.id for entry in memory.entries()] or ["m1"]
        one, two = (live[int(i)] for i in rng.integers(len(live), size=2))
        choices: list[Operation] = [
            Create(f"text {step}"), Create(f"word {step}"), Update(one, f"new {step}"), Delete(one), Link(one, (two,)),
            Evolve(one, context=f"context {step}"), Scratchpad(f"note {step}"),
        ]  # fmt: skip
        operation = choices[int(rng.integers(7))]
        rng.integers(3)
        memory.apply(operation, Write("episode", step, operation.kind, memory.clock))
        states.append(memory.to_json())
    return states


def without_clock(state: dict[str, Any]) -> dict[str, Any]:
    """Steps that wrote nothing are in no file until it is closed."""
    return {name: value for name, value in state.items() if name != "clock"}


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
