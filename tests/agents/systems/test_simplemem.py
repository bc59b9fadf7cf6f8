"""SimpleMem: windows with an overlap, none of which is lost; planned searches, merged by id, with bounded reflection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from staged import Replies, staged

import memgym
from memgym.agents.systems.simplemem import SimpleMem
from memgym.operations import Read
from memgym.records import Episode
from memgym.rollout import play

TURNS = [f"Turn {number} is about thing{number}." for number in range(7)]
SMALL = {"formation": {"window": 3, "overlap": 1}}


def each_line(inputs: Mapping[str, Any]) -> dict[str, list[str]]:
    return {"facts": [line for line in inputs["text"].splitlines() if line]}


def model(**said: Any) -> Replies:
    return Replies(**{"extract": each_line, "plan": {"queries": []}, "enough": {"enough": True}, **said})


def windows(replies: Replies) -> list[list[str]]:
    return [[line for line in inputs["text"].splitlines() if line] for inputs in replies.asked("extract")]


def test_windows_have_so_many_turns_and_repeat_the_last_of_the_one_before() -> None:
    replies = model()
    staged(SimpleMem, replies, TURNS, options=SMALL)
    assert windows(replies) == [TURNS[0:3], TURNS[2:5], TURNS[4:7]]


def test_forty_turns_and_two_are_the_default() -> None:
    replies = model()
    turns = [f"Turn {number}." for number in range(50)]
    staged(SimpleMem, replies, turns)
    assert windows(replies) == [turns[:40], turns[38:]]


def test_what_two_windows_share_is_kept_once() -> None:
    assert staged(SimpleMem, model(), TURNS, options=SMALL).texts == TURNS


def test_a_window_whose_reply_is_unusable_is_kept_as_raw_text_and_counted() -> None:
    replies = model(extract=[*["no json"] * 3, {"facts": ["A fact."]}])
    played = staged(SimpleMem, replies, TURNS[:4], options=SMALL)
    assert played.texts == [*TURNS[:3], "A fact."]
    assert [entry.attribute("degraded") for entry in played.entries] == ["extract"] * 3 + [""]
    assert (played.usage.failures, played.usage.retries) == (1, 2)


def test_no_turn_is_lost_whatever_the_model_says() -> None:
    assert staged(SimpleMem, model(extract="no json"), TURNS, options=SMALL).texts == TURNS


def test_a_window_sees_the_first_entries_of_the_one_before() -> None:
    replies = model()
    staged(SimpleMem, replies, TURNS, options={"formation": {"window": 3, "overlap": 0, "known": 2}})
    assert [inputs["known"] for inputs in replies.asked("extract")] == [[], TURNS[0:2], TURNS[3:5]]


def test_a_window_closes_early_when_its_tokens_are_spent() -> None:
    replies = model()
    staged(SimpleMem, replies, TURNS[:4], options={"formation": {"overlap": 0, "tokens": 20}})
    assert windows(replies) == [TURNS[0:2], TURNS[2:4]]


def test_a_turn_longer_than_a_window_is_read_whole_and_ends() -> None:
    replies = model(extract={"facts": ["A fact."]})
    assert staged(SimpleMem, replies, ["word " * 3000], options={"formation": {"tokens": 10}}).texts == ["A fact."]
    assert sum(inputs["text"].count("word") for inputs in replies.asked("extract")) >= 3000


def test_a_statement_may_come_with_what_it_can_be_found_by() -> None:
    unit = {
        "text": "Mia moved.",
        "time": "May 2023",
        "keywords": ["move"],
        "persons": ["Mia"],
        "location": "Oslo",
        "topic": "home",
    }
    [entry] = staged(SimpleMem, model(extract={"facts": [unit]}), TURNS[:1]).entries
    assert (entry.keywords, entry.tags, entry.time) == (("move", "Mia", "Oslo"), ("home",), "May 2023")
    assert entry.attribute("persons") == "Mia"


def test_a_window_of_a_conversation_shows_header_and_speakers_and_gives_its_time() -> None:
    session = "Session 1 (8 May, 2023) with Ana, Bo:\nAna: I moved to Oslo.\nBo: Nice."
    replies = model(extract={"facts": ["Ana moved to Oslo."]})
    [entry] = staged(SimpleMem, replies, [session]).entries
    assert replies.asked("extract")[0]["text"] == session
    assert entry.time == "8 May, 2023"


def test_overlap_must_be_smaller_than_a_window() -> None:
    with pytest.raises(ValueError, match="cannot overlap by 3"):
        SimpleMem(model(), options={"formation": {"window": 3, "overlap": 3}})


# ---------------------------------------------------------------- reading


def reads(played: Any) -> list[list[Read]]:
    steps = [[one for one in action.operations if isinstance(one, Read)] for action in played.actions]
    return [step for step in steps if step]


def test_a_question_is_searched_by_its_plan_in_three_ways_in_one_step() -> None:
    played = staged(SimpleMem, model(plan={"queries": ["thing1", "thing2"]}), TURNS)
    [step] = reads(played)
    assert [(read.query, read.by, read.k) for read in step] == [
        (query, by, k) for query in ("Who?", "thing1", "thing2") for by, k in (("dense", 25), ("text", 5), ("hybrid", 5))
    ]  # fmt: skip


def test_what_was_found_twice_is_shown_once() -> None:
    replies = model(plan={"queries": ["thing1", "about thing1"]})
    staged(SimpleMem, replies, TURNS)
    shown = replies.asked("answer")[0]["text"].split("\n\n")
    assert sorted(shown) == sorted(TURNS)


def test_it_searches_on_while_something_is_missing_twice_at_most() -> None:
    replies = model(enough=[{"enough": False, "queries": [f"more {n}"]} for n in range(5)])
    played = staged(SimpleMem, replies, TURNS)
    assert [step[0].query for step in reads(played)] == ["Who?", "more 0", "more 1"]
    assert replies.kinds().count("enough") == 2


def test_it_stops_when_there_is_enough() -> None:
    assert len(reads(staged(SimpleMem, model(), TURNS))) == 1


def test_a_search_that_was_made_is_not_made_again() -> None:
    replies = model(enough={"enough": False, "queries": ["Who?"]})
    assert len(reads(staged(SimpleMem, replies, TURNS))) == 1


def test_what_reflection_finds_is_added_to_what_the_plan_found() -> None:
    replies = model(enough=[{"enough": False, "queries": ["thing3"]}, {"enough": True}])
    one = {"semantic": 0, "keyword": 1, "structured": 0}
    staged(SimpleMem, replies, TURNS, ["thing1?"], options={"retrieval": one})
    assert replies.asked("answer")[0]["text"] == f"{TURNS[1]}\n\n{TURNS[3]}"


def test_unusable_replies_when_searching_leave_the_question_itself() -> None:
    played = staged(SimpleMem, model(plan="no json", enough="no json"), TURNS)
    assert [step[0].query for step in reads(played)] == ["Who?"]


def test_a_blank_question_ends_in_no_error() -> None:
    assert staged(SimpleMem, model(plan={"queries": [""]}), TURNS, [" "]).env.pomdp.terminated


@pytest.mark.parametrize("text", ["東京に住む。", "ก็" * 50, "🦊" * 9, "\x00", "\ud800", "x" * 100_000])
def test_any_text_can_be_read(text: str) -> None:
    assert staged(SimpleMem, memgym.make_model("rules"), [text]).env.pomdp.terminated


def test_nothing_of_an_episode_is_left_in_the_next() -> None:
    agent = SimpleMem(model(), options={"backend": {"encoder": "hashing"}})
    first = staged(SimpleMem, model(), TURNS[:2], agent=agent)
    assert staged(SimpleMem, model(), TURNS[4:5], agent=agent).texts == TURNS[4:5]
    assert first.texts == TURNS[:2]


@pytest.mark.parametrize("env", ["MemGym/Synthetic-50doc", "MemGym/SyntheticDialogue-5sessions"])
def test_it_plays_to_the_end_with_the_rules_model(env: str) -> None:
    options = {"advance": "explicit", "encoder": "hashing"}
    agent = {"options": {"backend": {"encoder": "hashing"}}}
    [record] = play([Episode("one", env, "simplemem", 0, options=options, agent_options=agent, model="rules")])
    assert (record.error, record.terminated) == (None, True)
    assert record.outcome is not None
    assert record.outcome.metrics["evidence_shown"] > 0
