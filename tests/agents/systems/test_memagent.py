"""MemAgent: the memory is overwritten at every chunk, never exceeds its budget, and is all that is answered from."""

from __future__ import annotations

from typing import Any

import pytest
from staged import Replies, Staged, staged

import memgym
from memgym.agents.budget import tokenizer
from memgym.agents.systems.memagent import MemAgent
from memgym.contracts import ContractError
from memgym.operations import Scratchpad
from memgym.records import Episode
from memgym.rollout import play

PAGES = ("Mia lives in Oslo.", "Otto bakes bread.", "Mia moved to Rome.")


def played(replies: Replies, texts: tuple[str, ...] = PAGES, **options: Any) -> Staged:
    return staged(MemAgent, replies, texts, options={"backend": {}, "formation": options})


def memories(done: Staged) -> list[str]:
    operations = [one for action in done.actions for one in action.operations]
    assert all(isinstance(one, Scratchpad) for one in operations)
    return [one.text for one in operations if isinstance(one, Scratchpad)]


def test_each_chunk_is_seen_with_the_question_and_the_memory_that_the_last_one_left() -> None:
    replies = Replies(note=[{"scratchpad": f"memory {n}"} for n in (1, 2, 3)])
    done = played(replies)
    asked = replies.asked("note")
    assert [inputs["text"] for inputs in asked] == list(PAGES)
    assert [inputs["scratchpad"] for inputs in asked] == ["", "memory 1", "memory 2"]
    assert [inputs["questions"] for inputs in asked] == [["Who?"]] * 3
    assert {inputs["limit"] for inputs in asked} == {1024}
    assert memories(done) == ["memory 1", "memory 2", "memory 3"]


def test_the_answer_is_given_from_the_memory_only() -> None:
    replies = Replies(note={"scratchpad": "all that is left"})
    played(replies)
    assert replies.kinds() == ["note", "note", "note", "answer"]
    assert replies.asked("answer")[0]["text"] == "all that is left"


def test_a_chunk_longer_than_5000_tokens_is_read_in_parts() -> None:
    replies = Replies(note={"scratchpad": "x"})
    played(replies, ("word " * 6000,))
    sizes = [tokenizer().count(inputs["text"]) for inputs in replies.asked("note")]
    assert len(sizes) == 2
    assert max(sizes) <= 5000


@pytest.mark.parametrize("text", ["語" * 3000, "word " * 3000, "🎻" * 2000, "\ud800 x " * 2000, "a\0b" * 2000])
def test_the_memory_never_exceeds_its_budget_and_what_was_too_long_is_counted(text: str) -> None:
    agent = MemAgent(Replies(note={"scratchpad": text}))
    done = staged(MemAgent, Replies(), PAGES, agent=agent)
    assert all(0 < tokenizer().count(memory) <= 1024 for memory in memories(done))
    assert agent.formation.overflows == 3  # type: ignore[attr-defined]


def test_a_memory_over_the_budget_can_be_refused() -> None:
    replies = Replies(note=[{"scratchpad": "short"}, {"scratchpad": "long " * 50}, {"scratchpad": "end"}])
    assert memories(played(replies, limit=10, overflow="refuse")) == ["short", "short", "end"]


def test_an_unreadable_reply_leaves_the_memory_as_it_was_and_is_counted() -> None:
    replies = Replies(note=[{"scratchpad": "kept"}, {}])
    done = played(replies)
    assert memories(done) == ["kept"] * 3
    assert done.usage.failures == 2


def test_nothing_of_the_last_episode_is_left() -> None:
    agent = MemAgent(replies := Replies(note={"scratchpad": "x " * 2000}))
    first = staged(MemAgent, Replies(), PAGES, agent=agent)
    again = staged(MemAgent, Replies(), PAGES, agent=agent)
    assert first.actions == again.actions
    assert agent.formation.overflows == 3  # type: ignore[attr-defined]
    assert replies.asked("note")[3]["scratchpad"] == ""


def test_its_formation_feeds_no_retrieval_that_reads_entries() -> None:
    with pytest.raises(ContractError, match=r"'text\.backend' requires text_content"):
        MemAgent(memgym.make_model("rules"), backend="text.backend", retrieval="text.retrieval")


def test_it_plays_the_synthetic_world_to_the_end() -> None:
    [record] = play([
        Episode("one", "MemGym/Synthetic-50doc", "memagent", 0, model="rules",
                options={"advance": "explicit", "questions": 3}),
    ])  # fmt: skip
    assert record.error is None
    assert record.terminated
    assert all(step.size == 0 for step in record.steps)
