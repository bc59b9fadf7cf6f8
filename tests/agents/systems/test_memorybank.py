"""MemoryBank: days, summaries and a portrait; what is recalled grows stronger, and the stronger fades the slower."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from staged import Replies, Staged, staged

import memgym
from memgym.agents.sections import read
from memgym.agents.systems.memorybank import OVERVIEW, PORTRAIT, MemoryBank, Trace, day
from memgym.contracts import ContractError
from memgym.operations import Delete
from memgym.records import Episode
from memgym.registry import UnknownName
from memgym.rollout import play


def session(number: int, date: str, text: str) -> str:
    return f"Session {number} ({date}) with Mia, Otto:\nMia: {text}"


DAYS = [
    session(1, "8 May, 2023", "I bought a boat."),
    session(2, "9 May, 2023", "The boat is red."),
    session(3, "9 May, 2023", "I called her Ada."),
    session(4, "20 May, 2023", "I sail on Sundays."),
]


def summary(inputs: Any) -> dict[str, str]:
    return {"text": f"sum of {len(inputs['texts'])}"}


def model(**said: Any) -> Replies:
    return Replies(**{"summarise": summary, **said})


def played(replies: Replies, texts: Sequence[str] = DAYS, question: str = "Who?", **options: Any) -> Staged:
    return staged(MemoryBank, replies, texts, [question], options=options)


def kinds(done: Staged) -> list[str]:
    return [entry.attribute("kind") for entry in done.entries]


NEVER = {"evolution": {"mode": "threshold", "threshold": 1e-9}}


def test_a_day_is_summarised_when_it_is_over_and_the_last_one_at_the_end() -> None:
    replies = model()
    done = played(replies, **NEVER)
    logs = [inputs["texts"] for inputs in replies.asked("summarise")][::3]
    assert [len(log) for log in logs] == [1, 2, 1]
    assert kinds(done).count("log") == 4


def test_overview_and_portrait_are_renewed_from_what_they_were() -> None:
    replies = model(summarise=lambda inputs: {"text": " + ".join(text[-20:] for text in inputs["texts"])[:200]})
    done = played(replies, DAYS[:2], **NEVER)
    pad = read(done.env.memory.scratchpad, (OVERVIEW, PORTRAIT))
    assert "bought a boat" in pad[OVERVIEW]
    assert "boat is red" in pad[OVERVIEW]
    assert "bought a boat" in pad[PORTRAIT]
    assert "boat is red" in pad[PORTRAIT]


def test_the_model_is_shown_overview_portrait_and_dated_memories() -> None:
    replies = model()
    played(replies, **NEVER)
    text = replies.asked("answer")[0]["text"]
    assert text.startswith(f"{OVERVIEW}:\nsum of 2\n\n{PORTRAIT}:\nsum of 2")
    assert DAYS[0] in text
    assert "(8 May, 2023) sum of 1" in text


def test_six_memories_are_retrieved() -> None:
    replies = model()
    done = played(replies, [f"Bird number {n}." for n in range(20)])
    assert [len(result.ids) for result in done.results if result.operation == "read"] == [6]


def test_a_recall_makes_a_memory_stronger_by_one() -> None:
    done = played(model(), question="Who bought a boat?", retrieval={"k": 1}, **NEVER)
    assert {entry.text: entry.attribute("strength") for entry in done.entries}[DAYS[0]] == "2"
    assert sum(entry.attribute("strength") == "1" for entry in done.entries) == len(done.entries) - 1


@given(st.integers(1, 50), st.integers(1, 400))
def test_a_stronger_memory_fades_slower(strength: int, days: int) -> None:
    weaker, stronger = Trace(strength, 0, 0.5), Trace(strength + 1, 0, 0.5)
    assert weaker.retention(days) < stronger.retention(days) < 1


def test_retention_follows_the_curve_of_the_paper() -> None:
    assert Trace(1, 0, 0.5).retention(1) == pytest.approx(math.exp(-1 / 5))
    assert Trace(3, 10, 0.5).retention(25) == pytest.approx(math.exp(-15 / 15))


def test_what_has_faded_is_deleted_when_a_later_day_begins() -> None:
    done = played(model(), evolution={"mode": "threshold", "threshold": 0.3})  # exp(-11/5) is 0.11
    assert [entry.text for entry in done.entries if entry.attribute("kind") == "log"] == [DAYS[3]]
    assert set(done.ended("delete")) == {"ok"}


def test_a_recall_is_remembered_as_strength_from_which_the_curve_is_counted() -> None:
    agent = MemoryBank(model(), options={"backend": {"encoder": "hashing"}, "evolution": {"mode": "threshold"}})
    done = staged(MemoryBank, model(), DAYS[:1], ["Who bought a boat?"], agent=agent)
    traces = agent.evolution._traces  # type: ignore[attr-defined]
    assert {id: trace.strength for id, trace in traces.items()} == {entry.id: 2 for entry in done.entries}


def test_what_is_left_follows_the_curve_and_the_seed_decides_which() -> None:
    texts = [session(1, "8 May, 2023", f"I saw bird number {n}.") for n in range(300)]
    texts.append(session(2, "11 May, 2023", "Good morning."))
    first, again = played(model(), texts), played(model(), texts)
    left = [entry.text for entry in first.entries if "bird" in entry.text]
    assert len(left) / 300 == pytest.approx(math.exp(-3 / 5), abs=0.09)  # three standard errors
    assert first.actions == again.actions


def test_text_without_a_date_does_not_fade_and_is_summarised_in_parts() -> None:
    replies = model()
    done = played(replies, [f"Bird number {n}. " + "word " * 50 for n in range(12)], formation={"log": 200})
    assert kinds(done).count("log") == 12
    assert not any(isinstance(one, Delete) for action in done.actions for one in action.operations)
    assert len(replies.asked("summarise")) == 12  # three for each of four parts


@pytest.mark.parametrize(
    ("time", "days"),
    [("8 May, 2023", 0), ("1:56 pm on 9 May, 2023", 1), ("2023/05/10 (Wed) 02:21", 2), ("June 2023", 24)],
)
def test_days_are_read_as_data_sets_write_them(time: str, days: int) -> None:
    first, then = day("2023-05-08"), day(time)
    assert first is not None
    assert then is not None
    assert then - first == days


@pytest.mark.parametrize("time", ["", "step 7", "31 February 2023", "0000-00-00", "yesterday", "\ud800"])
def test_a_time_that_names_no_day_is_none(time: str) -> None:
    assert day(time) is None


def test_unreadable_replies_keep_what_was_said_and_are_counted() -> None:
    done = played(model(summarise={}), DAYS[:1])
    assert DAYS[0] in done.texts
    assert done.usage.failures == 3


def test_an_unknown_mode_is_an_error_that_names_the_modes() -> None:
    with pytest.raises(UnknownName, match="draw"):
        MemoryBank(memgym.make_model("rules"), options={"evolution": {"mode": "drew"}})


def test_its_evolution_refuses_entries_without_strength_and_names_who_gives_it() -> None:
    with pytest.raises(ContractError, match=r"requires strength.*memorybank\.formation"):
        MemoryBank(memgym.make_model("rules"), formation="passage.formation", utilization="prompt.utilization")


def test_its_days_serve_another_retrieval_and_utilization() -> None:
    replies = model()
    staged(MemoryBank, replies, DAYS, ["Who called Ada?"], retrieval="text.retrieval",
           utilization="prompt.utilization", options={"retrieval": {"k": 1}, **NEVER})  # fmt: skip
    assert replies.asked("answer")[0]["text"] == DAYS[2]


def test_it_plays_the_synthetic_world_to_the_end() -> None:
    [record] = play([
        Episode("one", "MemGym/Synthetic-50doc", "memorybank", 0, model="rules",
                options={"advance": "explicit", "encoder": "hashing", "questions": 3},
                agent_options={"options": {"backend": {"encoder": "hashing"}}}),
    ])  # fmt: skip
    assert record.error is None
    assert record.terminated
    assert all(result.ok for step in record.steps for result in step.results)
