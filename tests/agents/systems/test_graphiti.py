"""Graphiti: a superseded fact is kept, marked, and readable at its own time; only its own kind supersedes a fact."""

from __future__ import annotations

from typing import Any

import pytest
from staged import Replies, Staged, staged

import memgym
from memgym.agents.systems.graphiti import Graphiti
from memgym.contracts import ContractError
from memgym.memory.entry import Entry
from memgym.records import Episode
from memgym.rollout import play


def edge(subject: str, relation: str, object: str, since: str = "") -> dict[str, str]:
    text = f"{subject} {relation} {object}."
    return {"subject": subject, "relation": relation, "object": object, "valid_at": since, "text": text}


OSLO = edge("Mia", "lives in", "Oslo", "May 2012")
ROME = edge("Mia", "lives in", "Rome", "June 2016")
PARIS = edge("Mia", "lives in", "Paris", "March 2014")
WORK = edge("Mia", "works at", "Acme", "July 2016")
OTTO = edge("Otto", "lives in", "Bern", "July 2016")


def all_of(inputs: Any) -> dict[str, list[str]]:
    return {"ids": [line[1 : line.index("]")] for line in inputs["memories"]]}


def played(*edges: dict[str, str], question: str = "Where does Mia live?", **said: Any) -> tuple[Staged, Replies]:
    options = said.pop("options", {})
    replies = Replies(**{"edges": [{"edges": [one]} for one in edges], "invalidate": all_of, **said})
    return staged(Graphiti, replies, [f"Page {n}." for n in range(len(edges))], [question], options=options), replies


def times(entry: Entry) -> tuple[str, str]:
    return entry.attribute("valid_at"), entry.attribute("invalid_at")


def test_a_superseded_fact_is_kept_and_marked_with_both_times() -> None:
    done, _ = played(OSLO, ROME)
    assert [(entry.text, times(entry)) for entry in done.entries] == [
        (OSLO["text"], ("May 2012", "June 2016")), (ROME["text"], ("June 2016", "")),
    ]  # fmt: skip
    assert done.entries[0].attribute("created_at").startswith("step ")
    assert done.entries[0].attribute("expired_at").startswith("step ")
    assert done.entries[1].attribute("expired_at") == ""


@pytest.mark.parametrize(
    ("as_of", "shown"),
    [("2013", "Oslo"), ("May 2012", "Oslo"), ("2016-06-20", "Rome"), ("June 2016", "Rome"), ("2020", "Rome")],
)
def test_a_superseded_fact_stays_readable_at_its_own_time(as_of: str, shown: str) -> None:
    _, replies = played(OSLO, ROME, options={"retrieval": {"as_of": as_of}})
    text = replies.asked("answer")[0]["text"]
    assert [place for place in ("Oslo", "Rome") if place in text] == [shown]


def test_before_a_fact_held_nothing_of_it_is_read() -> None:
    _, replies = played(OSLO, ROME, options={"retrieval": {"as_of": "2010"}})
    assert replies.asked("answer")[0]["text"] == ""


def test_without_a_time_all_facts_are_shown_with_the_dates_between_which_they_hold() -> None:
    _, replies = played(OSLO, ROME)
    shown = replies.asked("answer")[0]["text"].splitlines()
    assert sorted(shown) == [
        "Mia lives in Oslo. (holds from May 2012 to June 2016)", "Mia lives in Rome. (holds from June 2016)",
    ]  # fmt: skip


def test_a_time_that_cannot_be_read_is_an_error() -> None:
    with pytest.raises(ValueError, match="as_of is 'long ago'"):
        Graphiti(memgym.make_model("rules"), options={"retrieval": {"as_of": "long ago"}})


@pytest.mark.parametrize("other", [WORK, OTTO])
def test_only_a_fact_of_the_same_subject_and_relation_is_ever_put_before_the_judge(other: dict[str, str]) -> None:
    done, replies = played(OSLO, other)
    assert "invalidate" not in replies.kinds()
    assert times(done.entries[0]) == ("May 2012", "")


def test_names_and_relations_are_the_same_whatever_their_case_and_spacing() -> None:
    done, _ = played(OSLO, {**ROME, "subject": " mia", "relation": "LIVES_IN"})
    assert times(done.entries[0]) == ("May 2012", "June 2016")


def test_facts_that_hold_side_by_side_are_left_as_they_are() -> None:
    done, _ = played(OSLO, ROME, invalidate={"ids": []})
    assert [times(entry)[1] for entry in done.entries] == ["", ""]


@pytest.mark.parametrize("order", [(OSLO, PARIS, ROME), (ROME, PARIS, OSLO), (OSLO, ROME, PARIS), (ROME, OSLO, PARIS)])
def test_in_whatever_order_facts_come_each_ends_where_the_next_begins(order: tuple[dict[str, str], ...]) -> None:
    done, _ = played(*order)
    ends = {entry.attribute("object"): times(entry)[1] for entry in done.entries}
    assert ends == {"Oslo": "March 2014", "Paris": "June 2016", "Rome": ""}


def test_a_duplicate_is_confirmed_and_not_added() -> None:
    done, replies = played(OSLO, {**OSLO, "text": "Oslo is where Mia lives."})
    [entry] = done.entries
    assert entry.attribute("confirmed_at").startswith("step ")
    assert "invalidate" not in replies.kinds()


def test_a_fact_that_comes_back_after_it_was_superseded_is_a_new_edge() -> None:
    back = {**OSLO, "valid_at": "May 2019", "text": "Mia lives in Oslo again."}
    done, _ = played(OSLO, ROME, back)
    assert [times(entry) for entry in done.entries] == [
        ("May 2012", "June 2016"), ("June 2016", "May 2019"), ("May 2019", ""),
    ]  # fmt: skip


def test_facts_without_a_date_are_ordered_by_the_steps_at_which_they_came() -> None:
    done, replies = played({**OSLO, "valid_at": ""}, {**ROME, "valid_at": ""})
    assert times(done.entries[0])[1] == times(done.entries[1])[0] == done.entries[1].attribute("created_at")
    shown = replies.asked("answer")[0]["text"].splitlines()
    assert sorted(shown) == ["Mia lives in Oslo. (no longer holds)", "Mia lives in Rome."]


def test_a_date_and_no_date_do_not_supersede_each_other() -> None:
    done, _ = played(OSLO, {**ROME, "valid_at": ""})
    assert [times(entry)[1] for entry in done.entries] == ["", ""]


@pytest.mark.parametrize("id", ["m9", "m2", "12", "\ud800"])
def test_an_id_that_was_not_shown_is_refused_on_record(id: str) -> None:
    done, _ = played(OTTO, OSLO, ROME, invalidate={"ids": [id]} if id != "m2" else {"ids": ["m1"]})
    assert "unknown_id" in done.ended("evolve")
    assert [times(entry)[1] for entry in done.entries] == ["", "", ""]


def test_edges_that_share_a_name_are_linked_both_ways() -> None:
    done, _ = played(OSLO, WORK, OTTO)
    assert [entry.links for entry in done.entries] == [("m2",), ("m1",), ()]


def test_links_lead_to_facts_that_the_question_does_not_name() -> None:
    chain = [edge("Mia", "works at", "Acme"), edge("Acme", "is led by", "Xu"), edge("Xu", "plays", "oboe"), OTTO]
    shown = {}
    for depth in (0, 1, 2):
        options = {"retrieval": {"k": 1, "depth": depth}}
        _, replies = played(*chain, question="Mia works at what?", options=options)
        shown[depth] = len(replies.asked("answer")[0]["text"].splitlines())
    assert shown == {0: 1, 1: 2, 2: 2}


def test_a_passage_whose_edges_cannot_be_read_is_kept_as_it_is_and_counted() -> None:
    done = staged(Graphiti, Replies(edges="no edges"), ["Mia lives in Oslo."])
    [entry] = done.entries
    assert (entry.text, entry.attribute("degraded")) == ("Mia lives in Oslo.", "edges")
    assert done.usage.failures == 1


def test_an_unreadable_judgement_supersedes_nothing_and_is_counted() -> None:
    done, _ = played(OSLO, ROME, invalidate="?")
    assert [times(entry)[1] for entry in done.entries] == ["", ""]
    assert done.usage.failures == 1


def test_what_one_episode_named_is_forgotten_in_the_next() -> None:
    replies = Replies(edges={"edges": [OSLO]})
    agent = Graphiti(replies, options={"backend": {"encoder": "hashing"}})
    for _ in range(2):
        [entry] = staged(Graphiti, replies, ["A page."], agent=agent).entries
        assert entry.links == ()


def test_entries_of_another_formation_are_written_as_they_are_by_its_evolution() -> None:
    with pytest.raises(ContractError, match=r"graphiti\.evolution.*validity.*graphiti\.formation"):
        Graphiti(memgym.make_model("rules"), formation="passage.formation")


@pytest.mark.parametrize("text", ["美亞住在奧斯陸。", "มีอาอยู่ออสโล", "🏠🏠", "\ud800", "a\x00b", "x" * 100_000])
def test_any_text_is_taken_in(text: str) -> None:
    named = {"subject": text[:50], "relation": text[:50], "object": text[:50], "valid_at": text[:50], "text": text}
    done = staged(Graphiti, Replies(edges={"edges": [named]}), [text])
    assert [entry.text for entry in done.entries] == [text.strip()]


def test_with_the_rules_model_a_later_revision_supersedes_in_either_order() -> None:
    early = "Ana Berg lives in Oslo as of May 2005."
    late = "Ana Berg moved house from Oslo to Rome in June 2014."
    for texts in ([early, late], [late, early]):
        entries = staged(Graphiti, memgym.make_model("rules"), texts).entries
        ends = {entry.attribute("object"): entry.attribute("invalid_at") for entry in entries}
        assert ends == {"Oslo": "June 2014", "Rome": ""}


def test_it_plays_the_synthetic_world_to_the_end() -> None:
    [record] = play([
        Episode(
            "one", "MemGym/Synthetic-50doc", "graphiti", 0, model="rules",
            options={"advance": "explicit", "encoder": "hashing", "questions": 3},
            agent_options={"options": {"backend": {"encoder": "hashing"}}},
        )
    ])  # fmt: skip
    assert record.error is None
    assert record.terminated
    assert record.outcome is not None
    assert record.outcome.metrics["evidence_stored"] > 0.9
