"""Any history of operations against a plain dict: the invariants of a memory hold after every one of them."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from memgym.memory import Memory, Snapshot, Write
from memgym.memory.encoders import HashingEncoder
from memgym.memory.memory import key_of
from memgym.memory.store import Store
from memgym.operations import Create, Delete, Evolve, Link, Operation, Read, Result, Scratchpad, Status, Update

ENCODER = HashingEncoder(32)
WORDS = [
    "Mia",
    "lives",
    "in",
    "Oslo",
    "bicycle",
    "red",
    "記憶は東京に",
    "ความจำ",
    "الذاكرة",
    "🧠",
    "\x00",
    "\ud800",
    " ",
    "\n",
    "?",
]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
ITEMS = st.lists(st.sampled_from(["home", "city", "", "記憶"]), max_size=2).map(tuple)
PAIRS = st.dictionaries(st.sampled_from(["a", "b"]), st.sampled_from(["", "1", "2"]), max_size=2).map(
    lambda pairs: tuple(sorted(pairs.items()))
)
WHICH = st.integers(0, 9)
"""Which entry is meant: mostly one that lives, by its place; 9 names one that may be gone or yet to come."""
STORES = st.sampled_from([None, "main", "other", "other", "nowhere"])
QUERIES = ["Mia lives in Oslo", "red bicycle 記憶は", "ความจำ", "🧠", "?", "home city"]


@dataclass
class Model:
    """What a memory should hold, in the plainest form: id -> fields."""

    entries: dict[str, dict[str, Any]] = field(default_factory=dict)
    scratchpad: str = ""
    next: int = 1

    def copy(self) -> Model:
        return deepcopy(self)

    def holder(self, store: str, text: str) -> str | None:
        return next((id for id, e in self.entries.items() if e["store"] == store and e["text"] == text), None)

    def create(self, op: Create, capacity: int) -> Status:
        store = op.store or "main"
        if store == "nowhere":
            return Status.UNKNOWN_ID
        if not op.text.strip():
            return Status.EMPTY
        if self.holder(store, op.text):
            return Status.DUPLICATE
        if len(self.entries) >= capacity:
            return Status.OVER_CAPACITY
        if any(id not in self.entries for id in op.links):
            return Status.UNKNOWN_ID
        self.entries[f"m{self.next}"] = {
            "store": store, "text": op.text, "keywords": op.keywords, "tags": op.tags, "context": op.context,
            "links": list(dict.fromkeys(op.links)), "attributes": op.attributes,
        }  # fmt: skip
        self.next += 1
        return Status.OK

    def update(self, op: Update) -> Status:
        entry = self.entries.get(op.id)
        if entry is None:
            return Status.UNKNOWN_ID
        if not op.text.strip():
            return Status.EMPTY
        if self.holder(entry["store"], op.text):
            return Status.DUPLICATE
        entry["text"] = op.text
        return Status.OK

    def delete(self, op: Delete) -> Status:
        if self.entries.pop(op.id, None) is None:
            return Status.UNKNOWN_ID
        for entry in self.entries.values():
            entry["links"] = [id for id in entry["links"] if id != op.id]
        return Status.OK

    def link(self, op: Link) -> Status:
        if any(id not in self.entries for id in (op.id, *op.to)):
            return Status.UNKNOWN_ID
        if not op.to or op.id in op.to:
            return Status.MALFORMED
        links = self.entries[op.id]["links"]
        new = [id for id in dict.fromkeys(op.to) if id not in links]
        links += new
        return Status.OK if new else Status.DUPLICATE

    def evolve(self, op: Evolve) -> Status:
        entry = self.entries.get(op.id)
        if entry is None:
            return Status.UNKNOWN_ID
        before = dict(entry)
        for name in ("keywords", "tags", "context"):
            if getattr(op, name) is not None:
                entry[name] = getattr(op, name)
        merged = {**dict(entry["attributes"]), **dict(op.attributes)}
        entry["attributes"] = tuple(sorted(pair for pair in merged.items() if pair[1]))
        return Status.DUPLICATE if entry == before else Status.OK


class MemoryMachine(RuleBasedStateMachine):
    """A memory of two stores, its model, and what was kept of both on the way."""

    capacity = 8

    @initialize(every=st.sampled_from([1, 4]))
    def start(self, every: int) -> None:
        self.every = every
        self.memory = Memory({"main": ENCODER, "other": None}, capacity=self.capacity)
        self.model = Model()
        self.steps = 0
        self.given: set[str] = set()
        self.kept: list[tuple[Snapshot, Model, str]] = []
        self.forks: list[tuple[Memory, str]] = []
        # Most rules need entries to meet: start with some, in both stores, linked to each other.
        for number in range(4):
            store = "other" if number % 2 else "main"
            self.create(links=[0] * bool(number), text=WORDS[number] + " lives", store=store)
        self.link(0, [1, 2, 3])

    def id(self, which: int) -> str:
        live = list(self.model.entries)
        return live[which % len(live)] if live and which < 9 else f"m{1 + self.steps % 9}"

    def apply(self, operation: Operation) -> Result:
        self.steps += 1
        return self.memory.apply(operation, Write("episode", self.steps, operation.kind, self.steps))

    @rule(
        text=TEXTS, keywords=ITEMS, tags=ITEMS, context=st.sampled_from(["", "at home"]),
        links=st.lists(WHICH, max_size=2), attributes=PAIRS.filter(lambda pairs: all(v for _, v in pairs)), store=STORES,
    )  # fmt: skip
    def create(self, links: list[int], **fields: Any) -> None:
        operation = Create(**fields, links=tuple(map(self.id, links)))
        result = self.apply(operation)
        assert result.status is self.model.create(operation, self.capacity)
        if result.ok:
            assert result.ids[0] not in self.given, "an id was given out twice"
            self.given.add(result.ids[0])

    @rule(which=WHICH, text=TEXTS)
    def update(self, which: int, text: str) -> None:
        operation = Update(self.id(which), text)
        assert self.apply(operation).status is self.model.update(operation)

    @rule(which=WHICH)
    def delete(self, which: int) -> None:
        operation = Delete(self.id(which))
        assert self.apply(operation).status is self.model.delete(operation)

    @rule(which=WHICH, to=st.lists(WHICH, max_size=3))
    def link(self, which: int, to: list[int]) -> None:
        operation = Link(self.id(which), tuple(map(self.id, to)))
        assert self.apply(operation).status is self.model.link(operation)

    @rule(
        which=WHICH, keywords=st.none() | ITEMS, tags=st.none() | ITEMS, context=st.sampled_from([None, "", "at work"]),
        attributes=PAIRS,
    )  # fmt: skip
    def evolve(self, which: int, **fields: Any) -> None:
        operation = Evolve(self.id(which), **fields)
        assert self.apply(operation).status is self.model.evolve(operation)

    @rule(text=TEXTS)
    def scratchpad(self, text: str) -> None:
        assert self.apply(Scratchpad(text)).ok
        self.model.scratchpad = text

    @rule(
        query=TEXTS, k=st.integers(-1, 8), by=st.sampled_from([None, "text", "dense", "hybrid"]), follow=st.integers(0, 3),
        store=STORES,
    )  # fmt: skip
    def read(self, query: str, k: int, by: str | None, follow: int, store: str | None) -> None:
        before = self.memory.digest()
        result, hits = self.memory.read(Read(query, k, by, follow, store), k=6)
        direct = [hit for hit in hits if hit.by != "link"]
        assert self.memory.digest() == before
        assert len({hit.entry.id for hit in hits}) == len(hits)
        assert len(direct) <= max(k, 0)
        assert all(self.memory.get(hit.entry.id) == hit.entry for hit in hits)
        assert all(hit.entry.store == (store or "main") for hit in direct)
        assert result.ids == tuple(hit.entry.id for hit in hits)
        assert result.ok or not hits

    @rule()
    def snapshot(self) -> None:
        self.kept.append((self.memory.snapshot(), self.model.copy(), self.memory.digest()))

    @precondition(lambda self: self.kept)
    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        kept, model, digest = data.draw(st.sampled_from(self.kept))
        self.memory.restore(kept)
        # The model's next id goes back too: ids are unique in a life, and a restored memory lives another one.
        self.model = model.copy()
        self.given = {f"m{number}" for number in range(1, model.next)}
        assert self.memory.digest() == digest

    @rule(stay=st.booleans())
    def fork(self, stay: bool) -> None:
        twin = self.memory.fork()
        left, self.memory = (twin, self.memory) if stay else (self.memory, twin)
        self.forks = [*self.forks[-2:], (left, left.digest())]

    @rule()
    def through_json(self) -> None:
        copy = Memory({"main": ENCODER, "other": None}, capacity=self.capacity)
        copy.load_json(self.memory.to_json())
        assert copy.digest() == self.memory.digest()
        self.memory = copy

    # ---------------------------------------------------------------- what holds after every rule

    @invariant()
    def the_memory_is_the_model(self) -> None:
        held = {
            entry.id: {
                "store": entry.store, "text": entry.text, "keywords": entry.keywords, "tags": entry.tags,
                "context": entry.context, "links": list(entry.links), "attributes": entry.attributes,
            }
            for entry in self.memory.entries()
        }  # fmt: skip
        assert held == self.model.entries
        assert self.memory.scratchpad == self.model.scratchpad
        assert len(self.memory) == len(held) <= self.capacity

    @invariant()
    def links_point_at_live_ids(self) -> None:
        assert all(self.memory.get(id) for entry in self.memory.entries() for id in entry.links)

    @invariant()
    def an_index_answers_as_a_fresh_one_does(self) -> None:
        if self.steps % self.every:
            return  # An index is brought up to date when it is asked: let changes pile up, too.
        for store in self.memory.stores.values():
            fresh = Store(store.name, store.encoder)
            for entry in self.memory.entries(store.name):
                fresh.put(key_of(entry.id), entry)
            for query in QUERIES:
                for by in store.ways:
                    assert store.search(query, 4, by) == fresh.search(query, 4, by), (store.name, by, query)

    @invariant()
    def a_fork_is_as_it_was_left(self) -> None:
        assert all(fork.digest() == digest for fork, digest in self.forks)

    @invariant()
    def equal_states_have_equal_digests(self) -> None:
        states = [(kept, digest) for _, kept, digest in self.kept]
        assert all(digest != self.memory.digest() for kept, digest in states if kept != self.model)


HISTORIES: Any = MemoryMachine.TestCase


class TestMemory(HISTORIES):  # type: ignore[misc]
    settings: Any = settings(max_examples=50, stateful_step_count=30)


@pytest.mark.slow
class TestMemoryAtLength(HISTORIES):  # type: ignore[misc]
    settings: Any = settings(max_examples=200, stateful_step_count=50)
