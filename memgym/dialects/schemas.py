"""Operations and commands as JSON schemas, generated from their dataclasses. Function calls and the docs read them.

The one thing that a dataclass does not say, what each field means to a model, stands in ``FIELDS``.
"""

from __future__ import annotations

import typing
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import MISSING, fields
from types import NoneType
from typing import Any

from memgym.operations import Command, Operation

FIELDS: Mapping[str, Mapping[str, str]] = {
    "create": {
        "text": "The text to remember, complete enough to be understood alone.",
        "keywords": "Key terms of the text, the most important first.",
        "tags": "Broad categories, by which entries are grouped.",
        "context": "One sentence on where the text belongs.",
        "links": "Ids of existing entries that it is related to.",
        "time": "When it happened or was said, in the task's own time.",
        "attributes": "Further annotations, as names and texts.",
        "store": "The named store to write to; leave out for the usual one.",
    },
    "read": {
        "query": "What to look for.",
        "k": "How many entries to return at most.",
        "by": "How to search: by words, by meaning, or both.",
        "follow": "How many rounds of links to follow from what is found.",
        "store": "The named store to search; leave out for the usual one.",
    },
    "update": {
        "id": "The id of the entry.",
        "text": "The text that replaces the old one.",
    },
    "delete": {"id": "The id of the entry."},
    "link": {
        "id": "The id of the entry that gets the links.",
        "to": "Ids of the entries that it is linked to.",
    },
    "evolve": {
        "id": "The id of the entry.",
        "keywords": "New keywords; leave out to keep the old ones.",
        "tags": "New tags; leave out to keep the old ones.",
        "context": "New context; leave out to keep the old one.",
        "attributes": "Annotations to change, as names and texts; an empty text removes one.",
    },
    "scratchpad": {"text": "The whole new content of the scratchpad; the old content is gone."},
    "answer": {"text": "The answer alone, as short as possible."},
    "act": {"text": "The command, exactly as the task's world understands it."},
    "advance": {},
}
"""What each field means to a model, by kind and field."""

WAYS = ("text", "dense", "hybrid")
"""The values of ``Read.by``."""

LIMITS: Mapping[tuple[str, str], Mapping[str, Any]] = {
    ("read", "k"): {"minimum": 1},
    ("read", "by"): {"enum": list(WAYS)},
    ("read", "follow"): {"minimum": 0},
}
"""What a value must satisfy besides its type."""

_SHAPES: Mapping[object, Mapping[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    tuple[str, ...]: {"type": "array", "items": {"type": "string"}},
    tuple[tuple[str, str], ...]: {"type": "object", "additionalProperties": {"type": "string"}},
}


def schema(cls: type[Operation] | type[Command]) -> dict[str, Any]:
    """Return the JSON schema of an operation's or command's arguments; fields with a default are not required.

    A field without a description in ``FIELDS`` is a KeyError, one of a type that JSON has no word for a TypeError.
    """
    hints = typing.get_type_hints(cls)
    return {
        "type": "object",
        "description": describe(cls),
        "properties": {one.name: _property(cls.kind, one.name, hints[one.name]) for one in fields(cls)},
        "required": [one.name for one in fields(cls) if one.default is MISSING],
        "additionalProperties": False,
    }


def describe(cls: type[Operation] | type[Command]) -> str:
    """Return the first paragraph of what the class says about itself."""
    first = (cls.__doc__ or "").strip().split("\n\n")[0]
    return " ".join(first.replace("``", "").split())


def _property(kind: str, name: str, hint: object) -> dict[str, Any]:
    return {
        **_shape(kind, name, hint),
        **deepcopy(dict(LIMITS.get((kind, name), {}))),
        "description": FIELDS[kind][name],
    }


def _shape(kind: str, name: str, hint: object) -> Mapping[str, Any]:
    if NoneType in typing.get_args(hint):
        (hint,) = (one for one in typing.get_args(hint) if one is not NoneType)
    if hint not in _SHAPES:
        raise TypeError(
            f"The field {name!r} of {kind!r} is {hint}; a schema is known for {', '.join(map(str, _SHAPES))}."
        )
    return deepcopy(dict(_SHAPES[hint]))
