"""What users of memory systems complain about, each complaint as the behaviour that it asks for: duplicates, models, scripts.

The numbers are those of the survey of issues that this project keeps; repositories and issues are named beside them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from complaining import HOMES, WAYS, edge, environment, facts, found, holding, lived_in
from every_system import CONTRACTS, LIVED, SYSTEMS, built
from living import played
from staged import Pages, Replies, Staged, staged

from memgym import registry
from memgym.agents.systems.mem0 import Mem0
from memgym.agents.systems.vanilla_rag import VanillaRag
from memgym.asked import kinds_of
from memgym.env import MemoryEnv
from memgym.memory import Memory
from memgym.memory.encoders import Encoder, HashingEncoder, RandomEncoder
from memgym.memory.journal import DurableMemory, JournalError
from memgym.model import Meter
from memgym.operations import Action, Delete, Read, Status

# ------------------------------------------------------------------ duplicates


def test_what_is_said_again_in_other_words_is_not_added_where_the_model_says_so() -> None:
    """18. MemOS#881: memories of one meaning were added again, and all of them recalled."""
    model = Replies(extract=facts, decide={"action": "none"})
    done = staged(Mem0, model, ["Ann lives in Rome.", "Rome is where Ann lives."])
    assert done.texts == ["Ann lives in Rome."]
    assert "Rome is where Ann lives." not in model.asked("answer")[0]["text"]


def test_an_edge_that_comes_twice_at_once_is_kept_once() -> None:
    """19. graphiti#1672, #1872: duplicate edges where many were added at once."""
    done = lived_in(
        *[edge("Ann", "Rome", 2010)] * 3, edge("Ann", "Rome", 2010) | {"text": "Rome is Ann's home."}, texts=2
    )
    assert done.texts == ["Ann lives in Rome."]


@pytest.mark.parametrize("again", [2, 3])
def test_an_input_that_is_shown_twice_gives_no_second_entry(again: int) -> None:
    """20. graphiti#963: the same episode taken in twice gave two nodes."""
    done = staged(VanillaRag, Replies(), list(HOMES) * again)
    assert sorted(done.texts) == sorted(HOMES)
    assert done.ended("create").count("duplicate") == len(HOMES) * (again - 1)


# ------------------------------------------------------------------ replies of models


def kinds(made: Any) -> set[str]:
    return set().union(*(kinds_of(registry.load("component", part)) for part in made.system.values()), {"answer"})


def degraded(name: str, reply: str) -> Staged:
    """Play a system whose model gives one reply to whatever it is asked."""
    made = registry.load("agent", name)
    model = Replies(**dict.fromkeys(kinds(made), reply))
    agent: Any = registry.make_agent(name, model=(meter := Meter(model)), **built(name)[1])
    needs = dict(agent.needs)
    if any("steps" in CONTRACTS[part].requires for part in made.system.values()):
        return played(agent, MemoryEnv("Experience", experiences=LIVED, **needs), meter)
    return played(agent, MemoryEnv(Pages([" ".join(HOMES)] * 2, ["Who?"]), **needs), meter)


@pytest.mark.parametrize("reply", ["{}", '{"facts": null, "edges": [{}], "ids": [null]}', ""])
@pytest.mark.parametrize("name", SYSTEMS)
def test_a_model_that_omits_required_fields_is_asked_again_within_bounds_and_counted(name: str, reply: str) -> None:
    """22. graphiti#912, #760: models that omit required fields ended the run."""
    done = degraded(name, reply)
    asked = done.usage.calls - done.usage.retries
    assert done.env.pomdp.terminated
    assert done.usage.retries <= 2 * asked
    assert done.usage.failures > 0 or not done.usage.calls


@pytest.mark.parametrize("name", ["a-mem", "graphiti", "lightmem", "simplemem", "structmem"])
def test_an_input_whose_prompt_is_refused_is_kept_as_it_is_and_marked(name: str) -> None:
    """23. LightMem#53: a gateway refused prompts, and notes were stored as if nothing had happened."""
    done = degraded(name, "I cannot help with that.")
    marked = [entry.text for entry in done.entries if entry.attribute("degraded")]
    assert all(any(home in text for text in marked) for home in HOMES)
    assert done.usage.failures > 0


# ------------------------------------------------------------------ encoders


@pytest.mark.parametrize("dimension", [64, 384, 768, 1536])
def test_an_index_has_the_dimension_of_its_encoder(dimension: int) -> None:
    """25. mem0#4195, #4212, #3148: collections had 1536 dimensions whatever the embedder gave."""
    memory = holding(*HOMES, memory=Memory({"main": HashingEncoder(dimension)}))
    assert len(found(memory, "Who lives in Rome?", "dense")) == len(HOMES)


@pytest.mark.parametrize("other", [HashingEncoder(64), RandomEncoder(256), None])
def test_a_memory_of_another_encoder_is_refused_when_opened_and_says_whose_it_is(
    other: Encoder | None, tmp_path: Path
) -> None:
    """26. mem0#3065: another embedding model broke stores that existed."""
    with DurableMemory(tmp_path / "memory.db", {"main": HashingEncoder(256)}) as memory:
        holding(*HOMES, memory=memory)
    with pytest.raises(JournalError, match="hashing"):
        DurableMemory(tmp_path / "memory.db", {"main": other})
    with DurableMemory(tmp_path / "memory.db", {"main": HashingEncoder(256)}) as again:
        assert found(again, "Rome", "dense")[0] == HOMES[0]


# ------------------------------------------------------------------ nothing, and other languages


@pytest.mark.parametrize("query", ["", " ", "\n\t", "\u3000"])
@pytest.mark.parametrize("by", WAYS)
def test_a_blank_query_finds_nothing_and_says_so(query: str, by: str) -> None:
    """27. mem0#5220: a blank query crashed some embedders, or returned everything."""
    result, hits = holding(*HOMES).read(Read(query, by=by), k=9)
    assert (result.status, hits) == (Status.EMPTY, [])


@pytest.mark.parametrize("by", WAYS)
def test_an_empty_memory_can_be_searched(by: str) -> None:
    """28. letta#401: searching an empty archival store crashed."""
    result, hits = holding().read(Read("Rome", by=by), k=9)
    assert (result.status, hits) == (Status.OK, [])


SCRIPTS = {
    "Chinese": ("安娜住在羅馬。", "鮑伯喜歡咖啡。", "誰喜歡咖啡?"),
    "Japanese": ("アンナはローマに住んでいる。", "ボブはコーヒーが好きだ。", "コーヒーが好きなのは誰?"),
    "Thai": ("แอนนาอาศัยอยู่ในโรม", "บ๊อบชอบดื่มกาแฟ", "ใครชอบกาแฟ"),
    "Arabic": ("تعيش آنا في روما.", "بوب يحب القهوة.", "من يحب القهوة؟"),
    "Greek": ("Η Άννα μένει στη Ρώμη.", "Ο Μπομπ αγαπά τον καφέ.", "Ποιος αγαπά τον ΚΑΦΈ;"),
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_words_of_other_scripts_are_found(script: str) -> None:
    """29. mem0#4884, #4942: Chinese became one token, and Thai none."""
    rome, coffee, asked = SCRIPTS[script]
    assert found(holding(rome, coffee), asked)[:1] == [coffee]


def test_hundreds_of_entries_are_found_and_deleted_in_two_steps() -> None:
    """37. MemOS#1103: 793 memories were deleted by one search and one call each."""
    env = environment(*(f"Note {number} on kites." for number in range(793)), *HOMES)
    env.step(Action((Read("kites", k=1000, by="text"),)))
    kites = [hit.entry for hit in env.pomdp.seen.memories if "kites" in hit.entry.text]
    env.step(Action(tuple(Delete(entry.id) for entry in kites)))
    assert [entry.text for entry in env.memory.entries()] == list(HOMES)
    assert env.pomdp.steps == 3
