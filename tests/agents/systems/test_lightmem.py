"""LightMem: one request a segment, pieces of any length, and offline updates on the memory as it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from staged import Replies, staged

import memgym
from memgym.agents.lifecycle.components import Piece
from memgym.agents.systems.lightmem import LightMem
from memgym.agents.systems.segments import Segments
from memgym.records import Episode
from memgym.rollout import play
from memgym.tokens import make_tokenizer

OSLO, ROME, CAT = "Mia lives in Oslo now.", "Mia lives in Rome now.", "A cat sat on the mat."
ANY = {"evolution": {"threshold": -1.0}}
COUNT = make_tokenizer("cl100k").count


def each_line(inputs: Mapping[str, Any]) -> dict[str, list[str]]:
    return {"facts": [line for line in inputs["text"].splitlines() if line]}


def model(**said: Any) -> Replies:
    return Replies(**{"extract": each_line, "decide": {"action": "none"}, **said})


def about(fact: str, action: str, text: str = "") -> Any:
    """Decide when a fact comes up, on the memory nearest to it."""

    def said(inputs: Mapping[str, Any]) -> dict[str, str]:
        if inputs["fact"] != fact:
            return {"action": "none"}
        return {"action": action, "id": inputs["memories"][0], "text": text}

    return said


def cut(texts: list[str], tokens: int) -> list[list[str]]:
    buffer = Segments(tokens)
    done = [segment for text in texts for segment in buffer.add(Piece(text))]
    return [[piece.text for piece in segment] for segment in [*done, buffer.finish()] if segment]


def test_a_segment_is_asked_about_once() -> None:
    replies = model()
    staged(LightMem, replies, [OSLO, CAT, ROME])
    assert replies.kinds().count("extract") == 1


def test_no_segment_is_longer_than_the_buffer_and_nothing_is_lost() -> None:
    texts = [f"Sentence number {number} stands here." for number in range(40)]
    segments = cut(texts, 50)
    assert [text for segment in segments for text in segment] == texts
    assert all(sum(map(COUNT, segment)) <= 50 for segment in segments)


def test_a_full_buffer_is_cut_where_the_topic_changes() -> None:
    music = ["The violin and the cello play music.", "The cello plays music with the violin."] * 2
    trains = ["A train left the station late.", "The late train left a station."]
    assert cut([*music, *trains], COUNT("\n".join([*music, *trains])) - 4)[0] == music


def test_a_message_longer_than_the_buffer_is_cut_into_parts_and_ends() -> None:
    text = " ".join(f"word{number}" for number in range(500))
    segments = cut([text], 60)
    assert " ".join(part for segment in segments for part in segment).split() == text.split()


@pytest.mark.parametrize("text", ["東京に住む。" * 80, "ก็" * 300, "🦊" * 200, "\x00" * 300, "x" * 10_000])
def test_any_long_message_is_cut_into_parts(text: str) -> None:
    assert "".join(part for segment in cut([text], 64) for part in segment) == text


def test_a_buffer_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="holds nothing"):
        LightMem(model(), options={"formation": {"tokens": 0}})


def test_an_unusable_reply_keeps_the_raw_text_and_is_counted() -> None:
    played = staged(LightMem, model(extract="no json"), [OSLO, CAT], options=ANY)
    assert played.texts == [OSLO, CAT]
    assert {entry.attribute("degraded") for entry in played.entries} == {"extract"}
    assert played.usage.failures == 1


def test_an_assistants_turns_are_left_out_unless_they_are_wanted() -> None:
    session = "Session 1 (8 May, 2023) with user, assistant:\nuser: I moved to Oslo.\nassistant: How nice."
    for users_only, said in ((True, 1), (False, 2)):
        replies = model()
        staged(LightMem, replies, [session], options={"formation": {"users_only": users_only}})
        assert replies.asked("extract")[0]["text"].count(": ") == said


def test_facts_have_the_time_of_their_segment() -> None:
    session = "Session 1 (8 May, 2023) with Ana, Bo:\nAna: I moved to Oslo."
    [entry] = staged(LightMem, model(extract={"facts": ["Ana moved to Oslo."]}), [session]).entries
    assert entry.time == "8 May, 2023"


# ---------------------------------------------------------------- offline


def test_decisions_wait_until_the_input_ends() -> None:
    replies = model()
    staged(LightMem, replies, [OSLO, ROME, CAT], options={**ANY, "formation": {"tokens": 8}})
    kinds = [kind for kind in replies.kinds() if kind in ("extract", "decide")]
    assert kinds == ["extract"] * 3 + ["decide"] * 2  # the first entry has none before it


def test_an_entry_deletes_what_it_contradicts() -> None:
    played = staged(LightMem, model(decide=about(ROME, "delete")), [OSLO, ROME, CAT], options=ANY)
    assert played.texts == [ROME, CAT]


def test_an_update_that_would_say_what_the_entry_says_deletes_the_old_one() -> None:
    played = staged(LightMem, model(decide=about(ROME, "update", ROME)), [OSLO, ROME], options=ANY)
    assert played.texts == [ROME]


def test_an_update_replaces_the_text_under_its_id_and_is_found_by_it_at_once() -> None:
    both = "Mia lived in Oslo, then in Rome."
    replies = model(decide=about(ROME, "update", both))
    played = staged(LightMem, replies, [OSLO, ROME, CAT], ["lived then"], options={**ANY, "retrieval": {"k": 1}})
    assert played.env.memory.get("m1").text == both
    assert replies.asked("answer")[0]["text"] == both


def test_an_entry_that_was_deleted_decides_nothing_any_more() -> None:
    """What was told later but of an earlier day is decided on before its turn."""
    replies = model(extract=[{"facts": [OSLO]}, {"facts": [ROME]}], decide=about(OSLO, "delete"))
    chunks = conversation(("9 May, 2023", OSLO), ("8 May, 2023", ROME))
    played = staged(LightMem, replies, chunks, options={**ANY, "formation": {"tokens": 14}})
    assert played.texts == [OSLO]
    assert [inputs["fact"] for inputs in replies.asked("decide")] == [OSLO]


def test_an_id_that_was_not_shown_changes_nothing_and_stands_in_the_record() -> None:
    replies = model(decide={"action": "delete", "id": "m99"})
    played = staged(LightMem, replies, [OSLO, ROME], options=ANY)
    assert played.texts == [OSLO, ROME]
    assert set(played.ended("delete")) == {"unknown_id"}


def test_the_queue_is_as_long_and_as_near_as_asked_for() -> None:
    texts = [f"Mia lives in town{number} now." for number in range(8)]
    replies = model()
    staged(LightMem, replies, texts, options={"evolution": {"threshold": -1.0, "queue": 3}})
    assert {len(inputs["memories"]) for inputs in replies.asked("decide")} == {1, 2, 3}
    far = model()
    staged(LightMem, far, [OSLO, CAT], options={"evolution": {"threshold": 0.99}})
    assert far.asked("decide") == []


def conversation(*days: tuple[str, str]) -> list[str]:
    return [f"Session {n} ({day}) with Ana, Bo:\nAna: {text}" for n, (day, text) in enumerate(days, 1)]


def test_of_two_dated_entries_only_the_later_decides_on_the_earlier() -> None:
    replies = model(extract=[{"facts": [OSLO]}, {"facts": [ROME]}])
    chunks = conversation(("8 May, 2023", OSLO), ("9 May, 2023", ROME))
    staged(LightMem, replies, chunks, options={**ANY, "formation": {"tokens": 14}})
    assert [(inputs["fact"], inputs["memories"]) for inputs in replies.asked("decide")] == [(ROME, [f"[m1] {OSLO}"])]


def test_of_two_entries_without_a_time_the_one_that_came_later_decides() -> None:
    replies = model()
    staged(LightMem, replies, [OSLO, ROME], options=ANY)
    assert [(inputs["fact"], inputs["memories"]) for inputs in replies.asked("decide")] == [(ROME, [f"[m1] {OSLO}"])]


@pytest.mark.parametrize("text", ["東京に住む。", "ก็" * 50, "🦊" * 9, "\x00", "\ud800", "x" * 100_000])
def test_any_text_can_be_read(text: str) -> None:
    assert staged(LightMem, memgym.make_model("rules"), [text]).env.pomdp.terminated


@pytest.mark.parametrize("env", ["MemGym/Synthetic-50doc", "MemGym/SyntheticDialogue-5sessions"])
def test_it_plays_to_the_end_with_the_rules_model(env: str) -> None:
    options = {"advance": "explicit", "encoder": "hashing"}
    agent = {"options": {"backend": {"encoder": "hashing"}}}
    [record] = play([Episode("one", env, "lightmem", 0, options=options, agent_options=agent, model="rules")])
    assert (record.error, record.terminated) == (None, True)
    assert record.outcome is not None
    assert record.outcome.metrics["evidence_stored"] > 0
