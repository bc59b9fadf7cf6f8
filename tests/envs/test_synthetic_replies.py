"""What the rules model says to the requests of memory systems, on documents of generated worlds and on any text."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgym.envs.synthetic import Synthetic
from memgym.envs.synthetic.reader import read
from memgym.envs.synthetic.replies import REPLIES
from memgym.envs.synthetic.rules import RulesModel
from memgym.model import Request
from memgym.task import Sample
from memgym.tokens import make_tokenizer

MODEL = RulesModel()
NUMBERS = st.integers(0, 9_999_999)
OLD = "As of May 2009, Mira Solen is employed by Vox Trust."
NEW = "In March 2016, Mira Solen left Vox Trust for Lark Press."
NEWEST = "A correction of June 2020 says that Mira Solen works at Rook Works and no longer at Lark Press."
BORN = "Mira Solen was born in Ostbarrow."
FOUNDED = "Vox Trust was founded by Mira Solen."
OTHER = "Kesta Dolm plays the oud."
PROFILE = f"Mira Solen\nMira Solen is a quiet lawyer. She was born in Ostbarrow. {OLD} She collects old maps of the more sober sort."  # fmt: skip


def ask(name: str, **inputs: Any) -> Any:
    return json.loads(asyncio.run(MODEL.chat(Request(name, (), inputs))).text)


def sample(number: int, **options: Any) -> Sample:
    return Synthetic(**{"documents": 40, "questions": 3, "split": "train", **options}).sample(f"train-{number:07d}")


def decide(fact: str, *memories: str) -> tuple[str, str, str]:
    said = ask("decide", fact=fact, memories=list(memories))
    return said["action"], said["id"], said["text"]


def test_extracted_facts_stand_alone_without_filler() -> None:
    assert ask("extract", text=PROFILE, time="")["facts"] == [BORN, OLD]


@settings(max_examples=15, deadline=None)
@given(number=NUMBERS)
def test_questions_are_answered_from_extracted_facts_in_any_order(number: int) -> None:
    world = sample(number)
    facts = [fact for one in world.documents for fact in ask("extract", text=one.render(), time="")["facts"]]
    for question in world.questions:
        assert set(question.evidence) <= set(facts)
        for order in (facts, facts[::-1]):
            assert ask("answer", question=question.text, text="\n".join(order))["answer"] in question.answers


@settings(max_examples=15, deadline=None)
@given(number=NUMBERS)
def test_every_extracted_fact_is_read_by_itself(number: int) -> None:
    for document in sample(number).documents:
        for fact in ask("extract", text=document.render(), time="")["facts"]:
            [statement] = read(fact)
            assert statement.fact is not None
            assert statement.text == fact


def test_a_newer_fact_updates_the_older_one() -> None:
    assert decide(NEW, f"[m1] {OTHER}", f"[m7] {OLD}") == ("update", "m7", NEW)


def test_an_update_keeps_what_else_the_memory_says() -> None:
    assert decide(NEW, f"[m7] {BORN} {OLD} {OTHER}") == ("update", "m7", f"{BORN} {NEW} {OTHER}")
    assert decide(NEW, "[m7] Mira Solen is a quiet lawyer. She was born in Ostbarrow. As of May 2009, she is employed by "
                  "Vox Trust.") == ("update", "m7", f"Mira Solen is a quiet lawyer. {BORN} {NEW}")  # fmt: skip


@pytest.mark.parametrize(
    ("fact", "memory"),
    [(OLD, OLD), (OLD, NEW), (BORN, "Ostbarrow is the birthplace of Mira Solen."),
     ("Mira Solen is married to Kesta Dolm.", "Kesta Dolm is married to Mira Solen."),
     (BORN, "Mira Solen was born in Nova Dolm."), (f"{BORN} {OLD}", f"{BORN} {NEW}")],
)  # fmt: skip
def test_a_fact_that_is_known_or_older_changes_nothing(fact: str, memory: str) -> None:
    assert decide(fact, f"[m2] {memory}") == ("none", "", "")


@pytest.mark.parametrize(
    "memories", [(), ("[m1] ",), (f"[m1] {BORN}", f"[m2] {OTHER}"), (OLD,), (f"m1 {OLD}",), ("[m1",)]
)
def test_a_fact_on_something_else_is_added(memories: tuple[str, ...]) -> None:
    assert decide(NEW, *memories) == ("add", "", "")


def test_of_several_versions_in_memory_only_the_latest_counts() -> None:
    assert decide(NEW, f"[m1] {OLD}", f"[m2] {NEWEST}")[0] == "none"
    assert decide(NEWEST, f"[m1] {OLD}", f"[m2] {NEW}")[0] == "update"


@settings(max_examples=15, deadline=None)
@given(number=NUMBERS, backwards=st.booleans())
def test_a_memory_kept_by_decisions_holds_the_latest_facts(number: int, backwards: bool) -> None:
    world = sample(number, documents=30, conflicts=1.0)
    facts = [fact for one in world.documents for fact in ask("extract", text=one.render(), time="")["facts"]]
    memory: dict[str, str] = {}
    for at, fact in enumerate(reversed(facts) if backwards else facts):
        action, id, text = decide(fact, *(f"[{key}] {value}" for key, value in memory.items()))
        if action != "none":
            memory[id or f"m{at}"] = text or fact
    for question in world.questions:
        assert ask("answer", question=question.text, text="\n".join(memory.values()))["answer"] in question.answers
    keys = [(one.fact.subject, one.fact.relation) for text in memory.values() for one in read(text) if one.fact]
    assert len(keys) == len(set(keys))


def test_text_of_another_language_is_compared_word_for_word() -> None:
    assert decide("we met at noon", "[m1] We met  at noon, and talked.")[0] == "none"
    assert decide("We met at noon, and talked.", "[m1] we met at noon") == (
        "update",
        "m1",
        "We met at noon, and talked.",
    )
    assert decide("We met at noon.", "[m1] They met at dusk.")[0] == "add"


def test_only_older_facts_of_the_same_relation_are_invalidated() -> None:
    memories = [f"[m1] {OLD}", f"[m2] {BORN}", f"[m3] {NEWEST}", f"[m4] {OTHER}", f"[m5] {OLD} {BORN}", f"[m1] {BORN}"]
    assert ask("invalidate", fact=NEW, memories=memories)["ids"] == ["m1"]
    assert ask("invalidate", fact=BORN, memories=memories)["ids"] == []


def test_edges_carry_subject_relation_object_and_date() -> None:
    first, second = ask("edges", text=PROFILE, time="1 May 2024")["edges"]
    assert first == {
        "subject": "Mira Solen",
        "relation": "born in",
        "object": "Ostbarrow",
        "valid_at": "",
        "text": BORN,
    }
    assert second == {"subject": "Mira Solen", "relation": "works at", "object": "Vox Trust", "valid_at": "May 2009", "text": OLD}  # fmt: skip


@settings(max_examples=10, deadline=None)
@given(number=NUMBERS)
def test_edges_are_the_extracted_facts(number: int) -> None:
    for document in sample(number).documents:
        edges = ask("edges", text=document.render(), time="")["edges"]
        assert [edge["text"] for edge in edges] == ask("extract", text=document.render(), time="")["facts"]
        assert all(edge["subject"] and edge["relation"] and edge["object"] for edge in edges)


def test_an_analysis_names_entities_and_relations() -> None:
    said = ask("analyse", text=PROFILE)
    assert said["keywords"] == ["Mira Solen", "Ostbarrow", "Vox Trust", "born in", "works at"]
    assert said["tags"] == ["born in", "works at"]
    assert said["context"] == "About Mira Solen, Ostbarrow and Vox Trust: born in, works at."


def test_notes_are_related_by_a_shared_entity_and_by_no_shared_number() -> None:
    notes = [f"[m1] {OTHER}", f"[m2] {FOUNDED}", "[m3] Kesta Dolm measures 181 cm.", FOUNDED, f"[m2] {OTHER}"]
    assert ask("relate", note=f"{BORN} Mira Solen is 181 cm tall.", neighbours=notes)["ids"] == ["m2"]


def test_a_neighbour_that_shares_an_entity_gains_what_the_note_is_about() -> None:
    [change] = ask("evolve", note=BORN, neighbours=[f"[m1] {OTHER}", f"[m2] {FOUNDED}"])["changes"]
    assert change["id"] == "m2"
    assert change["tags"] == ["founder", "born in"]
    assert change["context"] == "About Vox Trust and Mira Solen: founder. More is known of Mira Solen: born in."


def test_an_old_context_and_old_tags_that_are_shown_are_kept_and_not_repeated() -> None:
    shown = f"[m2] {FOUNDED}\ncontext: How it began.\ntags: history, trust"
    [change] = ask("evolve", note=BORN, neighbours=[shown])["changes"]
    assert change["context"] == "How it began. More is known of Mira Solen: born in."
    assert change["tags"] == ["history", "trust", "born in"]
    again = f"[m2] {FOUNDED}\ncontext: {change['context']}\ntags: {', '.join(change['tags'])}"
    assert ask("evolve", note=BORN, neighbours=[again])["changes"] == [change]


def test_facts_weigh_more_than_filler() -> None:
    weights = [ask("rate", text=text)["importance"] for text in (NEW, OLD, BORN, "Mira Solen is a quiet lawyer.", "")]
    assert weights == [9, 8, 7, 1, 1]


def test_a_summary_keeps_the_chain_of_a_question_that_comes_in_the_wrong_order() -> None:
    said = ask("summarise", texts=[BORN, OTHER, FOUNDED], focus=["Where was the founder of Vox Trust born?"], limit=100)
    assert said["text"] == f"{BORN}\n{FOUNDED}"


def test_a_summary_drops_what_a_later_date_replaces() -> None:
    assert ask("summarise", texts=[NEW, OLD], focus=["Where does Mira Solen work?"], limit=100)["text"] == NEW
    assert ask("summarise", texts=[NEW, OLD], focus=[], limit=100)["text"] == NEW


@settings(max_examples=15, deadline=None)
@given(number=NUMBERS, limit=st.integers(-5, 200))
def test_a_summary_stays_within_its_limit(number: int, limit: int) -> None:
    world = sample(number)
    documents = [one.render() for one in world.documents]
    for focus in ([], [world.questions[0].text]):
        said = ask("summarise", texts=documents, focus=focus, limit=limit)["text"]
        assert make_tokenizer("cl100k").count(said) <= max(0, limit)


@settings(max_examples=15, deadline=None)
@given(number=NUMBERS)
def test_a_summary_for_a_question_answers_it(number: int) -> None:
    world = sample(number)
    for question in world.questions:
        said = ask("summarise", texts=[one.render() for one in world.documents], focus=[question.text], limit=2000)
        assert ask("answer", question=question.text, text=said["text"])["answer"] in question.answers


def test_without_a_match_a_summary_keeps_what_weighs_most() -> None:
    assert ask("summarise", texts=[OTHER, NEW, BORN], focus=["the weather"], limit=20)["text"] == NEW


def test_focal_questions_ask_about_what_is_named_most() -> None:
    asked = ask("focus", texts=[OTHER, BORN, FOUNDED], count=2)["questions"]
    assert asked == ["What is known about Mira Solen?", "What is known about Kesta Dolm?"]
    assert ask("focus", texts=[OTHER], count=-1)["questions"] == []


def test_an_insight_joins_two_memories_of_which_one_leads_on() -> None:
    memories = [f"[m1] {OTHER}", f"[m2] {BORN}", f"[m3] {FOUNDED}"]
    assert ask("infer", question="What is known about Vox Trust?", memories=memories)["insights"] == [
        {"text": f"{FOUNDED} {BORN}", "evidence": ["m3", "m2"]}
    ]
    assert ask("infer", question="", memories=[f"[m1] {FOUNDED} {BORN}"])["insights"] == []


def test_a_plan_has_one_search_a_hop() -> None:
    assert ask("plan", question="Where was the founder of Vox Trust born?")["queries"] == [
        "Who founded Vox Trust?",
        "Where was the founder of Vox Trust born?",
    ]
    assert ask("plan", question="What did Mira tell Kesta Dolm?")["queries"] == [
        "What did Mira tell Kesta Dolm?", "Mira", "Kesta Dolm",
    ]  # fmt: skip


@settings(max_examples=15, deadline=None)
@given(number=NUMBERS)
def test_what_is_missing_is_asked_for_until_it_is_enough(number: int) -> None:
    world = sample(number, conflicts=0.0)
    for question in world.questions:
        texts: list[str] = []
        for evidence in (*question.evidence, ""):
            said = ask("enough", question=question.text, texts=texts)
            known = ask("answer", question=question.text, text="\n".join(texts))["answer"] != "unknown"
            assert said["enough"] == known
            assert bool(said["queries"]) == (not known)
            texts.append(evidence)
        assert known


def test_the_next_search_names_what_was_found() -> None:
    said = ask("enough", question="Where was the founder of Vox Trust born?", texts=[FOUNDED])
    assert said == {"enough": False, "queries": ["Where was Mira Solen born?"]}


def test_options_on_the_chain_are_selected_first() -> None:
    question = "Where was the founder of Vox Trust born?"
    assert ask("select", question=question, options=[OTHER, OLD, BORN, FOUNDED])["numbers"] == [3, 4, 2]
    assert ask("select", question="What did Mira say?", options=["Mira", "nobody"])["numbers"] == [1]
    assert ask("select", question="", options=["Mira", ""])["numbers"] == []


TALK = """[D1:1] Caroline: Hey Mel! Good to see you! How have you been?
[D1:2] Melanie: I adopted a dog called Rex yesterday. He eats a lot.
Caroline: Thanks for telling!"""


def test_talk_keeps_who_said_it_and_when() -> None:
    assert ask("extract", text=TALK, time="8 May 2023")["facts"] == [
        "(8 May 2023) Melanie: I adopted a dog called Rex yesterday.",
        "(8 May 2023) Melanie: He eats a lot.",
    ]
    assert ask("extract", text="[9 May 2023] Mia: I moved to Oslo.", time="")["facts"] == ["(9 May 2023) Mia: I moved to Oslo."]  # fmt: skip


def test_a_pronoun_of_another_language_gives_way_to_the_name_before_it() -> None:
    text = "Ada Lovelace was a mathematician. She wrote notes on the engine in 1843."
    assert ask("extract", text=text, time="")["facts"][1] == "Ada Lovelace wrote notes on the engine in 1843."
    assert ask("relate", note="Who knew Ada Lovelace?", neighbours=[f"[m1] {text}"])["ids"] == ["m1"]


FIRST = """Your task is to: put a clean mug in coffeemachine.
> go to countertop 2
On it you see a mug 1.
> take mug 1 from countertop 2
> clean mug 1 with sinkbasin 1
> move mug 1 to coffeemachine 1
"""
SECOND = FIRST.replace("mug", "plate").replace("countertop", "shelf").replace("coffeemachine", "cabinet")
WORKFLOW = "1. go to <any>\n2. take <object> from <any>\n3. clean <object> with sinkbasin\n4. move <object> to <place>"
SIMPLE = "Your task is to: examine a pen.\n> look\n> examine pen 1"


def test_a_workflow_is_what_the_episodes_of_one_kind_of_task_share() -> None:
    workflows = ask("induce", experiences=[FIRST, SIMPLE, SECOND, "nothing was done"])["workflows"]
    assert workflows == [
        {"name": "put a clean <object> in <place>", "text": WORKFLOW},
        {"name": "examine a <object>", "text": "1. look\n2. examine <object>"},
    ]


def test_a_rule_is_added_then_confirmed_or_opened() -> None:
    [added] = ask("compare", success=FIRST, failure="", rules=["Look first."])["edits"]
    assert (added["action"], added["number"]) == ("add", 0)
    rules = ["Look first.", added["text"]]
    assert ask("compare", success=FIRST, failure="", rules=rules)["edits"] == [{"action": "agree", "number": 2, "text": ""}]  # fmt: skip
    [edited] = ask("compare", success=SECOND, failure="", rules=rules)["edits"]
    assert (edited["action"], edited["number"]) == ("edit", 2)
    assert "take <object> from <any>" in edited["text"]


def test_a_failure_that_repeats_itself_gives_a_rule_once() -> None:
    failure = "Task: x\n> look\nA room.\n> look\n"
    [added] = ask("compare", success="", failure=failure, rules=[])["edits"]
    assert added["action"] == "add"
    assert ask("compare", success="", failure=failure, rules=[added["text"]])["edits"][0]["action"] == "agree"
    assert ask("compare", success="", failure="Task: x\n> look\n> go\n", rules=[])["edits"] == []


def act(memory: str, history: list[str], admissible: list[str], task: str = "put a clean fork in drawer") -> str:
    said = ask("act", task=task, memory=memory, history=history, observation="", admissible=admissible)
    return str(said["command"])


def test_the_command_that_memory_suggests_is_taken_when_it_is_possible() -> None:
    possible = ["look", "take pen 1 from shelf 1", "take fork 2 from shelf 1"]
    assert act(WORKFLOW, ["> go to shelf 1"], possible) == "take fork 2 from shelf 1"
    assert act("> take pen 1 from shelf 1", [], possible) == "take pen 1 from shelf 1"
    assert (
        act("> take pen 1 from shelf 1", ["A room.\n> take pen 1 from shelf 1"], possible) != "take pen 1 from shelf 1"
    )
    assert act("> open box", [], []) == "open box"


def test_without_memory_every_possible_command_has_its_turn() -> None:
    history: list[str] = []
    for _ in range(30):
        history.append(f"A room.\n> {act('', history[-20:], ['a', 'b', 'c'])}")
    assert {one[-1] for one in history[:3]} == {one[-1] for one in history[-3:]} == {"a", "b", "c"}
    assert act("", [], []) == "look"


INPUTS: dict[str, Any] = {"limit": 50, "count": 3}
LISTS = {"neighbours", "memories", "texts", "focus", "options", "experiences", "rules", "history", "admissible"}
FRAGMENTS = ["Mira Solen", "She", " was born in ", "Ostbarrow", ".", " ", "\n", "[m1] ", "> ", "Task: ", "1. ", "<any>",
             "May 2016", "As of ", "tags: ", "Anna: ", "\ud800", "\x00", "東京", "ก็", "🦊", "(", "]", OLD, NEW]  # fmt: skip
TEXTS = st.text() | st.lists(st.sampled_from(FRAGMENTS), max_size=30).map("".join)


def inputs_of(name: str, texts: list[str]) -> dict[str, Any]:
    return {key: INPUTS.get(key, texts if key in LISTS else texts[0]) for key in REPLIES[name][0]}


@pytest.mark.parametrize("name", REPLIES)
@settings(max_examples=100, deadline=None)
@given(texts=st.lists(TEXTS, min_size=1, max_size=4))
def test_any_text_is_replied_to_and_always_alike(name: str, texts: list[str]) -> None:
    inputs = inputs_of(name, texts)
    assert ask(name, **inputs) == ask(name, **inputs)


@pytest.mark.parametrize("name", REPLIES)
@pytest.mark.parametrize(
    "text",
    ["She " * 5_000, "(" * 100_000, "[m1] " * 20_000, "A and " * 20_000, "works at " * 20_000, "> " * 20_000,
     "> a\n" * 5_000, "1. <a>" * 10_000, "Anna: " * 20_000, " " * 100_000, "<object> " * 20_000, "a" * 200_000],
    ids=range(12),
)  # fmt: skip
def test_long_malformed_text_is_replied_to(name: str, text: str) -> None:
    assert isinstance(ask(name, **inputs_of(name, [text, f"[m2] {text}"])), dict)


@settings(max_examples=50, deadline=None)
@given(texts=st.lists(TEXTS, max_size=4))
def test_a_reply_speaks_only_of_ids_that_were_shown(texts: list[str]) -> None:
    shown = [f"[m{at}] {text}" for at, text in enumerate(texts)]
    ids = {f"m{at}" for at in range(len(texts))}
    assert set(ask("relate", note="".join(texts), neighbours=shown)["ids"]) <= ids
    assert {one["id"] for one in ask("evolve", note="".join(texts), neighbours=shown)["changes"]} <= ids
    assert set(ask("invalidate", fact=NEW, memories=shown)["ids"]) <= ids
    assert ask("decide", fact=NEW, memories=shown)["id"] in ids | {""}
    for insight in ask("infer", question="", memories=shown)["insights"]:
        assert set(insight["evidence"]) <= ids
