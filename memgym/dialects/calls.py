"""From JSON text to operations: finding it, repairing it, and checking each argument against the schema of its call."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from memgym.dialects.markup import Vocabulary
from memgym.dialects.names import ALIASES, NAMES, short
from memgym.dialects.schemas import schema
from memgym.operations import COMMANDS, OPERATIONS, Action, Command, Malformed, Operation, pairs

REPAIRABLE = 4000
"""How many characters of broken JSON one text may have repaired: the time for hostile ones grows with the square."""

_START = re.compile(r"""\[\s*+[\[{"'\]]|\{\s*+["'}]""")
_MORE = re.compile(r"[\[{]")
_DECODER = json.JSONDecoder(strict=False)
encode = json.JSONEncoder(ensure_ascii=False).encode
"""Write a value as JSON text; characters stay as they are, so that two halves of a pair are not joined."""

_CLASSES: Mapping[str, Any] = {NAMES[kind]: cls for kind, cls in {**OPERATIONS, **COMMANDS}.items()}
_OPERATIONS = frozenset(NAMES[kind] for kind in OPERATIONS)
_SCHEMAS: Mapping[str, Mapping[str, Any]] = {name: schema(cls) for name, cls in _CLASSES.items()}
_TEXTS: Mapping[str, frozenset[str]] = {
    name: frozenset(key for key, one in shape["properties"].items() if one["type"] == "string" and "enum" not in one)
    for name, shape in _SCHEMAS.items()
}
"""By call, the arguments that are any text."""
_VOCABULARY = Vocabulary(NAMES.values(), ALIASES)
_EXPECTED = 'expected a call like {"name": "delete_memory", "arguments": {"id": "m3"}}'
_EXPECTED_TYPES = {"string": "a text", "array": "a list of texts", "object": "an object of texts"}


class Fault(ValueError):
    """Why a call cannot be carried out."""


class Reader:
    """Reads the texts of one action. It lives as long as one ``parse``, so that what it may spend is bounded."""

    def __init__(self) -> None:
        self._left = REPAIRABLE
        self._meant = _VOCABULARY.lookup()

    def read(self, text: str) -> Iterator[Operation | Command]:
        """Read every JSON object or list in a text; prose between them is passed over."""
        end = 0
        while match := _START.search(text, end):
            try:
                value, end = _DECODER.raw_decode(text, match.start())
            except (ValueError, RecursionError):
                yield from self._broken(text[match.start() :])
                return
            yield from self._calls(value)

    def _broken(self, text: str) -> Iterator[Operation | Command]:
        """Read what is no JSON. The first fault ends the reading, so that nothing is looked at twice."""
        try:
            value, rest = self._repaired(text)
        except Fault as why:
            yield Malformed(text, str(why))
            return
        yield from self._calls(value)
        if any(mark in rest for mark in '"{['):
            yield Malformed(rest, "the JSON is cut off here")

    def _repaired(self, text: str) -> tuple[Any, str]:
        """Return the value that a broken text was meant to be, and what follows its last bracket."""
        from json_repair import repair_json

        end = max(text.rfind("}"), text.rfind("]")) + 1
        body, rest = text[:end], text[end:]
        if not end or (body.count('"') - body.count('\\"')) % 2:
            raise Fault("this is no JSON: it is cut off, or a quote is missing")
        if len(body) > self._left:
            raise Fault(f"this is no JSON, and too long to repair: {len(body)} characters, at most {self._left}")
        self._left -= len(body)
        try:
            return repair_json(body, return_objects=True, skip_json_loads=True), rest
        except Exception as why:  # A heuristic on hostile text promises nothing, and an action must never raise.
            raise Fault(f"this is no JSON: {type(why).__name__}") from None

    def _calls(self, value: object) -> Iterator[Operation | Command]:
        if isinstance(value, dict) and isinstance(value.get("tool_calls"), list):
            value = value["tool_calls"]
        for one in value if isinstance(value, list) else [value]:
            try:
                yield from self._call(one)
            except Fault as why:
                yield Malformed(one if isinstance(one, str) else source(one), str(why))

    def _call(self, call: object) -> list[Operation | Command]:
        if isinstance(call, dict) and isinstance(call.get("function"), dict):
            call = call["function"]
        name = call.get("name", call.get("function")) if isinstance(call, dict) else None
        if not isinstance(call, dict) or not isinstance(name, str):
            raise Fault(_EXPECTED)
        if name not in _CLASSES:
            raise Fault(f"there is no function {short(name)!r}. {self._hint(name)}")
        return build(name, self._arguments(call))

    def _hint(self, name: str) -> str:
        meant = self._meant(name.lower())
        return f"Did you mean {meant!r}?" if meant else f"Known: {', '.join(NAMES.values())}."

    def _arguments(self, call: Mapping[str, Any]) -> dict[str, Any]:
        given: Any = next((call[key] for key in ("arguments", "parameters", "input") if call.get(key) is not None), {})
        if isinstance(given, str):
            given = self._decoded(given) if given.strip() else {}
        if not isinstance(given, dict):
            raise Fault(f"arguments are {short(source(given))}; expected an object")
        return given

    def _decoded(self, text: str) -> Any:
        try:
            return _DECODER.decode(text)
        except (ValueError, RecursionError):
            return self._repaired(text)[0]


def alone(text: str) -> Action | None:
    """Read a text that begins with one operation's plain call and holds no other; None if it needs a closer look.

    Most actions are such, and this reads them at a third of the cost.
    """
    try:
        call, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    if type(call) is list and len(call) == 1:
        call = call[0]
    if type(call) is not dict or len(call) != 2 or _MORE.search(text, end):
        return None
    name, arguments = call.get("name"), call.get("arguments")
    if type(arguments) is not dict or type(name) is not str or name not in _OPERATIONS:
        return None
    try:
        return Action(tuple(build(name, arguments)))  # type: ignore[arg-type]
    except Fault:
        return None


def build(name: str, arguments: Mapping[str, Any]) -> list[Operation | Command]:
    """Return the operation or command that a call makes, and after it a report of each argument that it lacks.

    A Fault says that a required argument is missing, or names one whose value is of a wrong type.
    """
    shape, texts = _SCHEMAS[name], _TEXTS[name]
    known = shape["properties"]
    values = {
        key: value if key in texts and type(value) is str else _value(name, key, value, known[key])
        for key, value in arguments.items()
        if key in known
    }
    if None in values.values():
        values = {key: value for key, value in values.items() if value is not None}
    for key in shape["required"]:
        if key not in values:
            raise Fault(f"{name} needs the argument {key!r}: {known[key]['description']}")
    left = [Malformed(source({key: arguments[key]}), _unknown(name, key)) for key in arguments if key not in known]
    return [_CLASSES[name](**values), *left]


def source(value: object) -> str:
    """Return a value as JSON text."""
    try:
        return encode(value)
    except RecursionError:
        return "(nested too deeply to be shown)"


def _unknown(name: str, key: str) -> str:
    known = ", ".join(_SCHEMAS[name]["properties"]) or "none"
    return f"{name} has no argument {short(key)!r}; it has: {known}"


def _value(name: str, key: str, value: object, shape: Mapping[str, Any]) -> Any:
    """Return a JSON value as a field holds it; null is None, "not given"."""
    if value is not None and not _fits(value, shape):
        raise Fault(f"{name}: {key} is {short(source(value))}; expected {_expected(shape)}")
    if isinstance(value, dict):
        return pairs(value)
    return tuple(value) if isinstance(value, list) else value


def _fits(value: object, shape: Mapping[str, Any]) -> bool:
    match shape["type"]:
        case "string":
            return isinstance(value, str) and value in shape.get("enum", (value,))
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool) and value >= shape.get("minimum", value)
        case "array":
            return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())


def _expected(shape: Mapping[str, Any]) -> str:
    if "enum" in shape:
        return "one of " + ", ".join(map(repr, shape["enum"]))
    return _EXPECTED_TYPES.get(shape["type"]) or f"a whole number from {shape.get('minimum')}"
