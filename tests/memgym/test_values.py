"""A quick value is the dataclass that it was, and only made faster."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, replace

import pytest

from memgym.memory.entry import Entry, Hit, Write
from memgym.operations import Create, Evolve, Read, Result, Status
from memgym.values import quick

WRITE = Write("e", 1, "create", 2)
VALUES = [
    WRITE,
    Entry("m1", "text", "main", WRITE, WRITE, keywords=("a",), version=3),
    Hit(Entry("m1", "text", "main", WRITE, WRITE), 0.5, "dense"),
    Create("text", time="May"),
    Read("query", k=3),
    Evolve("m1", tags=()),
    Result("create", Status.OK, ("m1",)),
]


@quick
@dataclass(frozen=True, slots=True)
class Point:
    """Two numbers."""

    x: int
    y: int = 2


class Marked(Point):
    __slots__ = ()


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_is_copied_pickled_replaced_and_hashed_as_before(value: object) -> None:
    for again in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value)), replace(value)):  # type: ignore[type-var]
        assert again == value
        assert type(again) is type(value)
        assert hash(again) == hash(value)


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_is_frozen_and_holds_nothing_else(value: object) -> None:
    name = type(value).__slots__[0]  # type: ignore[attr-defined]
    with pytest.raises(FrozenInstanceError):
        setattr(value, name, "other")
    assert not hasattr(value, "__dict__")


def test_arguments_are_those_of_the_dataclass() -> None:
    assert (Point(1), Point(y=5, x=4)) == (Point(1, 2), Point(4, 5))
    assert str(inspect.signature(Point)) == "(x: 'int', y: 'int' = 2) -> None"
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        Point()  # type: ignore[call-arg]


def test_an_instance_of_a_subclass_stays_one() -> None:
    assert type(Marked(1)) is Marked


def test_a_default_factory_is_refused() -> None:
    @dataclass(frozen=True, slots=True)
    class Listing:
        items: list[int] = field(default_factory=list)

    with pytest.raises(TypeError, match="Listing has a field with a default factory"):
        quick(Listing)


def test_a_class_without_slots_is_refused() -> None:
    @dataclass(frozen=True)
    class Loose:
        x: int

    with pytest.raises(TypeError, match="Loose must be a dataclass with slots"):
        quick(Loose)
