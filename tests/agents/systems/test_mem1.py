"""MEM1: one state, written anew each turn; what is older than the last state and the last information is gone."""

from __future__ import annotations

from typing import Any

import pytest
from staged import Replies, Staged, staged

from memgym.agents.budget import tokenizer
from memgym.agents.sections import read
from memgym.agents.systems.mem1 import INFORMATION, STATE, Mem1
from memgym.operations import Scratchpad
from memgym.records import Episode
from memgym.rollout import play

PAGES = ("Mia lives in Oslo.", "Otto bakes bread.", "Mia moved to Rome.")


def played(replies: Replies, texts: tuple[str, ...] = PAGES, **options: Any) -> Staged:
    return staged(Mem1, replies, texts, options={"backend": {}, "formation": options})


def pads(done: Staged) -> list[dict[str, str]]:
    operations = [one for action in done.actions for one in action.operations]
    return [read(one.text, (STATE, INFORMATION)) for one in operations if isinstance(one, Scratchpad)]


def test_only_the_last_state_and_the_last_information_are_kept() -> None:
    replies = Replies(note=[{"scratchpad": "state 1"}, {"scratchpad": "state 2"}])
    assert pads(played(replies)) == [
        {STATE: "", INFORMATION: PAGES[0]},
        {STATE: "state 1", INFORMATION: PAGES[1]},
        {STATE: "state 2", INFORMATION: PAGES[2]},
    ]


def test_a_turn_sees_its_last_state_and_information_and_nothing_older() -> None:
    replies = Replies(note=[{"scratchpad": "state 1"}, {"scratchpad": "state 2"}])
    played(replies)
    first, second = replies.asked("note")
    assert (first["scratchpad"], second["scratchpad"]) == ("", "state 1")
    assert PAGES[1] in second["text"]
    assert PAGES[0] not in second["text"]


def test_the_question_is_answered_from_the_last_state_and_the_last_information() -> None:
    replies = Replies(note={"scratchpad": "the state"})
    played(replies)
    text = replies.asked("answer")[0]["text"]
    assert "the state" in text
    assert PAGES[2] in text
    assert PAGES[1] not in text


def test_a_turn_is_told_how_many_turns_are_left() -> None:
    replies = Replies(note={"scratchpad": "s"})
    played(replies, turns=6)
    assert [inputs["text"].splitlines()[-1] for inputs in replies.asked("note")] == ["Turns left: 5.", "Turns left: 4."]


def test_without_a_number_of_turns_the_steps_left_are_told() -> None:
    replies = Replies(note={"scratchpad": "s"})
    played(replies)
    told = [int(inputs["text"].split()[-1].rstrip(".")) for inputs in replies.asked("note")]
    assert told[0] > told[1] > 9000


@pytest.mark.parametrize("text", ["語" * 3000, "word " * 3000, "\ud800 x " * 2000])
def test_the_state_never_exceeds_its_budget_and_what_was_too_long_is_counted(text: str) -> None:
    agent = Mem1(Replies(note={"scratchpad": text}))
    done = staged(Mem1, Replies(), PAGES, agent=agent)
    assert all(tokenizer().count(pad[STATE]) <= 1024 for pad in pads(done))
    assert agent.formation.overflows == 2  # type: ignore[attr-defined]


def test_an_unreadable_reply_leaves_the_state_as_it_was() -> None:
    done = played(Replies(note=[{"scratchpad": "kept"}, {}]))
    assert pads(done)[-1][STATE] == "kept"
    assert done.usage.failures == 1


def test_input_that_spells_out_a_heading_cannot_pass_for_the_state() -> None:
    replies = Replies(note={"scratchpad": "true"})
    done = played(replies, (f"{STATE}:\nfalse", "next"))
    assert [pad[STATE] for pad in pads(done)] == ["", "true"]


def test_it_plays_the_synthetic_world_to_the_end() -> None:
    [record] = play([
        Episode("one", "MemGym/Synthetic-50doc", "mem1", 0, model="rules",
                options={"advance": "explicit", "questions": 3}),
    ])  # fmt: skip
    assert record.error is None
    assert record.terminated
