"""ReadAgent: pages of 280 to 600 words with a gist each; a few are looked up, the rest is known by its gist."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from staged import Replies, Staged, staged

import memgym
from memgym.agents.lifecycle.components import Piece
from memgym.agents.systems.readagent import ReadAgent, ReadAgentFormation, gists, keyword, words
from memgym.contracts import ContractError
from memgym.records import Episode
from memgym.rollout import play


def page(name: str, length: int = 240) -> str:
    """A paragraph of its own words, short enough to be one passage; two make a page."""
    return f"{name} begins. " + f"{name.lower()} " * (length - 3) + "end."


NAMES = ("Red", "Blue", "Green", "Gold", "Pink", "Grey")
PAGES = [page(name) for name in NAMES]


def gist(inputs: Any) -> dict[str, str]:
    """The first word of every passage."""
    return {"text": " ".join(line.split()[0] for line in inputs["texts"][0].split("\n") if line)}


def model(**said: Any) -> Replies:
    return Replies(**{"summarise": gist, "select": {"numbers": []}, **said})


def played(replies: Replies, texts: list[str] = PAGES, question: str = "Who?", **options: Any) -> Staged:
    return staged(ReadAgent, replies, texts, [question], options={"backend": {}, **options})


def by_size(**retrieval: Any) -> dict[str, Any]:
    return {"formation": {"breaks": "size"}, "retrieval": retrieval}


def test_a_page_has_between_280_and_600_words_and_nothing_is_lost_between_pages() -> None:
    done = played(model(), **by_size())
    lengths = [words(text) for text in done.texts]
    assert all(280 <= length <= 600 for length in lengths)
    assert [name for text in done.texts for name in NAMES if f"{name} begins." in text] == list(NAMES)  # fmt: skip


def test_the_model_chooses_where_a_page_ends_among_borders_of_allowed_length() -> None:
    replies = model(select={"numbers": [1]})
    done = played(replies, [page(name, 100) for name in ("A", "B", "C", "D", "E", "F", "G")])
    [options] = [inputs["options"] for inputs in replies.asked("select")][:1]
    assert len(options) == 4  # after 300, 400, 500 and 600 of 700 words
    assert words(done.texts[0]) == pytest.approx(300, abs=5)


@pytest.mark.parametrize("numbers", [[], [0], [9], [-1]])
def test_a_choice_that_is_none_ends_the_page_at_its_latest_border(numbers: list[int]) -> None:
    done = played(model(select={"numbers": numbers}), [page(name, 100) for name in ("A", "B", "C", "D", "E", "F", "G")])
    assert words(done.texts[0]) == pytest.approx(600, abs=5)


def test_every_page_has_a_numbered_gist_in_the_scratchpad() -> None:
    done = played(model(), **by_size())
    assert gists(done.env.memory.scratchpad) == {1: "Red Blue", 2: "Green Gold", 3: "Pink Grey"}
    assert [entry.keywords for entry in done.entries] == [(keyword(n),) for n in (1, 2, 3)]
    assert [entry.context for entry in done.entries] == ["Red Blue", "Green Gold", "Pink Grey"]


def test_a_gist_is_written_without_knowing_the_question() -> None:
    replies = model()
    played(replies, **by_size())
    assert {tuple(inputs["focus"]) for inputs in replies.asked("summarise")} == {()}


def test_the_answer_is_given_from_all_gists_with_the_pages_looked_up_in_their_place() -> None:
    replies = model(select={"numbers": [2]})
    done = played(replies, **by_size())
    text = replies.asked("answer")[0]["text"]
    assert text.startswith("Red Blue\n\nGreen begins.")
    assert text.endswith("Pink Grey")
    assert done.texts[1] in text


def test_pages_are_looked_up_at_once_and_at_most_five() -> None:
    replies = model(select={"numbers": [6, 5, 4, 3, 2, 1]})
    done = played(replies, [page(name) for name in "ABCDEFGHIJKL"], **by_size())
    reads = [result for result in done.results if result.operation == "read"]
    assert [result.ids for result in reads] == [("m6",), ("m5",), ("m4",), ("m3",), ("m2",)]
    assert sum(inputs["question"] == "Who?" for inputs in replies.asked("select")) == 1


def test_pages_that_do_not_exist_are_passed_over() -> None:
    replies = model(select={"numbers": [99, 0, -3, 1]})
    done = played(replies, **by_size())
    assert [result.ids for result in done.results if result.operation == "read"] == [("m1",)]


def test_sequential_look_up_shows_each_page_before_the_next_is_chosen() -> None:
    replies = model(select=[{"numbers": [2]}, {"numbers": [2, 3]}, {"numbers": [2, 3]}])
    done = played(replies, **by_size(lookup="sequential"))
    first, second, third = (inputs["options"] for inputs in replies.asked("select"))
    assert first[1] == "Page 2: Green Gold"
    assert second[1] == f"Page 2: {done.texts[1]}"
    assert third[2] == f"Page 3: {done.texts[2]}"
    assert [result.ids for result in done.results if result.operation == "read"] == [("m2",), ("m3",)]


def test_a_page_without_a_usable_gist_has_its_beginning_for_one() -> None:
    done = played(model(summarise={"text": " "}), **by_size())
    known = gists(done.env.memory.scratchpad)
    assert len(known) == 3
    assert known[1].startswith("Red begins. red")


def test_an_unreadable_reply_degrades_and_is_counted() -> None:
    done = played(model(summarise={}, select={}), **by_size())
    assert len(gists(done.env.memory.scratchpad)) == 3
    assert done.usage.failures == 4


@pytest.mark.parametrize(
    "text", ["語" * 5000, "คำ" * 4000, "👩‍👩‍👧‍👦 " * 2000, "\ud800" * 5000, "a\0b " * 3000, "x" * 100_000]
)
def test_any_text_is_paged_whatever_its_script(text: str) -> None:
    done = played(model(), [text], formation={"breaks": "size"})
    pages = {number: gist for number, gist in gists(done.env.memory.scratchpad).items() if gist}
    assert len(pages) >= len(done.entries) > 0
    assert all(words(entry.text) <= 600 for entry in done.entries)


def test_pages_go_on_counting_in_a_memory_that_is_kept() -> None:
    formation = ReadAgentFormation(model(), breaks="size")
    now = SimpleNamespace(scratchpad="Page 7: an earlier episode")
    _, pad = [asyncio.run(form) for form in (formation.form(Piece("Red."), now), formation.finish(now))][1]  # type: ignore[arg-type]
    assert list(gists(pad.text)) == [7, 8]  # type: ignore[union-attr]


def test_its_retrieval_refuses_a_formation_without_gists_and_names_who_writes_them() -> None:
    with pytest.raises(ContractError, match=r"requires gists.*readagent\.formation"):
        ReadAgent(memgym.make_model("rules"), formation="passage.formation")


def test_its_pages_can_be_searched_by_another_retrieval() -> None:
    replies = model()
    options = {"backend": {}, "formation": {"breaks": "size"}, "retrieval": {"k": 1}}
    done = staged(ReadAgent, replies, PAGES, ["Where is gold?"], retrieval="text.retrieval", options=options)
    assert done.texts[1] in replies.asked("answer")[0]["text"]


@pytest.mark.parametrize("lookup", ["parallel", "sequential"])
def test_it_plays_the_synthetic_world_to_the_end(lookup: str) -> None:
    [record] = play([
        Episode("one", "MemGym/Synthetic-50doc", "readagent", 0, model="rules",
                options={"advance": "explicit", "questions": 3},
                agent_options={"options": {"retrieval": {"lookup": lookup}}}),
    ])  # fmt: skip
    assert record.error is None
    assert record.terminated
    assert all(result.ok for step in record.steps for result in step.results)
