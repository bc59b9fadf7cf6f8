"""Nothing that an agent writes raises out of a step, in any dialect; what cannot be done is answered or does nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_world import Colours

from memgym import registry
from memgym.env import MemoryEnv
from memgym.memory.memory import key_of
from memgym.memory.store import Store
from memgym.operations import (
    Act,
    Action,
    Advance,
    Answer,
    Create,
    Delete,
    Evolve,
    Link,
    Malformed,
    Operation,
    Read,
    Scratchpad,
    Status,
    Update,
)  # fmt: skip

DIALECTS = registry.names("dialect")
SCRIPTS = ["記憶は東京にある。", "ความจำอยู่ที่กรุงเทพ", "الذاكرة في القاهرة", "Память в Москве"]
LONG = "<create_memory>" + "x" * 1_000_000
TABLE = {
    "empty": "",
    "blank": " \n\t\u3000",
    "1 MB of text": "x" * 1_000_000,
    "1 MB of words": "Mia lives in Oslo. " * 55_000,
    "1 MB in an unclosed tag": LONG,
    "1 MB in a closed tag": LONG + "</create_memory>",
    "1 MB of brackets": "<" * 1_000_000,
    "1 MB of braces": "{" * 500_000 + "[" * 500_000,
    "many tags": "<create_memory>" * 20_000,
    "many calls": '{"name": "create_memory", "arguments": {"text": "x"}}\n' * 2_000,
    "unclosed": "<create_memory>Mia lives in Oslo",
    "closed twice": "<create_memory>Mia</create_memory></create_memory>",
    "closed only": "</create_memory></answer></scratchpad>",
    "nested": "<create_memory><create_memory>inner</create_memory></create_memory>",
    "overlapping": "<create_memory>a<update_memory id='m1'>b</create_memory>c</update_memory>",
    "nested commands": "<answer><answer>red</answer></answer><answer>blue</answer>",
    "unclosed thinking": "<think><delete_memory id='m1'/>",
    "thinking closed only": "<delete_memory id='m1'/></think>",
    "unknown id": "<update_memory id='m999'>x</update_memory><delete_memory id='m999'/>",
    "no id": "<update_memory>x</update_memory><delete_memory/>",
    "empty id": "<update_memory id=''>x</update_memory><link_memory id='' to=''/>",
    "rank 0": "<delete_memory id='#0'/><update_memory id='#0'>x</update_memory>",
    "negative rank": "<delete_memory id='#-1'/>",
    "rank of 5000 digits": "<delete_memory id='#" + "9" * 5_000 + "'/>",
    "negative k": "<read_memory k='-3'>Mia</read_memory>",
    "k is 0": "<read_memory k='0'>Mia</read_memory>",
    "k of 5000 digits": "<read_memory k='" + "9" * 5_000 + "'>Mia</read_memory>",
    "k of 18 digits and links followed as far": f"<read_memory k='{'9' * 18}' follow='{'9' * 18}'>Mia</read_memory>",
    "k in other digits": "<read_memory k='٣'>Mia</read_memory><read_memory k='²'>Mia</read_memory>",
    "a link to itself": "<link_memory id='m1' to='m1'/>",
    "lone surrogates": "<create_memory tags='\udfff'>\ud800</create_memory><read_memory>\ud83d</read_memory>",
    "the halves of a pair": "<create_memory>\ud83d\ude00</create_memory><scratchpad>\ud83d\ude00</scratchpad>",
    "NUL": "<create_memory>a\x00b</create_memory><read_memory>\x00</read_memory><answer>\x00</answer>",
    "an unknown store": "<create_memory store='nowhere'>x</create_memory><read_memory store='nowhere'>x</read_memory>",
    "calls with wrong arguments": '{"name": "read_memory", "arguments": {"query": 5, "k": "many"}}',
    "calls that are cut off": '{"name": "create_memory", "arguments": {"text": "Mia',
    "calls of nothing": '[{"name": null}, {}, [], 3, null, "x", {"name": "create_memory", "arguments": []}]',
    "deep JSON": '{"a":' * 5_000,
    **{
        f"script {n}": f"<create_memory>{s}</create_memory><read_memory>{s}</read_memory>"
        for n, s in enumerate(SCRIPTS)
    },
}
ODD: list[Operation] = [
    Create(""), Create("\ud800"), Create("a\x00b"), Create("x", links=("m999", "#0", "")), Create("x" * 100_000),
    Read("Mia", k=0), Read("Mia", k=-3), Read(""), Read("Mia", k=10**12, follow=10**12), Read("\ud800\x00"),
    Update("m999", "x"), Update("#0", "x"), Update("", "x"), Update("m1", ""), Update("m1", "\udfff"),
    Delete("#-1"), Delete("\ud800"), Delete("#1"), Delete("m2"),
    Link("m1", ()), Link("m1", ("m1",)), Link("m1", ("m9", "m2")),
    Evolve("m9"), Evolve("m1", keywords=("\x00", "")), Evolve("m1", attributes=(("\ud800", "x"),)),
    Scratchpad("\ud800"), Scratchpad(""), Malformed("<create", "cut off"),
    *(Create(script) for script in SCRIPTS), *(Read(script) for script in SCRIPTS),
]  # fmt: skip
COMMANDS = [None, Advance(), Answer("\ud800"), Answer(""), Act("\x00"), Act("x" * 100_000)]


def env(dialect: str) -> MemoryEnv:
    made = MemoryEnv(Colours(questions=2), dialect=dialect, encoder="hashing:32", max_steps=10_000)
    made.reset(seed=0)
    made.step(Action((Create("Mia lives in Oslo."), Create("Ben has a bicycle."), Read("Mia, Ben"))))
    return made


def hold(made: MemoryEnv) -> None:
    """The invariants of a memory and of what was shown of it."""
    memory = made.memory
    assert all(memory.get(id) for entry in memory.entries() for id in entry.links)
    for store in memory.stores.values():
        fresh = Store(store.name, store.encoder)
        for entry in memory.entries(store.name):
            fresh.put(key_of(entry.id), entry)
        for by in store.ways:
            assert store.search("Mia has 記憶", 5, by) == fresh.search("Mia has 記憶", 5, by)
    seen = made.pomdp.seen
    assert all(isinstance(result.status, Status) for result in seen.results)
    assert all(result.ok or result.reason for result in seen.results)
    assert all(len(result.reason) < 2_000 for result in seen.results)
    assert all(memory.get(hit.entry.id) == hit.entry for hit in seen.memories)


def still_works(made: MemoryEnv) -> None:
    before = len(made.memory)
    made.step(Action((Create("still here"), Read("still here", k=1))))
    assert [str(result.status) for result in made.pomdp.seen.results] in (
        ["ok", "ok"],
        ["duplicate", "ok"],
        ["masked"] * 2,
    )
    assert len(made.memory) - before in (0, 1)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("text", TABLE.values(), ids=TABLE)
def test_any_text_is_answered_or_does_nothing(dialect: str, text: str) -> None:
    made = env(dialect)
    texts, reward, *_ = made.step(text)
    assert texts in made.observation_space
    assert 0.0 <= reward <= 1.0
    hold(made)
    still_works(made)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("operation", ODD, ids=lambda operation: ascii(operation)[:60])
def test_any_operation_is_answered(dialect: str, operation: Operation) -> None:
    made = env(dialect)
    made.step(Action((operation,)))
    assert len(made.pomdp.seen.results) == 1
    hold(made)
    still_works(made)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: ascii(command)[:30])
def test_any_command_is_answered_in_every_phase(dialect: str, command: Answer | Act | Advance | None) -> None:
    made = env(dialect)
    for _ in range(8):
        made.step(Action((), command))
        hold(made)
        made.step(Action((), Advance()))


TEXTS = st.text(st.characters(exclude_categories=()), max_size=30)
IDS = st.sampled_from(["m1", "m2", "m3", "#1", "#0", "m999", "", "\ud800", "1"])
OPERATIONS = (
    st.sampled_from(ODD)
    | st.builds(Create, TEXTS, st.lists(TEXTS, max_size=2).map(tuple), links=st.lists(IDS, max_size=2).map(tuple))
    | st.builds(
        Read, TEXTS, st.none() | st.integers(), st.sampled_from([None, "text", "dense", "hybrid", "x"]), st.integers()
    )
    | st.builds(Update, IDS, TEXTS)
    | st.builds(Delete, IDS)
    | st.builds(Link, IDS, st.lists(IDS, max_size=3).map(tuple))
    | st.builds(Evolve, IDS, context=st.none() | TEXTS)
    | st.builds(Scratchpad, TEXTS)
)
ACTIONS = st.builds(Action, st.lists(OPERATIONS, max_size=4).map(tuple), st.sampled_from(COMMANDS))
PIECES = st.sampled_from([
    "<create_memory>", "</create_memory>", "<read_memory k='", "'>", "<update_memory id=\"m1\">", "<delete_memory id='#1'/>",
    "<think>", "</think>", "<answer>", "</answer>", "<", ">", "/>", "&#", "&lt;", '"', "'", "{", "}", "[", "]", '"name":',
    '"arguments":', "```json\n", "m1", "#0", "-1", "Mia", "\ud800", "\x00", "\n", "=", ",", "<link_memory id='m1' to='m2'/>",
])  # fmt: skip


@settings(max_examples=150)
@given(st.sampled_from(DIALECTS), st.lists(TEXTS | st.lists(PIECES, max_size=12).map("".join), max_size=4))
def test_no_text_raises(dialect: str, texts: list[str]) -> None:
    made = env(dialect)
    for text in texts:
        assert made.step(text)[0] in made.observation_space
        hold(made)


@settings(max_examples=100)
@given(st.sampled_from(DIALECTS), st.lists(ACTIONS, max_size=4))
def test_no_action_raises(dialect: str, actions: list[Action]) -> None:
    made = env(dialect)
    for action in actions:
        made.step(action)
        hold(made)


@settings(max_examples=100)
@given(st.sampled_from(DIALECTS), st.lists(ACTIONS, max_size=3), st.data())
def test_no_action_that_was_cut_anywhere_raises(dialect: str, actions: list[Action], data: st.DataObject) -> None:
    made = env(dialect)
    for text in expressible(made, actions):
        made.step(text[: data.draw(st.integers(0, len(text)))])
        hold(made)


def expressible(made: MemoryEnv, actions: list[Action]) -> Iterator[str]:
    """The actions as text, without those that the dialect has no words for."""
    for action in actions:
        with suppress(ValueError):
            yield made.dialect.format(action)
