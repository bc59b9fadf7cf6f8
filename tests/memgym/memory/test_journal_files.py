"""Files that are no journals, and processes that share or lose one: what was acknowledged is there."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_journal import Counting, do, nearest

from memgym.memory import Memory, Write
from memgym.memory.encoders import HashingEncoder
from memgym.memory.journal import DurableMemory, JournalError
from memgym.operations import Create, Delete, Evolve, Link, Operation, Scratchpad, Update

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


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.sqlite"


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
        "UPDATE entries SET entry = replace(entry, 'create', 'delete')",
        "UPDATE entries SET text = x'6f6e65'||x'65'",
        "UPDATE entries SET store = 1",
        "UPDATE vectors SET rows = x'00'",
        "UPDATE vectors SET rows = x'00000000'",
        "UPDATE vectors SET rows = zeroblob(64) || x'00'",
        "UPDATE vectors SET rows = zeroblob(60) || x'0000c07f'",
        "UPDATE vectors SET keys = x'01'",
        "UPDATE meta SET value = x'5d' WHERE name = 'scratchpad'",
        "UPDATE counters SET clock = 'soon'",
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
