"""What users of memory systems complain about, each complaint as the behaviour that it asks for: wrong entries and losses.

The numbers are those of the survey of issues that this project keeps; repositories and issues are named beside them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from complaining import HOMES, WAYS, apply, edge, environment, facts, found, holding, lived_in, shown_ids
from hypothesis import given, settings
from hypothesis import strategies as st
from living import played
from staged import Pages, Replies, staged

from memgym.agents.systems.a_mem import AMem
from memgym.agents.systems.lightmem import LightMem
from memgym.agents.systems.mem0 import Mem0
from memgym.agents.systems.mem0_add_only import Mem0AddOnly
from memgym.env import MemoryEnv
from memgym.memory import Memory
from memgym.memory.encoders import HashingEncoder
from memgym.memory.journal import DurableMemory
from memgym.model import Meter
from memgym.operations import Action, Create, Delete, Evolve, Link, Operation, Read, Scratchpad, Status, Update

# ------------------------------------------------------------------ the wrong entry


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_a_rank_means_the_entry_that_was_shown_there_and_no_other_changes(rank: int) -> None:
    """1. A-mem#32: a rank of what was retrieved was used as a position among all notes."""
    env = environment(*HOMES)
    env.step(Action((Read("Dag Cem Bob", k=3),)))
    meant = env.pomdp.seen.memories[rank - 1].entry
    env.step(Action((Update(f"#{rank}", "Somebody moved."),)))
    assert {entry.id for entry in env.memory.entries() if entry.version > 1} == {meant.id}


def test_links_are_ids_of_live_entries_and_go_with_what_they_lead_to() -> None:
    """2. A-mem-sys#3: links held positions, which meant other notes after a deletion."""
    memory = holding(*HOMES)
    apply(memory, Link("m1", ("m2", "m4")))
    assert apply(memory, Link("m1", ("m9",))).status is Status.UNKNOWN_ID
    apply(memory, Delete("m2"))
    assert [entry.links for entry in memory.entries()] == [("m4",), (), ()]


def test_links_change_what_is_retrieved() -> None:
    """3. A-mem#3: links were written and never used at retrieval."""

    def answered_from(follow: int) -> str:
        model = Replies(link_and_evolve=lambda inputs: {"ids": shown_ids(inputs["neighbours"])[:1]})
        stages = {"retrieval": {"k": 1, "follow": follow}}
        staged(AMem, model, ["Ann owns a red kite.", "Storms break every kite string."], ["Storms?"], options=stages)
        return str(model.asked("answer")[0]["text"])

    assert "Ann" not in answered_from(0)
    assert "Ann" in answered_from(1)


@pytest.mark.parametrize("by", WAYS)
def test_an_evolved_entry_is_found_as_if_it_had_never_been_otherwise(by: str) -> None:
    """4. A-mem#35: after evolution the index went on returning the old context and tags."""
    evolved, fresh = holding("It was late.", *HOMES), holding()
    found(evolved, "harbour ships", by)
    apply(evolved, Evolve("m1", context="harbour", tags=("ships",)))
    assert found(evolved, "harbour ships", by)[0] == "It was late."
    apply(evolved, Evolve("m1", context="orchard", tags=("apples",)))
    apply(fresh, Create("It was late.", context="orchard", tags=("apples",)))
    holding(*HOMES, memory=fresh)
    for query in ("harbour ships", "orchard apples"):
        hits = [[(hit.entry.id, hit.entry.context, hit.score) for hit in one.read(Read(query, by=by), k=9)[1]]
                for one in (evolved, fresh)]  # fmt: skip
        assert hits[0] == hits[1]


@pytest.mark.parametrize(
    ("dialect", "said"),
    [
        ("xml", "<modify_memory id='m1'>x</modify_memory>"),
        ("tools", '<tool_call>{"name": "update_neighbor", "arguments": {"id": "m1"}}</tool_call>'),
    ],
)
def test_an_action_of_an_unknown_name_is_answered_as_malformed(dialect: str, said: str) -> None:
    """5. WujiangXu/A-mem#3: the prompt named an action under a name that the code ignored without a word."""
    env = MemoryEnv(Pages(["Read this."], ["Who?"]), advance="explicit", dialect=dialect)
    env.reset(seed=0)
    env.step(said)
    assert [result.status for result in env.pomdp.seen.results] == [Status.MALFORMED]
    assert "there is no" in env.pomdp.texts["feedback"]


def test_creating_a_text_twice_keeps_it_once() -> None:
    """6. mem0#1674: adding the same memory twice deleted it."""
    memory = holding("Ann lives in Rome.")
    again = apply(memory, Create("Ann lives in Rome."))
    assert (again.status, again.ids) == (Status.DUPLICATE, ("m1",))
    assert found(memory, "Ann") == ["Ann lives in Rome."]


def test_an_id_that_was_never_shown_is_a_status_and_the_fact_is_kept() -> None:
    """7. mem0#3931: a model's id "12" where there are 0 to 4 was a KeyError in production."""
    model = Replies(extract=facts, decide={"action": "update", "id": "12", "text": "Nobody."})
    done = staged(Mem0, model, ["\n".join(HOMES)])
    assert set(done.ended("update")) == {"unknown_id"}
    assert sorted(done.texts) == sorted(HOMES)


BAD = [
    Create(" "), Create("x", links=("m9",)), Create("x", store="attic"), Update("", "x"), Update("undefined", "x"),
    Update("m1", ""), Delete("m9"), Delete("1"), Link("m1", ()), Link("m9", ("m1",)), Evolve("None", context="x"),
    Read(""), Read("x", k=0), Read("x", by="magic"), Read("x", store="attic"), Scratchpad(""),
]  # fmt: skip


@settings(max_examples=30)
@given(operations=st.lists(st.sampled_from(BAD), min_size=1, max_size=6))
def test_every_operation_is_answered_by_a_status_in_its_order(operations: list[Operation]) -> None:
    """8. mem0#4708: an operation on an undefined id was dropped without a word."""
    env = environment(*HOMES)
    env.step(Action(tuple(operations)))
    results = env.pomdp.seen.results
    assert [result.operation for result in results] == [operation.kind for operation in operations]
    assert all(result.ok or result.reason for result in results)


def test_a_fact_supersedes_only_facts_on_the_same_matter_and_these_stay_readable() -> None:
    """9. graphiti#1728: candidates came from the whole graph, and a third of all facts were wrongly invalidated."""
    done = lived_in(edge("Ann", "Rome", 2010), edge("Bob", "Oslo", 2011), edge("Ann", "Paris", 2012))
    ended = {entry.text: entry.attribute("invalid_at") for entry in done.entries}
    assert ended == {"Ann lives in Rome.": "2012", "Bob lives in Oslo.": "", "Ann lives in Paris.": ""}
    assert "Ann lives in Rome." in found(done.env.memory, "Where did Ann live in Rome?")


def test_a_system_that_updates_keeps_no_contradiction_where_one_that_only_adds_keeps_both() -> None:
    """10. mem0 PR#5821: a store that is only added to keeps contradictory preferences."""
    pages = ["Ann likes tea.", "Ann likes coffee now."]
    decide = {"action": "update", "id": "0", "text": "Ann likes coffee now."}
    updating = staged(Mem0, Replies(extract=facts, decide=decide), pages)
    adding = staged(Mem0AddOnly, Replies(extract_after=facts), pages)
    assert updating.texts == ["Ann likes coffee now."]
    assert adding.texts == pages


# ------------------------------------------------------------------ loss, and whose memory it is


def test_deleting_all_of_one_owner_leaves_the_other_s() -> None:
    """11. mem0#3928: delete_all of one user wiped every user's memories."""
    memory = Memory({"ann": None, "bob": None})
    for owner in ("ann", "bob"):
        for number in range(3):
            apply(memory, Create(f"secret {number} of {owner}", store=owner))
    for entry in memory.entries("ann"):
        apply(memory, Delete(entry.id))
    assert memory.entries("ann") == []
    assert len(memory.entries("bob")) == 3
    assert memory.read(Read("secret", store="ann"), k=9)[1] == []


@settings(max_examples=20)
@given(gone=st.sets(st.integers(0, 7)))
def test_what_was_deleted_is_never_found_again(gone: set[int]) -> None:
    """12. mem0#3695: deleted memories were still returned by search."""
    texts = [f"Note {number} on kites." for number in range(8)]
    memory = holding(*texts)
    for number in gone:
        apply(memory, Delete(f"m{number + 1}"))
    for by in WAYS:
        assert sorted(found(memory, "kites", by)) == [text for n, text in enumerate(texts) if n not in gone]


def test_an_input_larger_than_the_buffer_is_read_whole() -> None:
    """14. LightMem PR#66: a message larger than the buffer looped forever, or lost the wrong slice."""
    words = [f"w{number}" for number in range(2000)]
    model = Replies(extract={"facts": []})
    staged(LightMem, model, [" ".join(words)], options={"formation": {"tokens": 64}})
    asked = " ".join(inputs["text"] for inputs in model.asked("extract"))
    assert set(words) <= set(asked.split())


def test_what_is_written_while_a_model_thinks_is_not_erased_by_its_decision() -> None:
    """15. odysseus#1940: consolidation over a long model call erased what was written meanwhile."""
    memory = Memory({"main": HashingEncoder()})

    def decide(inputs: Any) -> dict[str, str]:
        apply(memory, Create(f"Written meanwhile, call {len(model.asked('decide'))}."))
        return {"action": "update", "id": shown_ids(inputs["memories"])[0], "text": inputs["fact"] + " Really."}

    model = Replies(extract=facts, decide=decide)
    meter = Meter(model)
    agent = Mem0(meter, options={"backend": {"encoder": "hashing"}})
    env = MemoryEnv(Pages(["\n".join(HOMES)], ["Who?"]), advance="explicit", encoder="hashing")
    played(agent, env, meter, memory=memory)
    calls = len(model.asked("decide"))
    assert calls > 1
    assert len([one for one in memory.entries() if one.text.startswith("Written meanwhile")]) == calls


def test_updates_and_deletions_outlive_the_process_and_ids_are_text_of_one_form(tmp_path: Path) -> None:
    """16. powercontext#1145: update and delete reached the cache only, and ids as numbers missed."""
    with DurableMemory(tmp_path / "memory.db") as memory:
        holding(*HOMES, memory=memory)
        apply(memory, Update("m1", "Ann lives in Paris."))
        apply(memory, Delete("m2"))
        assert [apply(memory, Delete(id)).status for id in ("3", "m03", "M3")] == [Status.UNKNOWN_ID] * 3
    with DurableMemory(tmp_path / "memory.db") as again:
        assert [entry.text for entry in again.entries()] == ["Ann lives in Paris.", *HOMES[2:]]


def test_a_new_memory_leaves_those_that_exist_as_they_are(tmp_path: Path) -> None:
    """17. A-mem PR#17: nothing was persisted, and the constructor reset the database of all instances."""
    with DurableMemory(tmp_path / "one.db") as one:
        holding(*HOMES, memory=one)
        plain = holding("mine")
        with DurableMemory(tmp_path / "two.db") as two:
            assert len(two) == len(Memory()) == 0
        assert (len(one), len(plain)) == (4, 1)
    with DurableMemory(tmp_path / "one.db") as again:
        assert len(again) == 4
