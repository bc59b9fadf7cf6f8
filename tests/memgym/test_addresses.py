"""Which entry an agent meant: an id, or a rank among what was shown, before anything of the action is done."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgym.addresses import resolve
from memgym.memory import Memory, Write
from memgym.operations import Create, Delete, Evolve, Link, Operation, Read, Result, Scratchpad, Status, Update

SOURCE = Write("episode", 1, "test", 1)


def three() -> Memory:
    memory = Memory()
    for text in ("one", "two", "three"):
        memory.apply(Create(text), SOURCE)
    return memory


def refused(operation: Operation, shown: tuple[str, ...] = ()) -> Result:
    result = resolve(operation, three(), shown)
    assert isinstance(result, Result)
    assert (result.operation, result.status) == (operation.kind, Status.UNKNOWN_ID)
    return result


@pytest.mark.parametrize(
    "operation", [Update("m2", "x"), Delete("m3"), Link("m1", ("m2", "m3")), Evolve("m1"), Create("x", links=("m1",))]
)
def test_ids_stay_as_they_are(operation: Operation) -> None:
    assert resolve(operation, three(), []) == operation


@pytest.mark.parametrize("operation", [Create("x"), Read("#1"), Scratchpad("#9 m9")])
def test_what_names_no_entry_is_left_alone(operation: Operation) -> None:
    assert resolve(operation, three(), []) is operation


@pytest.mark.parametrize(
    ("operation", "resolved"),
    [
        (Update("#1", "x"), Update("m3", "x")),
        (Delete("#2"), Delete("m1")),
        (Evolve("#2", context="c"), Evolve("m1", context="c")),
        (Link("#1", ("#2", "m2")), Link("m3", ("m1", "m2"))),
        (Create("x", links=("#2", "#1")), Create("x", links=("m1", "m3"))),
    ],
)
def test_a_rank_counts_from_one_in_the_order_shown(operation: Operation, resolved: Operation) -> None:
    assert resolve(operation, three(), ["m3", "m1"]) == resolved


@pytest.mark.parametrize(
    "rank", ["#0", "#3", "#-1", "#", "#x", "#1.0", "# 1", "#١", "#²", "##1", "#" + "9" * 100_000, "#\x00"]
)
def test_a_rank_of_nothing_shown_is_unknown_id(rank: str) -> None:
    result = refused(Delete(rank), ("m3", "m1"))
    assert "no rank of the 2 entries shown last" in result.reason
    assert len(result.reason) < 200


def test_a_rank_means_nothing_when_nothing_was_shown() -> None:
    assert "0 entries" in refused(Update("#1", "x")).reason


def test_a_rank_whose_entry_is_gone_is_unknown_id() -> None:
    memory = three()
    memory.apply(Delete("m2"), SOURCE)
    result = resolve(Update("#1", "x"), memory, ["m2"])
    assert isinstance(result, Result)
    assert "'m2'" in result.reason


@pytest.mark.parametrize(("id", "near"), [("3", "m3"), ("M2", "m2"), ("[m1]", "m1")])
def test_a_near_id_is_proposed(id: str, near: str) -> None:
    assert f"did you mean {near}?" in refused(Delete(id)).reason


@pytest.mark.parametrize("id", ["", "nothing", "x" * 1_000_000, "\ud800", "a\x00b", "記憶", "²"])
def test_any_other_text_is_unknown_id_with_a_short_reason(id: str) -> None:
    assert len(refused(Update(id, "x")).reason) < 200


def test_every_unknown_address_of_a_link_is_named() -> None:
    reason = refused(Link("m8", ("m1", "m9"))).reason
    assert "'m8'" in reason
    assert "'m9'" in reason
    assert "'m1'" not in reason


ADDRESSES = st.text(st.characters(exclude_categories=()), max_size=6) | st.from_regex(
    r"[#m]?[0-9]{0,3}", fullmatch=True
)


@given(ADDRESSES, st.lists(st.sampled_from(["m1", "m2", "m3", "m4"]), max_size=3))
def test_an_address_is_a_live_id_or_a_refusal(address: str, shown: list[str]) -> None:
    memory = three()
    resolved = resolve(Delete(address), memory, shown)
    assert isinstance(resolved, Result) or (isinstance(resolved, Delete) and memory.get(resolved.id))
