"""Vectors in chunks: none is lost, none outlives its text, and files of schema 2 become what they would be now."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from small_journal import Counting, do, hits

from memgym.memory import Memory
from memgym.memory.chunks import ROWS, SMALL
from memgym.memory.encoders import HashingEncoder
from memgym.memory.journal import DurableMemory, JournalError
from memgym.operations import Create, Delete, Evolve, Link, Read, Scratchpad, Update

TWO = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE counters (id INTEGER PRIMARY KEY, next_id INTEGER NOT NULL, clock INTEGER NOT NULL);
CREATE TABLE entries (key INTEGER PRIMARY KEY, entry BLOB NOT NULL, vector BLOB, clock INTEGER NOT NULL);
"""

KILLED = """
import sys
from memgym.memory import Write
from memgym.memory.encoders import HashingEncoder
from memgym.memory.journal import DurableMemory
from memgym.operations import Create, Read, Update

memory = DurableMemory(sys.argv[1], {"main": HashingEncoder(16)})
source = Write("episode", 1, "test", 1)
for number in range(300):
    memory.apply(Create(f"text {number}"), source)
memory.read(Read("text", by="dense"), k=2)
memory.apply(Update("m7", "quite another text"), source)
memory.apply(Create("a late text"), source)
print("done", flush=True)
sys.stdin.readline()
"""


def scored(memory: Memory, query: str) -> list[tuple[str, float]]:
    return [(hit.entry.id, hit.score) for hit in hits(memory, query)]


def chunks(path: Path) -> list[int]:
    with sqlite3.connect(path) as database:
        sizes = [size // 8 for (size,) in database.execute("SELECT length(keys) FROM vectors ORDER BY id")]
    database.close()
    return sizes


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.sqlite"


def test_vectors_of_one_read_are_in_full_chunks(path: Path) -> None:
    with DurableMemory(path, {"main": Counting()}) as memory:
        do(memory, *(Create(f"text {number}") for number in range(ROWS + 5)))
        before = scored(memory, "text 3")
    assert chunks(path) == [ROWS, 5]
    with DurableMemory(path, {"main": Counting()}) as again:
        assert scored(again, "text 3") == before


def test_many_small_chunks_are_joined_when_the_file_is_opened(path: Path) -> None:
    with DurableMemory(path, {"main": Counting()}) as memory:
        for number in range(SMALL + 9):
            do(memory, Create(f"text {number}"))
            scored(memory, "text")
        do(memory, Update("m3", "another"), Delete("m4"))
        scored(memory, "text")
        before = scored(memory, "text 5")
    assert len(chunks(path)) == SMALL + 10
    for _ in range(2):
        encoder = Counting()
        with DurableMemory(path, {"main": encoder}) as again:
            assert scored(again, "text 5") == before
        assert encoder.texts == ["text 5"]
    assert chunks(path) == [SMALL + 8]


def test_chunks_of_the_dead_are_given_up(path: Path) -> None:
    with DurableMemory(path, {"main": Counting()}) as memory:
        do(memory, *(Create(f"text {number}") for number in range(1200)))
        scored(memory, "text")
        with memory.together():
            do(memory, *(Delete(f"m{number}") for number in range(1, 1199)))
    with DurableMemory(path, {"main": Counting()}):
        pass
    assert chunks(path) == [2]


def test_a_text_that_changes_and_changes_back_is_encoded_anew(path: Path) -> None:
    with DurableMemory(path, {"main": Counting()}) as memory:
        do(memory, Create("one"))
        scored(memory, "one")
        do(memory, Update("m1", "two"), Update("m1", "one"))
    encoder = Counting()
    with DurableMemory(path, {"main": encoder}) as again:
        scored(again, "x")
    assert encoder.texts == ["one", "x"]


def test_vectors_that_are_gone_are_made_again(path: Path) -> None:
    with DurableMemory(path, {"main": Counting()}) as memory:
        do(memory, Create("one"), Create("two"))
        before = scored(memory, "one")
    with sqlite3.connect(path) as database:
        database.execute("DELETE FROM vectors")
    database.close()
    for _ in range(2):
        with DurableMemory(path, {"main": HashingEncoder(16)}) as again:
            assert scored(again, "one") == before


def test_a_chunk_of_another_dimension_is_an_error(path: Path) -> None:
    with DurableMemory(path, {"main": HashingEncoder(16)}) as memory:
        do(memory, Create("one"))
        scored(memory, "one")
    with sqlite3.connect(path) as database:
        database.execute("UPDATE vectors SET rows = zeroblob(128)")
    database.close()
    with pytest.raises(JournalError, match=r"memory\.sqlite"):
        DurableMemory(path, {"main": HashingEncoder(16)})


def test_vectors_of_several_stores_stay_apart(path: Path) -> None:
    def encoders() -> dict[str, Any]:
        return {"a": HashingEncoder(16), "b": None, "c": HashingEncoder(8)}

    def found(memory: Memory) -> list[list[tuple[str, float]]]:
        reads = [Read("one", by="dense", store=name) for name in ("a", "c")]
        return [[(hit.entry.text, hit.score) for hit in memory.read(read, k=9)[1]] for read in reads]

    with DurableMemory(path, encoders()) as memory:
        do(memory, *(Create(f"{word} of {name}", store=name) for word in ("one", "two") for name in "abc"))
        before, state = found(memory), memory.to_json()
    with DurableMemory(path, encoders()) as again:
        assert found(again) == before
        assert again.to_json() == state


def test_a_kill_after_vectors_were_written_loses_neither_them_nor_later_writes(path: Path) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    assert writer.stdin is not None
    assert writer.stdout.readline() == "done\n"
    os.kill(writer.pid, signal.SIGKILL)
    writer.wait()
    writer.stdout.close()
    writer.stdin.close()
    encoder = Counting()
    with DurableMemory(path, {"main": encoder}) as memory:
        assert len(memory) == 301
        scored(memory, "text")
    assert encoder.texts == ["quite another text", "a late text", "text"]


def test_nobody_decodes_an_entry_that_nobody_asks_for(path: Path) -> None:
    with DurableMemory(path, {"main": HashingEncoder(16)}) as memory:
        do(memory, *(Create(f"text {number}") for number in range(20)), Link("m3", ("m4",)))
        scored(memory, "text")
    with DurableMemory(path, {"main": HashingEncoder(16)}) as again:
        kept = again.stores["main"].entries
        assert {type(value) for value in dict.values(kept)} == {tuple}
        assert again.get("m3") is again.get("m3")
        assert do(again, Delete("m4"))[0].ok
        assert sum(type(value) is tuple for value in dict.values(kept)) == 18
        assert [(key, entry.id) for key, entry in kept.copy().items()] == [(key, f"m{key}") for key in kept]


def test_a_copy_of_what_was_not_looked_at_is_independent(path: Path) -> None:
    with DurableMemory(path) as memory:
        do(memory, Create("one"), Create("two", links=("m1",)))
    with DurableMemory(path) as again:
        copy = again.fork()
        do(copy, Update("m1", "other"), Delete("m2"))
        assert [entry.text for entry in again.entries()] == ["one", "two"]
        assert [entry.text for entry in copy.entries()] == ["other"]


def test_a_group_that_cannot_be_written_closes_the_file_and_leaves_what_was_before(path: Path) -> None:
    memory = DurableMemory(path)
    do(memory, Create("one"))
    memory._file._db.execute("DROP TABLE counters")
    with pytest.raises(JournalError, match="could not be written"), memory.together():
        do(memory, Create("two"))
    with pytest.raises(JournalError, match="closed"):
        do(memory, Create("three"))
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT text FROM entries").fetchall() == [(b"one",)]
    database.close()


# -------------------------------------------------------------------- schema 2


def as_two(path: Path, memory: Memory, encoder: HashingEncoder, *, encoded: int) -> None:
    """Write a memory as a file of schema 2, with the vectors of its first entries."""
    state = memory.to_json()
    names = {"main": [encoder.name, encoder.dimension, encoder.fingerprint]}
    meta = {"schema": 2, "encoders": names, "scratchpad": state["scratchpad"]}
    database = sqlite3.connect(path, isolation_level=None)
    database.executescript(TWO)
    database.execute("BEGIN")
    for name, value in meta.items():
        database.execute("INSERT INTO meta VALUES (?, ?)", (name, json.dumps(value).encode()))
    database.execute("INSERT INTO counters VALUES (0, ?, ?)", (state["next_id"], state["clock"]))
    for at, entry in enumerate(memory.entries()):
        value = json.dumps(entry.to_json(), ensure_ascii=False).encode("utf-8", "surrogatepass")
        vector = encoder.encode([entry.searchable])[0].tobytes() if at < encoded else None
        database.execute("INSERT INTO entries VALUES (?, ?, ?, 0)", (int(entry.id[1:]), value, vector))
    database.execute("COMMIT")
    database.close()


def history() -> Memory:
    memory = Memory({"main": HashingEncoder(16)})
    do(memory, *(Create(f"{number} \ud800 記憶") for number in range(ROWS + 40)), Scratchpad("note"))
    do(memory, Link("m2", ("m3",)), Evolve("m5", tags=("t",), attributes=(("a", "b"),)), Delete("m9"))
    memory.tick()
    return memory


def test_a_file_of_schema_2_opens_with_its_vectors(path: Path) -> None:
    memory = history()
    as_two(path, memory, HashingEncoder(16), encoded=ROWS + 10)
    for turn in range(2):
        encoder = Counting()
        with DurableMemory(path, {"main": encoder}) as opened:
            assert opened.to_json() == memory.to_json()
            assert scored(opened, "7") == scored(memory, "7")
        assert len(encoder.texts) == (1 if turn else 30)


def test_a_file_of_schema_2_of_another_encoder_is_refused_and_stays(path: Path) -> None:
    memory = history()
    as_two(path, memory, HashingEncoder(16), encoded=9)
    before = path.read_bytes()
    with pytest.raises(JournalError, match="reembed=True"):
        DurableMemory(path, {"main": HashingEncoder(32)})
    with sqlite3.connect(path) as database:
        names = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    database.close()
    assert names == {"meta", "counters", "entries"}
    assert len(path.read_bytes()) == len(before)
    with DurableMemory(path, {"main": HashingEncoder(32)}, reembed=True) as opened:
        assert opened.to_json() == memory.to_json()


@pytest.mark.parametrize("damage", ["entry = x'7b7d'", "vector = x'00'", "vector = zeroblob(8)"])
def test_a_damaged_file_of_schema_2_is_an_error_and_stays(path: Path, damage: str) -> None:
    as_two(path, history(), HashingEncoder(16), encoded=9)
    with sqlite3.connect(path) as database:
        database.execute(f"UPDATE entries SET {damage} WHERE key = 3")
    database.close()
    for _ in range(2):
        with pytest.raises(JournalError, match=r"memory\.sqlite"):
            DurableMemory(path, {"main": HashingEncoder(16)})
