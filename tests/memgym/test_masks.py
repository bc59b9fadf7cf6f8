"""Which operations an environment allows, by preset or by name."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from memgym.masks import ALL, PRESETS, allowed
from memgym.registry import UnknownName


def test_all_is_every_operation() -> None:
    assert allowed("all") == ALL == {"create", "read", "update", "delete", "link", "evolve", "scratchpad"}


@pytest.mark.parametrize("one", ["update", "delete", "scratchpad"])
def test_a_preset_without_one_operation_has_all_others(one: str) -> None:
    assert allowed(f"w/o {one}") == ALL - {one}


def test_without_the_store_only_the_scratchpad_is_left() -> None:
    assert allowed("w/o store") == {"scratchpad"}


def test_without_both_nothing_is_left() -> None:
    assert allowed("w/o both") == frozenset()


@pytest.mark.parametrize(
    "given", ["create,read", " create , read ,", ["read", "create"], {"create", "read"}, iter(("create", "read"))]
)
def test_kinds_are_given_as_text_or_any_iterable(given: str | Iterable[str]) -> None:
    assert allowed(given) == {"create", "read"}


@pytest.mark.parametrize("given", ["", [], ()])
def test_no_kind_at_all_is_an_empty_mask(given: str | Iterable[str]) -> None:
    assert allowed(given) == frozenset()


@pytest.mark.parametrize(
    ("wrong", "near"), [("creat", "create"), ("w/o updates", "w/o update"), ("read,delet", "delete")]
)
def test_an_unknown_name_proposes_the_nearest(wrong: str, near: str) -> None:
    with pytest.raises(UnknownName, match=f"Did you mean '{near}'"):
        allowed(wrong)


def test_a_command_is_no_operation() -> None:
    with pytest.raises(UnknownName, match="'answer'"):
        allowed(["answer"])


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_can_be_written_as_a_list_of_kinds(preset: str) -> None:
    assert allowed(sorted(PRESETS[preset])) == PRESETS[preset]
