"""Mem0 (the paper's four decisions, and the release that only adds) and Memory-R1, which picks from many candidates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from staged import Replies, staged

import memgym
from memgym.agents.systems.mem0 import Mem0, dated
from memgym.agents.systems.mem0_add_only import Mem0AddOnly
from memgym.agents.systems.memory_r1 import MemoryR1
from memgym.contracts import ContractError
from memgym.memory.entry import Entry, Hit, Write
from memgym.operations import Action, Advance
from memgym.records import Episode
from memgym.rollout import play

OSLO, ROME = "Mia lives in Oslo.", "Mia lives in Rome."


def model(**said: Any) -> Replies:
    def each(inputs: Mapping[str, Any]) -> dict[str, list[str]]:
        return {"facts": [inputs["text"]]}

    return Replies(**{"extract": each, "extract_after": each, "decide": {"action": "add"}, **said})


def decision(action: str, id: str = "", text: str = "") -> dict[str, str]:
    return {"action": action, "id": id, "text": text}


def test_each_fact_of_a_passage_is_an_entry_of_its_own() -> None:
    facts = ["Mia plays the violin.", "Mia is 30.", "Mia lives in Oslo."]
    assert staged(Mem0, model(extract={"facts": facts}), ["A letter of Mia."]).texts == facts


def test_a_passage_without_facts_leaves_nothing() -> None:
    played = staged(Mem0, model(extract={"facts": []}), ["Hello!"])
    assert played.texts == []
    assert not any(action.operations for action in played.actions[:1])


def test_a_contradiction_updates_the_old_fact_under_its_id() -> None:
    played = staged(Mem0, model(decide=decision("update", "0", ROME)), [OSLO, ROME])
    [entry] = played.entries
    assert (entry.id, entry.text, entry.version) == ("m1", ROME, 2)


def test_an_update_without_a_text_takes_the_fact() -> None:
    assert staged(Mem0, model(decide=decision("update", "0")), [OSLO, ROME]).texts == [ROME]


def test_an_updated_memory_is_found_by_its_new_text_at_once() -> None:
    replies = model(decide=[decision("update", "0", ROME), decision("add")])
    played = staged(Mem0, replies, [OSLO, ROME, "Zebras graze."], ["Rome"], options={"retrieval": {"k": 1}})
    assert played.results[-2].ids == ("m1",)
    assert replies.asked("answer")[0]["text"] == ROME


def test_a_contradiction_can_delete_the_old_fact() -> None:
    played = staged(Mem0, model(decide=decision("delete", "0")), [OSLO, "Mia does not live in Oslo any more."])
    assert played.texts == []
    assert played.ended("delete") == ["ok"]


def test_nothing_is_written_of_a_fact_that_is_known() -> None:
    assert staged(Mem0, model(decide=decision("none")), [OSLO, "Oslo is where Mia lives."]).texts == [OSLO]


def test_the_first_fact_is_added_without_asking() -> None:
    replies = model()
    assert staged(Mem0, replies, [OSLO]).texts == [OSLO]
    assert "decide" not in replies.kinds()


def test_at_most_ten_memories_are_shown_under_temporary_numbers() -> None:
    replies = model()
    staged(Mem0, replies, [f"Fact {number} on Mia." for number in range(14)])
    shown = replies.asked("decide")[-1]["memories"]
    assert [line[: line.index(" ")] for line in shown] == [f"[{number}]" for number in range(10)]


def test_a_temporary_number_means_the_memory_that_stood_behind_it() -> None:
    """With several memories the number is a rank of this read, and no position in the store."""

    def second(inputs: Mapping[str, Any]) -> dict[str, str]:
        meant = next((line for line in inputs["memories"] if OSLO in line), None)
        if meant is None or inputs["fact"] != ROME:
            return decision("add")
        return decision("update", meant[1 : meant.index("]")], ROME)

    played = staged(Mem0, model(decide=second), ["Otto bakes bread.", OSLO, "Anna sings.", ROME])
    assert [(entry.id, entry.text) for entry in played.entries] == [
        ("m1", "Otto bakes bread."), ("m2", ROME), ("m3", "Anna sings."),
    ]  # fmt: skip


def test_a_fact_sees_what_the_fact_before_it_in_the_same_passage_has_written() -> None:
    replies = model(extract={"facts": [OSLO, ROME]}, decide=decision("update", "0", ROME))
    assert staged(Mem0, replies, ["Mia moved from Oslo to Rome."]).texts == [ROME]
    assert replies.asked("decide")[0]["memories"] == [f"[0] {OSLO}"]


@pytest.mark.parametrize("action", ["update", "delete"])
@pytest.mark.parametrize("id", ["12", "m1", "", "none", "\ud800", "#1"])
def test_a_number_that_was_not_shown_is_refused_on_record_and_the_fact_is_not_lost(action: str, id: str) -> None:
    played = staged(Mem0, model(decide=decision(action, id, "Wrong.")), [OSLO, ROME])
    assert played.texts == [OSLO, ROME]
    assert played.ended(action) == ["unknown_id"]


def test_adding_the_same_fact_twice_keeps_it_even_if_the_model_would_delete_it() -> None:
    replies = model(decide=decision("delete", "0"))
    assert staged(Mem0, replies, [OSLO, OSLO]).texts == [OSLO]
    assert "decide" not in replies.kinds()


@pytest.mark.parametrize("action", ["update", "delete"])
def test_where_updates_and_deletions_are_masked_the_fact_is_added(action: str) -> None:
    masked = {"operations": ("create", "read", "evolve")}
    played = staged(Mem0, model(decide=decision(action, "0", ROME)), [OSLO, ROME], env_options=masked)
    assert played.texts == [OSLO, ROME]
    assert played.ended(action) == ["masked"]


@settings(max_examples=25)
@given(
    decided=st.lists(
        st.builds(
            decision, st.sampled_from(["add", "update", "delete", "none"]), st.sampled_from(["0", "1", "7", "m2", "x"])
        ),
        min_size=1,
        max_size=5,
    )
)
def test_only_memories_that_were_shown_are_ever_changed(decided: list[dict[str, str]]) -> None:
    texts = [f"Fact {number}." for number in range(6)]
    played = staged(Mem0, model(decide=list(decided)), texts, options={"evolution": {"similar": 1}})
    changed = sum(entry.version > 1 for entry in played.entries)
    gone = played.ended("delete").count("ok")
    assert changed <= played.ended("update").count("ok")
    assert len(played.entries) == played.ended("create").count("ok") - gone


def test_an_unreadable_decision_adds_the_fact_and_is_counted() -> None:
    played = staged(Mem0, model(decide="perhaps"), [OSLO, ROME])
    assert played.texts == [OSLO, ROME]
    assert played.usage.failures == 1


@pytest.mark.parametrize(
    "text", [OSLO, "美亞住在奧斯陸。", "มีอาอยู่ออสโล", "🏠", "\ud800", "a\x00b", " ".join(map(str, range(20_000)))]
)
def test_an_unreadable_extraction_keeps_the_passage(text: str) -> None:
    played = staged(Mem0, model(extract="no facts"), [text])
    assert "".join(played.texts).replace(" ", "") == text.replace(" ", "")
    assert played.usage.failures == len(played.texts)


def test_an_updated_memory_is_shown_with_the_time_of_the_update() -> None:
    written = Write("e", 1, "create", 1)
    entry = Entry("m1", ROME, "main", written, written, time="May 2016")
    assert dated(Hit(entry, 1.0, "dense")) == f"(May 2016) {ROME}"
    later = Entry("m1", ROME, "main", written, written, time="May 2016", attributes=(("updated", "June 2018"),))
    assert dated(Hit(later, 1.0, "dense")) == f"(June 2018) {ROME}"


def test_with_the_rules_model_the_later_fact_replaces_the_earlier_in_either_order() -> None:
    early = "Ana Berg lives in Oslo as of May 2005."
    late = "Ana Berg moved house from Oslo to Rome in June 2014."
    for texts in ([early, late], [late, early]):
        [entry] = staged(Mem0, memgym.make_model("rules"), texts).entries
        assert "Rome" in entry.text


def test_its_parts_work_in_other_pipelines() -> None:
    played = staged(Mem0, model(decide=decision("none")), [OSLO, ROME], formation="passage.formation")
    assert played.texts == [OSLO]


def test_its_evolution_needs_an_index_of_embeddings() -> None:
    with pytest.raises(ContractError, match=r"mem0\.evolution.*text_embedding_index.*vector\.backend"):
        Mem0(memgym.make_model("rules"), backend="text.backend")


def test_the_add_only_release_makes_one_call_a_passage_and_keeps_what_contradicts() -> None:
    replies = model()
    played = staged(Mem0AddOnly, replies, [OSLO, ROME])
    assert played.texts == [OSLO, ROME]
    assert replies.kinds() == ["extract_after", "extract_after", "answer"]


def test_the_add_only_release_keeps_an_exact_duplicate_once_and_says_so() -> None:
    played = staged(Mem0AddOnly, model(), [OSLO, OSLO])
    assert played.texts == [OSLO]
    assert played.ended("create") == ["ok", "duplicate"]


def test_the_add_only_release_shows_ten_earlier_passages_cut_to_three_hundred_characters() -> None:
    replies = model()
    staged(Mem0AddOnly, replies, [f"Passage {number} {'word ' * 100}" for number in range(13)])
    before = replies.asked("extract_after")[-1]["before"]
    assert len(before) == 10
    assert {len(text) for text in before} == {300}
    assert before[0].startswith("Passage 2 ")


def test_the_passages_of_one_episode_are_forgotten_in_the_next() -> None:
    replies = model()
    agent = Mem0AddOnly(replies, options={"backend": {"encoder": "hashing"}})
    for _ in range(2):
        staged(Mem0AddOnly, replies, [OSLO], agent=agent)
    assert [inputs["before"] for inputs in replies.asked("extract_after")] == [[], []]


def test_memory_r1_answers_from_the_candidates_that_were_picked_in_that_order() -> None:
    replies = model(select=lambda inputs: {"numbers": [len(inputs["options"]), 1]})
    staged(MemoryR1, replies, [OSLO, "Otto bakes bread.", "Anna sings."], ["Where does Mia live?"])
    options = replies.asked("select")[0]["options"]
    assert len(options) == 3
    assert replies.asked("answer")[0]["text"] == f"{options[2]}\n{options[0]}"


def test_memory_r1_reads_up_to_sixty_candidates() -> None:
    replies = model(extract={"facts": [f"Fact {number} on Mia." for number in range(70)]}, select={"numbers": []})
    staged(MemoryR1, replies, ["A page."])
    assert len(replies.asked("select")[0]["options"]) == 60


def test_memory_r1_ignores_numbers_that_no_candidate_has() -> None:
    replies = model(select={"numbers": [0, -1, 99, 1]})
    staged(MemoryR1, replies, [OSLO])
    assert replies.asked("answer")[0]["text"] == OSLO


def test_memory_r1_shows_all_candidates_if_the_choice_is_unreadable_and_none_if_none_helps() -> None:
    for said, shown in (("?", OSLO), ({"numbers": []}, "")):
        replies = model(select=said)
        staged(MemoryR1, replies, [OSLO])
        assert replies.asked("answer")[0]["text"] == shown


def test_memory_r1_makes_no_choice_among_nothing() -> None:
    replies = model(extract={"facts": []})
    staged(MemoryR1, replies, [OSLO])
    assert "select" not in replies.kinds()


@pytest.mark.parametrize("name", ["mem0", "mem0-add-only", "memory-r1", "vanilla-rag"])
def test_the_system_plays_the_synthetic_world_to_the_end(name: str) -> None:
    [record] = play([
        Episode(
            name, "MemGym/Synthetic-50doc", name, 0, model="rules",
            options={"advance": "explicit", "encoder": "hashing", "questions": 3},
            agent_options={"options": {"backend": {"encoder": "hashing"}}},
        )
    ])  # fmt: skip
    assert record.error is None
    assert record.terminated
    assert record.outcome is not None
    assert record.outcome.metrics["evidence_stored"] > 0.9


def test_forming_takes_about_one_step_a_fact() -> None:
    played = staged(Mem0, model(extract={"facts": [f"Fact {number}." for number in range(20)]}), ["A page."])
    steps = [action for action in played.actions if action != Action(command=Advance())]
    assert len(steps) <= 20 + 1 + 2
