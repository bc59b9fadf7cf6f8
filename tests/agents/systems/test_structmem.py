"""StructMem: facts and relations of a segment, windows of time, summaries in a second store, and reading both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from staged import Replies, Staged, staged

import memgym
from memgym.agents.lifecycle.system import MemorySystem
from memgym.agents.systems.structmem import EVENTS, SUMMARIES, StructMem
from memgym.contracts import ContractError
from memgym.records import Episode
from memgym.rollout import play

STORES = {"stores": [EVENTS, SUMMARIES]}
OSLO, CAT = "Mia moved to Oslo.", "Mia has a cat."
EDGE = {"subject": "Mia", "relation": "moved to", "object": "Oslo", "valid_at": "May 2023", "text": ""}


def each_line(inputs: Mapping[str, Any]) -> dict[str, list[str]]:
    return {"facts": [line for line in inputs["text"].splitlines() if line]}


def model(**said: Any) -> Replies:
    return Replies(**{"extract": each_line, "edges": {"edges": []}, "summarise": {"text": "In short."}, **said})


def staged_structmem(replies: Any, texts: list[str], questions: list[str] | None = None, **options: Any) -> Staged:
    return staged(StructMem, replies, texts, questions or ["Who?"], env_options=STORES, options=options)


def stored(played: Staged, store: str) -> list[str]:
    return [entry.text for entry in played.env.memory.entries(store)]


def sessions(*days: str) -> list[str]:
    return [f"Session {n} ({day}) with Ana, Bo:\nAna: On day {n} I rested." for n, day in enumerate(days, 1)]


SMALL = {"formation": {"tokens": 8}}


def test_a_segment_gives_factual_and_relational_entries_in_two_calls() -> None:
    replies = model(edges={"edges": [EDGE]})
    played = staged_structmem(replies, [CAT])
    assert replies.kinds()[:2] == ["extract", "edges"]
    assert [(entry.text, entry.tags) for entry in played.env.memory.entries(EVENTS)] == [
        (CAT, ()), ("Mia moved to Oslo.", ("relation",)),
    ]  # fmt: skip
    assert played.env.memory.entries(EVENTS)[1].attribute("valid_at") == "May 2023"


def test_a_relation_that_says_a_fact_again_is_one_entry() -> None:
    played = staged_structmem(model(edges={"edges": [{**EDGE, "text": OSLO}]}), [OSLO])
    assert stored(played, EVENTS) == [OSLO]
    assert played.ended("create") == ["ok", "ok"]  # the second is the summary


def test_the_summary_goes_into_a_store_of_its_own() -> None:
    played = staged_structmem(model(), [OSLO, CAT])
    assert (stored(played, EVENTS), stored(played, SUMMARIES)) == ([OSLO, CAT], ["In short."])


def test_a_window_ends_when_more_time_than_it_lasts_has_passed() -> None:
    near = sessions("1:00 pm on 8 May, 2023", "1:30 pm on 8 May, 2023", "2:01 pm on 8 May, 2023")
    replies = model(summarise=[{"text": "one"}, {"text": "two"}], extract=each_line)
    played = staged_structmem(replies, near, **SMALL)
    assert stored(played, SUMMARIES) == ["one", "two"]
    first, second = (inputs["texts"] for inputs in replies.asked("summarise"))
    assert not any("day 3" in text for text in first)
    assert any("day 3" in text for text in second)


def test_times_that_are_not_known_to_the_minute_end_a_window_when_they_differ() -> None:
    replies = model(summarise=[{"text": str(n)} for n in range(9)])
    assert len(stored(staged_structmem(replies, sessions("May 2023", "June 2023"), **SMALL), SUMMARIES)) == 2
    replies = model(summarise=[{"text": str(n)} for n in range(9)])
    assert len(stored(staged_structmem(replies, sessions("30 February, 2023", "May 2023"), **SMALL), SUMMARIES)) == 2


def test_a_text_without_times_is_summarised_after_so_many_entries() -> None:
    replies = model(summarise=[{"text": str(n)} for n in range(9)])
    texts = [f"Fact {n} is here." for n in range(5)]
    played = staged_structmem(replies, texts, evolution={"most": 2}, **SMALL)
    assert [len(inputs["texts"]) for inputs in replies.asked("summarise")] == [2, 4, 5]
    assert len(stored(played, SUMMARIES)) == 3


def test_what_came_before_is_looked_up_and_not_said_twice() -> None:
    replies = model(summarise=[{"text": str(n)} for n in range(9)])
    staged_structmem(replies, [OSLO, CAT], evolution={"most": 1}, **SMALL)
    assert [inputs["texts"] for inputs in replies.asked("summarise")] == [[OSLO], [OSLO, CAT]]


def test_the_number_of_seeds_is_bounded() -> None:
    replies = model(summarise=[{"text": str(n)} for n in range(40)])
    texts = [f"Fact {n} is here." for n in range(30)]
    staged_structmem(replies, texts, evolution={"most": 1}, **SMALL)
    assert max(len(inputs["texts"]) for inputs in replies.asked("summarise")) == 16


def test_an_unusable_summary_keeps_what_fits_marked_and_counted() -> None:
    played = staged_structmem(model(summarise=""), [OSLO, CAT])
    [summary] = played.env.memory.entries(SUMMARIES)
    assert (summary.text, summary.attribute("degraded")) == (f"{OSLO}\n{CAT}", "summarise")
    assert played.usage.failures == 1


def test_an_empty_summary_is_not_written() -> None:
    assert stored(staged_structmem(model(summarise={"text": ""}), [OSLO]), SUMMARIES) == []


def test_a_question_is_answered_from_both_stores_events_first() -> None:
    replies = model()
    staged_structmem(replies, [OSLO, CAT], ["Where did Mia move?"], retrieval={"k": 1})
    assert replies.asked("answer")[0]["text"] == f"{OSLO}\n\nIn short."


def test_without_summaries_only_events_are_read() -> None:
    replies = model()
    staged_structmem(replies, [OSLO], retrieval={"summaries": 0})
    assert replies.asked("answer")[0]["text"] == OSLO


def test_no_text_is_lost_whatever_the_model_says() -> None:
    played = staged_structmem(model(extract="no json", edges="no json"), [OSLO, CAT])
    assert stored(played, EVENTS) == [OSLO, CAT]
    assert played.usage.failures == 2


def test_its_retrieval_needs_the_second_store_and_says_who_has_it() -> None:
    with pytest.raises(ContractError, match=r"summary_store.*structmem\.backend"):
        MemorySystem(model(), backend="vector.backend", formation="passage.formation", retrieval="structmem.retrieval")


@pytest.mark.parametrize("text", ["東京に住む。", "ก็" * 50, "🦊" * 9, "\x00", "\ud800", "x" * 100_000])
def test_any_text_can_be_read(text: str) -> None:
    assert staged_structmem(memgym.make_model("rules"), [text]).env.pomdp.terminated


@pytest.mark.parametrize("env", ["MemGym/Synthetic-50doc", "MemGym/SyntheticDialogue-5sessions"])
def test_it_plays_to_the_end_with_the_rules_model(env: str) -> None:
    options = {"advance": "explicit", "encoder": "hashing", **STORES}
    agent = {"options": {"backend": {"encoder": "hashing"}}}
    [record] = play([Episode("one", env, "structmem", 0, options=options, agent_options=agent, model="rules")])
    assert (record.error, record.terminated) == (None, True)
    assert record.outcome is not None
    assert record.outcome.metrics["evidence_shown"] > 0
