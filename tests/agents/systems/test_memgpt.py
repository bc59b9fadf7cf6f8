"""MemGPT: a bounded main context, pressure at 70 %, eviction at 100 %, and paging through two stores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from staged import Replies, Staged, staged

import memgym
from memgym.agents.budget import tokenizer
from memgym.agents.systems.memgpt import MainContext, MemGPT
from memgym.contracts import ContractError
from memgym.operations import Create, Read, Scratchpad
from memgym.records import Episode
from memgym.rollout import play

STORES = {"stores": ("recall", "archival")}
CALM = {"enough": {"enough": True}}


def message(number: int, length: int = 40) -> str:
    return f"Message {number} says: " + "word " * (length - 5) + "end."


def model(**said: Any) -> Replies:
    told = {"note": {"scratchpad": "core"}, "extract": {"facts": []}, "summarise": {"text": "summary"}}
    return Replies(**{**told, **CALM, **said})


def played(replies: Replies, texts: Sequence[str], questions: Sequence[str] = ("Who?",), **options: Any) -> Staged:
    return staged(MemGPT, replies, texts, questions, env_options=STORES, options=options)


def contexts(done: Staged) -> list[MainContext]:
    operations = [one for action in done.actions for one in action.operations]
    return [MainContext.of(one.text) for one in operations if isinstance(one, Scratchpad)]


def stored(done: Staged, store: str) -> list[str]:
    return [entry.text for entry in done.env.memory.entries(store)]


def reads(done: Staged) -> list[Read]:
    return [one for action in done.actions for one in action.operations if isinstance(one, Read)]


def test_every_message_goes_into_the_recall_store_and_into_the_queue() -> None:
    done = played(model(), [message(1), message(2)])
    assert stored(done, "recall") == [message(1), message(2)]
    assert contexts(done)[-1].messages == (message(1), message(2))


def test_below_70_percent_nothing_is_asked() -> None:
    replies = model()
    played(replies, [message(n) for n in range(6)], evolution={"context": 400})  # six of about 40 tokens
    assert replies.kinds() == ["enough", "answer"]


def test_at_70_percent_core_memory_is_written_and_facts_go_into_the_archival_store_once() -> None:
    replies = model(extract={"facts": ["Mia lives in Oslo."]})
    done = played(replies, [message(n) for n in range(8)], evolution={"context": 400})
    assert replies.kinds() == ["note", "extract", "enough", "answer"]
    assert contexts(done)[-1].core == "core"
    assert stored(done, "archival") == ["Mia lives in Oslo."]


def test_at_100_percent_the_oldest_half_of_a_context_is_summarised_and_stays_in_the_recall_store() -> None:
    replies = model()
    done = played(replies, [message(n) for n in range(11)], evolution={"context": 400})
    now = contexts(done)[-1]
    assert now.summary == "summary"
    assert now.messages[0] == message(5)  # five of about 40 tokens are half of 400
    assert replies.asked("summarise")[0]["texts"] == [message(n) for n in range(5)]
    assert stored(done, "recall") == [message(n) for n in range(11)]


def test_the_summary_is_recursive() -> None:
    replies = model(summarise=[{"text": "first"}, {"text": "second"}])
    played(replies, [message(n) for n in range(17)], evolution={"context": 400})
    assert replies.asked("summarise")[1]["texts"][0] == "first"


def test_messages_saved_at_an_earlier_warning_are_not_saved_again() -> None:
    replies = model()
    played(replies, [message(n) for n in range(17)], evolution={"context": 400})
    read = "\n".join(inputs["text"] for inputs in replies.asked("extract"))
    assert len(replies.asked("note")) > 1
    assert [read.count(f"Message {n} ") for n in range(8)] == [1] * 8


def test_the_main_context_never_exceeds_its_size() -> None:
    long = {"note": {"scratchpad": "core " * 900}, "summarise": {"text": "summary " * 900}}
    done = played(model(**long), [message(n) for n in range(40)], evolution={"context": 400})
    assert max(tokenizer().count(pad.render()) for pad in contexts(done)) <= 400


def test_core_memory_is_limited_in_characters_and_what_was_too_long_is_counted() -> None:
    replies = model(note={"scratchpad": "x" * 99})
    options = {"backend": {"encoder": "hashing"}, "evolution": {"context": 400, "core": 50}}
    agent = MemGPT(replies, options=options)
    done = staged(MemGPT, replies, [message(n) for n in range(8)], env_options=STORES, agent=agent)
    assert contexts(done)[-1].core == "x" * 50
    assert agent.evolution.overflows == 1  # type: ignore[attr-defined]


@pytest.mark.parametrize("word", ["word{} ", "語{}", "👩‍👩‍👧‍👦{} ", "\ud800{} ", "a\0b{} ", "x{}x"])
def test_a_message_larger_than_the_context_ends_no_loop_and_is_stored_whole(word: str) -> None:
    text = "".join(word.format(n) for n in range(900))
    done = played(model(), [text], evolution={"context": 100})
    assert max(tokenizer().count(pad.render()) for pad in contexts(done)) <= 100
    assert "".join("".join(stored(done, "recall")).split()) == "".join(text.split())


def test_the_search_pages_by_five_through_both_stores_until_it_is_enough() -> None:
    replies = model(enough=[{"enough": False}, {"enough": False}, {"enough": True}])
    done = played(replies, [f"Thing {n} is red." for n in range(30)], ["Which thing?"])
    assert [(one.query, one.k, one.store, one.by) for one in reads(done)] == [
        ("Which thing?", 5, "archival", "dense"),
        ("Which thing?", 5, "recall", "text"),
        ("Which thing?", 10, "archival", "dense"),
        ("Which thing?", 10, "recall", "text"),
    ]


def test_the_model_may_search_for_something_else() -> None:
    replies = model(enough=[{"enough": False, "queries": ["Oslo"]}, {"enough": True}])
    assert {one.query for one in reads(played(replies, ["Mia lives in Oslo."]))} == {"Oslo"}


def test_what_main_context_holds_needs_no_search() -> None:
    replies = model()
    done = played(replies, ["Mia lives in Oslo."])
    assert reads(done) == []
    assert "Mia lives in Oslo." in replies.asked("enough")[0]["texts"][0]
    assert "Mia lives in Oslo." in replies.asked("answer")[0]["text"]


def test_paging_ends_when_nothing_new_comes() -> None:
    replies = model(enough={"enough": False})
    done = played(replies, [f"Thing {n} is red." for n in range(7)], ["Which thing?"])
    assert [one.k for one in reads(done) if one.store == "recall"] == [5, 10, 15]


def test_paging_ends_when_the_results_fill_the_context() -> None:
    replies = model(enough={"enough": False})
    options = {"retrieval": {"context": 300}, "utilization": {"context": 300}}
    played(replies, [message(n) for n in range(60)], ["Which message?"], **options)
    assert 1 < len(replies.asked("enough")) < 5
    assert tokenizer().count(replies.asked("answer")[0]["text"]) <= 320  # separators between the parts


def test_an_unreadable_reply_is_no_reason_to_stop_and_is_counted() -> None:
    done = played(model(enough={}), [f"Thing {n} is red." for n in range(7)], ["Which thing?"])
    assert len(reads(done)) == 6
    assert done.usage.failures == 3


def test_an_empty_archival_store_can_be_searched() -> None:
    done = played(model(enough=[{"enough": False}, {"enough": True}]), ["Mia."])
    assert [str(result.status) for result in done.results if result.operation == "read"] == ["ok", "ok"]


def test_the_same_message_twice_is_one_entry() -> None:
    done = played(model(), ["Mia lives in Oslo."] * 2)
    assert stored(done, "recall") == ["Mia lives in Oslo."]
    assert done.ended("create") == ["ok", "duplicate"]


def test_a_fact_that_is_known_already_is_refused_and_the_refusal_recorded() -> None:
    replies = model(extract={"facts": ["Mia lives in Oslo."]})
    done = played(replies, [message(n) for n in range(17)], evolution={"context": 400})
    assert stored(done, "archival") == ["Mia lives in Oslo."]
    assert "duplicate" in done.ended("create")


def test_its_evolution_refuses_a_backend_without_an_archival_store_and_names_one_that_has_it() -> None:
    with pytest.raises(ContractError, match=r"archival_store.*memgpt\.backend"):
        MemGPT(memgym.make_model("rules"), backend="vector.backend")


def test_its_stores_serve_another_retrieval_and_utilization() -> None:
    replies = model()
    done = staged(MemGPT, replies, ["Mia lives in Oslo."], ["Where is Mia?"], env_options=STORES,
                  retrieval="dense.retrieval", utilization="prompt.utilization")  # fmt: skip
    assert replies.asked("answer")[0]["text"] == "Mia lives in Oslo."
    assert [type(one) for one in done.actions[0].operations] in ([], [Create, Scratchpad])


def test_it_plays_the_synthetic_world_to_the_end() -> None:
    agent_options = {"options": {"backend": {"encoder": "hashing"}}}
    needs = MemGPT(memgym.make_model("rules"), **agent_options).needs
    [record] = play([
        Episode("one", "MemGym/Synthetic-50doc", "memgpt", 0, model="rules",
                options={**needs, "questions": 3}, agent_options=agent_options),
    ])  # fmt: skip
    assert record.error is None
    assert record.terminated
    assert all(result.ok for step in record.steps for result in step.results)
