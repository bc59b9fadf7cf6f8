"""Reads a model's reply as a pydantic model, as tolerantly as can be bounded in time.

Separate from prompts, because small models break JSON in many ways and every one of them is a rule here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

Output = TypeVar("Output", bound=BaseModel)

# json-repair is quadratic in the number of brackets (17 s for 20 kB of "{'"), and linear in the rest.
REPAIR_CHARACTERS = 32_000
REPAIR_BRACKETS = 400
VALUES = 64

_FENCE = re.compile(r"```[ \t]*\w*[ \t]*\r?\n?(.*?)```", re.DOTALL)
_OPEN = re.compile(r"[{\[]")


class ReplyError(ValueError):
    """A reply that could not be read as the expected output; the message is written for the model that wrote it."""


def parse(text: str, output: type[Output]) -> Output:
    """Read ``text`` as ``output``: plain, fenced or embedded JSON, JSON that can be repaired, or bare text.

    Closed reasoning (``</think>``) before the reply is dropped. Bare text is taken only where ``output`` has a
    single field of type str. Raises ReplyError, and nothing else, on any text.
    """
    text = _after_thought(text).strip()
    if not text:
        raise ReplyError("The reply is empty.")
    problem: ValidationError | None = None
    for value in _values(text):
        for shape in _shapes(value, output):
            try:
                return output.model_validate(shape)
            except ValidationError as error:
                problem = problem or error
    bare = _bare(text, output)
    if bare is not None:
        return bare
    raise ReplyError(_explain(problem) if problem else "The reply is not JSON.")


@lru_cache(maxsize=256)
def schema_of(output: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema in the strict form that servers enforce: every property required, no others."""
    schema: dict[str, Any] = _strict(output.model_json_schema())
    return schema


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(one) for one in node]
    if not isinstance(node, dict):
        return node
    strict = {key: _strict(value) for key, value in node.items() if key not in {"title", "default", "properties"}}
    if "properties" in node:
        strict["properties"] = {name: _strict(value) for name, value in node["properties"].items()}
        strict["required"] = list(node["properties"])
        strict["additionalProperties"] = False
    return strict


def _after_thought(text: str) -> str:
    _, closed, rest = text.rpartition("</think>")
    if closed:
        return rest
    return "" if text.lstrip().startswith("<think>") else text


def _values(text: str) -> Iterator[Any]:
    """Yield what may be meant, most certain first; of several objects in a text, the last one is the reply."""
    for source in (text, *reversed(_FENCE.findall(text))):
        try:
            yield json.loads(source)
        except (ValueError, RecursionError):
            continue
    yield from reversed(list(_embedded(text)))
    yield from _repaired(text)


def _embedded(text: str) -> Iterator[Any]:
    decoder, start = json.JSONDecoder(), 0
    for _ in range(VALUES):
        opened = _OPEN.search(text, start)
        if opened is None:
            return
        try:
            value, start = decoder.raw_decode(text, opened.start())
            yield value
        except (ValueError, RecursionError):
            start = opened.end()


def _repaired(text: str) -> Iterator[Any]:
    opened = _OPEN.search(text)
    if opened is None:
        return
    text = text[opened.start() :]
    if len(text) > REPAIR_CHARACTERS or text.count("{") + text.count("[") > REPAIR_BRACKETS:
        return
    import json_repair

    try:
        value = json_repair.loads(text)
    except (ValueError, RecursionError):
        return
    if isinstance(value, dict | list):
        yield value


def _shapes(value: Any, output: type[BaseModel]) -> Iterator[Any]:
    """Yield a value as it is and as the only field of ``output``, then the same without the list around it."""
    yield value
    if len(output.model_fields) == 1 and not isinstance(value, dict):
        yield {next(iter(output.model_fields)): value}
    if isinstance(value, list) and len(value) == 1 and not isinstance(value[0], list):
        yield from _shapes(value[0], output)


def _bare(text: str, output: type[Output]) -> Output | None:
    if len(output.model_fields) != 1:
        return None
    name, field = next(iter(output.model_fields.items()))
    fenced = _FENCE.fullmatch(text)
    text = (fenced.group(1) if fenced else text).strip()
    if field.annotation is not str or text.startswith(("{", "[")) or f'"{name}"' in text:
        return None
    label = re.match(rf"{re.escape(name)}\s*:\s*", text, re.IGNORECASE)
    try:
        return output.model_validate({name: text[label.end() :] if label else text})
    except ValidationError:
        return None


def _explain(problem: ValidationError) -> str:
    lines = [
        f"{'.'.join(str(part) for part in error['loc']) or 'reply'}: {error['msg']}"
        for error in problem.errors(include_url=False, include_input=False, include_context=False)
    ]
    return ("; ".join(lines[:5]) + ("; ..." if len(lines) > 5 else ""))[:600] + "."
