"""Schemas are generated from the operations, so that neither can change without the other."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import ClassVar

import pytest

from memgym.dialects.names import NAMES
from memgym.dialects.schemas import FIELDS, LIMITS, schema
from memgym.dialects.showing import EXAMPLES
from memgym.operations import COMMANDS, OPERATIONS, Advance, Create, Evolve, Read

ALL = {**OPERATIONS, **COMMANDS}


@pytest.mark.parametrize("kind", ALL)
def test_every_field_is_described_and_nothing_else_is(kind: str) -> None:
    assert set(FIELDS[kind]) == {field.name for field in fields(ALL[kind])}
    assert all(FIELDS[kind].values())


@pytest.mark.parametrize("kind", ALL)
def test_every_kind_has_a_name_and_an_example_of_itself(kind: str) -> None:
    assert NAMES[kind]
    assert EXAMPLES[kind][1].kind == kind


@pytest.mark.parametrize("kind", ALL)
def test_a_schema_is_json_and_describes_itself(kind: str) -> None:
    given = schema(ALL[kind])
    assert json.loads(json.dumps(given)) == given
    assert given["description"].endswith(".")
    assert "`" not in given["description"]


def test_limits_are_about_fields_that_exist() -> None:
    assert all(name in FIELDS[kind] for kind, name in LIMITS)


def test_fields_without_a_default_are_required() -> None:
    assert schema(Create)["required"] == ["text"]
    assert schema(Evolve)["required"] == ["id"]
    assert schema(Advance)["required"] == []


def test_types_and_limits_are_those_of_the_fields() -> None:
    read = schema(Read)["properties"]
    assert (read["k"]["type"], read["k"]["minimum"]) == ("integer", 1)
    assert read["by"]["enum"] == ["text", "dense", "hybrid"]
    create = schema(Create)["properties"]
    assert create["keywords"]["items"] == {"type": "string"}
    assert create["attributes"]["additionalProperties"] == {"type": "string"}
    assert create["store"]["type"] == "string"


def test_a_schema_can_be_changed_without_changing_the_next_one() -> None:
    schema(Create)["properties"]["text"]["type"] = "changed"
    schema(Create)["properties"]["keywords"]["items"]["type"] = "changed"
    schema(Read)["properties"]["by"]["enum"].append("changed")
    assert schema(Read)["properties"]["by"]["enum"] == ["text", "dense", "hybrid"]
    assert schema(Create)["properties"]["text"]["type"] == "string"
    assert schema(Create)["properties"]["keywords"]["items"]["type"] == "string"


def test_a_field_of_a_type_without_a_json_word_is_an_error() -> None:
    @dataclass
    class Weigh:
        """Weigh."""

        kind: ClassVar[str] = "read"
        query: complex

    with pytest.raises(TypeError, match="'query' of 'read'"):
        schema(Weigh)
