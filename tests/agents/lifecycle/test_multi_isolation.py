"""Several systems in one environment never see or change what is another's."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from small_systems import (
    Ended,
    Everything,
    Marked,
    Meddling,
    Noting,
    NotingToo,
    One,
    Other,
    Silent,
    ended,
)

import memgym
from memgym.agent import Observation
from memgym.agents.lifecycle.builtin import ScratchpadInjection
from memgym.agents.lifecycle.components import Piece
from memgym.agents.lifecycle.sharing import Tenant
from memgym.agents.sections import read
from memgym.operations import Create, Delete, Evolve, Link, Operation, Read, Scratchpad, Update


def test_each_system_writes_into_stores_of_its_own() -> None:
    done, _, _ = ended({"formation": Marked()}, {"formation": Other()})
    assert list(done.env.memory.stores) == ["one.main", "two.main"]
    for store, mark in (("one.main", "one"), ("two.main", "two")):
        assert {entry.text.partition(":")[0] for entry in done.env.memory.entries(store)} == {mark}


def test_a_system_is_shown_only_its_own_entries_under_its_own_names() -> None:
    Everything.found.clear()
    ended({"formation": Marked(), "retrieval": Everything()}, {"formation": Other()})
    assert {(mark, store) for mark, store, _ in Everything.found} == {("one", "main")}
    assert len({id for *_, id in Everything.found}) == 50


def test_a_system_cannot_change_what_it_was_not_shown() -> None:
    alone = Ended(One(memgym.make_model("rules"), formation=Marked()), model=memgym.make_model("rules"))
    both, _, _ = ended({"formation": Marked()}, {"formation": Silent(), "evolution": Meddling()})
    assert [entry.text for entry in both.env.memory.entries("one.main")] == [
        entry.text for entry in alone.env.memory.entries()
    ]
    assert not any(entry.tags or entry.links for entry in both.env.memory.entries("one.main"))


def test_a_system_can_change_its_own_entries() -> None:
    done, _, _ = ended({"formation": Marked(), "evolution": Meddling()}, {"formation": Silent()})
    assert len(done.env.memory.entries("one.main")) < 50


def test_each_system_has_a_part_of_the_scratchpad_of_its_own() -> None:
    noting = {"utilization": ScratchpadInjection()}
    done, _, _ = ended({"formation": Noting(), **noting}, {"formation": NotingToo(), **noting})
    pads = read(done.env.memory.scratchpad, ["one", "two"])
    assert set(pads["one"]) == {"x"}
    assert set(pads["two"]) == {"y"}
    assert len(pads["one"]) == len(pads["two"]) > 1


@pytest.mark.parametrize("text", ["one:", "two:\nspoiled", "東京", "\x00", "\ud800", "🦊" * 100])
def test_no_scratchpad_text_of_one_system_reaches_the_other(text: str) -> None:
    class Writing(Noting):
        name = "writing.formation"

        async def form(self, piece: Piece, observation: Observation) -> Sequence[Operation]:
            return [Scratchpad(text)]

    noting = {"utilization": ScratchpadInjection()}
    done, _, _ = ended({"formation": Writing(), **noting}, {"formation": NotingToo(), **noting})
    assert set(read(done.env.memory.scratchpad, ["one", "two"])["two"]) == {"y"}


@pytest.mark.parametrize(
    "operation", [Update("m7", "x"), Delete("#1"), Evolve("m7"), Link("m7", ("m8",)), Create("x", links=("m7",))]
)
def test_an_id_that_was_never_shown_becomes_one_that_no_entry_has(operation: Operation) -> None:
    sent = Tenant("one", ["main"]).outward(operation)
    assert "one.m7" in repr(sent) or "one.#1" in repr(sent)


def test_a_store_that_the_system_does_not_have_stays_its_own() -> None:
    tenant = Tenant("one", ["main", "rules"])
    stores = [tenant.outward(Read("x", store=store)).store for store in (None, "rules", "two.main")]  # type: ignore[union-attr]
    assert stores == ["one.main", "one.rules", "one.two.main"]
