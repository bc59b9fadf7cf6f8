"""The rules model: reads the synthetic world's language from any text, and nothing but that text."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgym.envs.synthetic import Synthetic
from memgym.envs.synthetic.asking import parse, phrase
from memgym.envs.synthetic.dice import Dice
from memgym.envs.synthetic.language import WORDINGS, fill
from memgym.envs.synthetic.reader import read
from memgym.envs.synthetic.relations import RELATIONS
from memgym.envs.synthetic.rules import RulesModel
from memgym.envs.synthetic.world import Fact
from memgym.model import Message, ModelError, Reply, Request
from memgym.operations import Advance
from memgym.registry import make_model
from memgym.tokens import make_tokenizer

OBJECTS = {"date": "4 May 1961", "year": "1961", "count": "12,345", "length": "181 cm"}


def ask(name: str, messages: tuple[Message, ...] = (), **inputs: Any) -> Reply:
    return asyncio.run(RulesModel().chat(Request(name, messages, inputs)))


def answer(question: str, text: str) -> str:
    found = json.loads(ask("answer", question=question, text=text).text)["answer"]
    assert isinstance(found, str)
    return found


def note(questions: list[str], scratchpad: str, text: str, limit: int = 1000) -> str:
    reply = ask("note", questions=questions, scratchpad=scratchpad, text=text, limit=limit)
    found = json.loads(reply.text)["scratchpad"]
    assert isinstance(found, str)
    return found


@pytest.mark.parametrize("relation", WORDINGS)
def test_every_wording_is_read_back_as_its_fact(relation: str) -> None:
    object = OBJECTS.get(RELATIONS[relation].object, "Kesta Dolm")
    before = OBJECTS.get(RELATIONS[relation].object, "Nova Dolm")
    dated = 2016 * 12 + 4 if RELATIONS[relation].dated else 0
    wording = WORDINGS[relation]
    values = {"s": "Mira Solen", "o": object, "d": "May 2016", "p": before}
    for template in (*wording.forward, *wording.inverse, *wording.revision):
        [statement] = read(fill(template, values))
        previous = before if template in wording.revision and "{p}" in template else ""
        assert statement.fact == Fact("Mira Solen", relation, object, dated, previous)


@settings(max_examples=20, deadline=None)
@given(number=st.integers(0, 9_999_999), seed=st.integers(0, 9))
def test_shuffled_chunks_are_read_in_full(number: int, seed: int) -> None:
    benchmark = Synthetic(documents=60, questions=3, chunk_tokens=1500)
    sample = benchmark.sample(f"validation-{number:07d}")
    task, parts = benchmark.task(sample, np.random.default_rng(seed)), []
    while task.view.phase == "read":
        parts.append(task.view.text)
        task.take(Advance())
    for question in sample.questions:
        assert answer(question.text, "\n---\n".join(parts)) in question.answers
        assert answer(question.text, "\n---\n".join(reversed(parts))) in question.answers


@settings(max_examples=20, deadline=None)
@given(number=st.integers(0, 9_999_999))
def test_a_text_without_the_evidence_gives_unknown(number: int) -> None:
    sample = Synthetic(documents=60, conflicts=0.0).sample(f"validation-{number:07d}")
    question = sample.questions[0]
    rest = "\n".join(
        document.render() for document in sample.documents if not any(one in document.text for one in question.evidence)
    )
    assert answer(question.text, rest) == "unknown"


@pytest.mark.parametrize(
    "form", ["{}", "[m3] {}", "- {}", "1. {}", '<memory id="m3">{}</memory>', "(m12) {} ", "note: {}", '"{}"', "* [m1] {}"]
)  # fmt: skip
def test_ids_bullets_and_markup_around_a_sentence_are_read_over(form: str) -> None:
    text = "\n".join(
        form.format(one) for one in ("Vox Trust was founded by Mira Solen.", "Mira Solen was born in Ostbarrow.")
    )
    assert answer("Where was the founder of Vox Trust born?", text) == "Ostbarrow"


@pytest.mark.parametrize("order", [1, -1])
def test_the_latest_date_wins_in_any_order(order: int) -> None:
    sentences = [
        "As of May 2009, Mira Solen is employed by Vox Trust.",
        "In March 2016, Mira Solen left Vox Trust for Lark Press.",
        "A correction of June 2020 says that Mira Solen works at Rook Works and no longer at Lark Press.",
    ]
    assert answer("Where does Mira Solen work?", " ".join(sentences[::order])) == "Rook Works"
    assert answer("Where does Mira Solen work?", " ".join(sentences[:2][::order])) == "Lark Press"
    assert answer("Where does Mira Solen work?", sentences[0]) == "Vox Trust"


def test_a_pronoun_stands_for_the_name_before_it_or_the_title_above() -> None:
    question = "Where was Mira Solen born?"
    assert answer(question, "Mira Solen is a quiet lawyer. She was born in Ostbarrow.") == "Ostbarrow"
    assert answer(question, "Document 3:\nMira Solen\nShe was born in Ostbarrow.") == "Ostbarrow"
    assert answer(question, "Mira Solen (note 1, May 2020)\nShe was born in Ostbarrow.") == "Ostbarrow"


def test_a_pronoun_is_not_carried_into_another_passage() -> None:
    question = "Where was Mira Solen born?"
    assert answer(question, "She was born in Ostbarrow.") == "unknown"
    assert answer(question, "Mira Solen is a quiet lawyer.\nShe was born in Ostbarrow.") == "unknown"
    assert (
        answer(question, "Mira Solen is a quiet lawyer. Kesta Dolm plays the oud. She was born in Ostbarrow.")
        == "unknown"
    )


def test_a_sentence_that_was_cut_is_not_read() -> None:
    assert answer("Who founded Vox Trust?", "Vox Trust was founded by Mira Sol") == "unknown"


def test_comparison_and_yes_no_questions_need_both_sides() -> None:
    text = "Mira Solen is 181 cm tall. Kesta Dolm measures 176 cm."
    assert answer("Who is taller, Mira Solen or Kesta Dolm?", text) == "Mira Solen"
    assert answer("Is Mira Solen shorter than Kesta Dolm?", text) == "no"
    assert answer("Who is taller, Mira Solen or Kesta Dolm?", "Mira Solen is 181 cm tall.") == "unknown"


@settings(max_examples=60, deadline=None)
@given(number=st.integers(0, 9_999_999), seed=st.integers(0, 99))
def test_a_question_is_read_back_from_any_of_its_phrasings(number: int, seed: int) -> None:
    sample = Synthetic(documents=30, questions=2, hops=(2, 4)).sample(f"validation-{number:07d}")
    for question in sample.questions:
        query = parse(question.text)
        assert query is not None
        again = parse(phrase(query, Dice(np.random.default_rng(seed))))
        assert again is not None
        assert again.chains == query.chains


@settings(max_examples=200, deadline=None)
@given(question=st.text(), text=st.text())
def test_any_text_is_answered_without_raising(question: str, text: str) -> None:
    assert answer(question, text) == "unknown"
    assert note([question], text, text) == ""


@pytest.mark.parametrize(
    "text",
    ["", "\x00", "\ud800", "She She She.", "the the the " * 2000, "(" * 20_000, "[m1] " * 5_000, "works at " * 10_000,
     "Is " + "the mentor of " * 300 + "X?", "🦊 works at 東京.", "ก็" * 500, "In May 2016, " * 2_000, "1. " * 5_000, "works at " * 100_000, "(" * 1_000_000, "A and " * 100_000],
)  # fmt: skip
def test_malformed_text_is_read_over(text: str) -> None:
    assert answer(text, text) == "unknown"
    assert note([text], text, text) == ""
    assert (
        answer("Where does Mira Solen live?", text + "\nMira Solen lives in Ostbarrow as of May 2010.") == "Ostbarrow"
    )


QUESTION = "Where was the founder of Vox Trust born?"
FIRST, SECOND = "Vox Trust was founded by Mira Solen.", "Mira Solen was born in Ostbarrow."


def test_notes_follow_a_bridge_that_was_seen_before() -> None:
    pad = note([QUESTION], "", FIRST)
    assert pad == FIRST
    assert note([QUESTION], pad, f"{SECOND} Kesta Dolm plays the oud.") == f"{FIRST}\n{SECOND}"


def test_notes_lose_a_fact_whose_bridge_comes_later() -> None:
    pad = note([QUESTION], "", SECOND)
    assert pad == ""
    assert note([QUESTION], pad, FIRST) == FIRST


def test_notes_write_the_name_in_the_place_of_a_pronoun() -> None:
    assert note(["Where was Mira Solen born?"], "", "Mira Solen\nShe was born in Ostbarrow.") == SECOND


def test_notes_drop_what_a_later_date_replaces() -> None:
    old, new = (
        "As of May 2009, Mira Solen is employed by Vox Trust.",
        "In May 2016, Mira Solen left Vox Trust for Lark Press.",
    )
    assert note(["Where does Mira Solen work?"], old, new) == new
    assert note(["Where does Mira Solen work?"], new, old) == new


def test_notes_keep_the_chain_before_mentions_and_stay_within_the_limit() -> None:
    mentions = " ".join(
        f"Vox Trust competes with Kob{letter} Press for the attention of the public." for letter in "abcdef"
    )
    pad = note([QUESTION], "", f"{FIRST} {mentions}", limit=40)
    assert FIRST in pad.splitlines()
    assert make_tokenizer("cl100k").count(pad) <= 40
    assert note([QUESTION], "", f"{FIRST} {mentions}", limit=0) == ""


def test_usage_counts_the_messages_or_else_the_inputs() -> None:
    count = make_tokenizer("cl100k").count
    with_messages = ask("answer", (Message("user", "one two three"),), question=QUESTION, text=FIRST)
    assert with_messages.usage.prompt_tokens == count("one two three")
    without = ask("answer", question=QUESTION, text=FIRST)
    assert without.usage.prompt_tokens == count(QUESTION) + count(FIRST)
    assert without.usage.calls == 1
    assert without.usage.completion_tokens == count(without.text)


def test_the_registry_knows_the_model() -> None:
    assert make_model("rules").name == "rules"


def test_an_unknown_request_is_refused_with_what_it_answers() -> None:
    with pytest.raises(ModelError, match=r"'anser'.*answer"):
        ask("anser", question="", text="")


def test_missing_inputs_are_named() -> None:
    with pytest.raises(ModelError, match="question, text; given: text"):
        ask("answer", text="")
