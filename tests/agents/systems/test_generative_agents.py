"""Generative Agents: recency, relevance and importance weigh equally, the newest is the most recent, thoughts cite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from staged import Replies, Staged, staged

import memgym
from memgym.agents.systems.generative_agents import GenerativeAgents, WeighedRetrieval, scaled
from memgym.contracts import ContractError
from memgym.memory.entry import Entry, Hit, Write
from memgym.operations import pairs
from memgym.records import Episode
from memgym.rollout import play

PAGES = [f"Mia saw bird number {n}." for n in range(12)]


def model(**said: Any) -> Replies:
    told = {"rate": {"importance": 5}, "focus": {"questions": []}, "infer": {"insights": []}}
    return Replies(**{**told, **said})


def played(replies: Replies, texts: Sequence[str] = PAGES, question: str = "Who?", **options: Any) -> Staged:
    return staged(GenerativeAgents, replies, texts, [question], options=options)


def hit(number: int, *, clock: int = 1, score: float = 0.5, importance: str = "5") -> Hit:
    source = Write("e", clock, "create", clock)
    attributes = pairs(importance=importance)
    return Hit(Entry(f"m{number}", f"text {number}", "main", source, source, attributes=attributes), score, "dense")


def order(hits: Sequence[Hit], **options: Any) -> list[str]:
    return [one.entry.id for one in WeighedRetrieval(**options).weigh(hits)]


def test_the_newest_memory_has_the_highest_recency() -> None:
    hits = [hit(number, clock=number) for number in (1, 2, 3)]
    assert order(hits) == ["m3", "m2", "m1"]


def test_recency_falls_by_the_decay_with_every_tick_since_the_last_recall() -> None:
    weighed = WeighedRetrieval(relevance=0, importance=0).weigh([hit(1, clock=1), hit(2, clock=101), hit(3, clock=201)])
    decayed = [1.0, 0.995**100, 0.995**200]
    assert [one.score for one in weighed] == pytest.approx(scaled(decayed))


def test_relevance_and_importance_decide_among_equally_recent_memories() -> None:
    assert order([hit(1, score=0.1), hit(2, score=0.9)]) == ["m2", "m1"]
    assert order([hit(1, importance="2"), hit(2, importance="9")]) == ["m2", "m1"]


def test_the_three_weigh_equally_and_the_weights_can_be_changed() -> None:
    hits = [hit(1, clock=1, score=0.9), hit(2, clock=50, score=0.1)]
    assert order(hits) == ["m1", "m2"]  # one each: the older wins the tie
    assert order(hits, recency=0.5, relevance=3.0, importance=2.0) == ["m1", "m2"]
    assert order(hits, recency=3.0) == ["m2", "m1"]


@given(st.lists(st.floats(-1e6, 1e6, allow_nan=False), max_size=9))
def test_scaled_values_lie_between_0_and_1_and_keep_their_order(values: list[float]) -> None:
    found = scaled(values)
    assert all(0 <= value <= 1 for value in found)
    assert all(
        (a < b) or not (x < y) for a, x in zip(values, found, strict=True) for b, y in zip(values, found, strict=True)
    )


@pytest.mark.parametrize("text", ["", "many", "-3", "5.5", "٣", "99999999999"])
def test_an_importance_that_cannot_be_read_counts_as_middling(text: str) -> None:
    assert order([hit(1, importance="9"), hit(2, importance=text), hit(3, importance="1")]) == ["m1", "m2", "m3"]


def test_every_memory_is_written_with_its_importance() -> None:
    done = played(model(rate=[{"importance": 3}, {"importance": 8}]), PAGES[:2])
    assert [entry.attribute("importance") for entry in done.entries] == ["3", "8"]


def test_reflection_begins_when_importance_adds_up_to_150() -> None:
    replies = model(rate={"importance": 10}, focus={"questions": ["Who is Mia?"]})
    played(replies, [f"Mia saw bird number {n}." for n in range(14)])
    assert replies.kinds().count("focus") == 0
    played(replies, [f"Mia saw bird number {n}." for n in range(31)])
    assert replies.kinds().count("focus") == 2
    assert len(replies.asked("focus")[0]["texts"]) == 15


def insights(*evidence: str) -> dict[str, Any]:
    return {"insights": [{"text": "Mia likes birds.", "evidence": list(evidence)}]}


def reflected(replies: Replies, **evolution: Any) -> Staged:
    return played(replies, PAGES[:3], evolution={"threshold": 15, **evolution})


def test_a_reflection_asks_three_questions_and_writes_at_most_five_insights_each() -> None:
    many = {"insights": [{"text": f"Insight {n}.", "evidence": []} for n in range(9)]}
    replies = model(focus={"questions": ["A?", "B?", "C?", "D?"]}, infer=many)
    done = reflected(replies)
    assert replies.asked("focus")[0]["count"] == 3
    assert [inputs["question"] for inputs in replies.asked("infer")] == ["A?", "B?", "C?"]
    assert sum(entry.attribute("kind") == "thought" for entry in done.entries) == 5


def test_an_insight_is_a_rated_thought_that_links_its_evidence() -> None:
    done = reflected(model(focus={"questions": ["Who?"]}, infer=insights("m1", "m3")))
    thought = done.entries[-1]
    assert (thought.text, thought.links) == ("Mia likes birds.", ("m1", "m3"))
    assert (thought.attribute("kind"), thought.attribute("importance")) == ("thought", "5")


def test_evidence_that_was_not_shown_is_no_link() -> None:
    done = reflected(model(focus={"questions": ["Who?"]}, infer=insights("m99", "7", "m2", "m2", "")))
    assert done.entries[-1].links == ("m2",)


def test_the_same_insight_twice_is_written_once() -> None:
    done = reflected(model(focus={"questions": ["Who?", "Where?"]}, infer=insights("m1")))
    assert [entry.text for entry in done.entries if entry.attribute("kind") == "thought"] == ["Mia likes birds."]
    assert set(done.ended("create")) == {"ok"}


def test_a_recall_is_counted_and_makes_a_memory_recent_again() -> None:
    done = played(model(), PAGES, "What about bird number 3?", retrieval={"k": 1, "recency": 0.0})
    [recalled] = [entry for entry in done.entries if entry.attribute("recalled")]
    assert recalled.text == PAGES[3]
    assert recalled.updated.clock == max(entry.updated.clock for entry in done.entries)


def test_only_the_best_30_are_shown_to_the_model() -> None:
    replies = model(rate={"importance": 1})
    played(replies, [f"Mia saw bird number {n}." for n in range(40)])
    assert len(replies.asked("answer")[0]["text"].split("\n\n")) == 30


def test_unreadable_replies_leave_plain_memories_and_are_counted() -> None:
    done = reflected(model(rate={}, focus={}))
    assert [entry.attribute("importance") for entry in done.entries] == ["5", "5", "5"]
    assert done.usage.failures == 4


def test_nothing_of_the_last_episode_is_left() -> None:
    replies = model(rate={"importance": 10}, focus={"questions": ["Who?"]})
    agent = GenerativeAgents(replies, options={"backend": {"encoder": "hashing"}})
    for _ in range(2):
        staged(GenerativeAgents, replies, PAGES, agent=agent)
    assert replies.asked("focus") == []


def test_its_retrieval_refuses_entries_without_importance_and_names_who_rates_them() -> None:
    with pytest.raises(ContractError, match=r"requires importance.*generative-agents\.formation"):
        GenerativeAgents(memgym.make_model("rules"), formation="passage.formation", evolution="none.evolution")


def test_its_rated_memories_serve_another_retrieval() -> None:
    replies = model()
    pages = ["Mia saw a heron.", "Otto saw a kestrel."]
    staged(GenerativeAgents, replies, pages, ["Who saw a kestrel?"], retrieval="text.retrieval",
           options={"retrieval": {"k": 1}})  # fmt: skip
    assert replies.asked("answer")[0]["text"] == pages[1]


def test_it_plays_the_synthetic_world_to_the_end() -> None:
    [record] = play([
        Episode("one", "MemGym/Synthetic-50doc", "generative-agents", 0, model="rules",
                options={"advance": "explicit", "encoder": "hashing", "questions": 3},
                agent_options={"options": {"backend": {"encoder": "hashing"}}}),
    ])  # fmt: skip
    assert record.error is None
    assert record.terminated
