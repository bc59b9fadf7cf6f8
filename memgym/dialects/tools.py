"""Actions as function calls: what chat models with a tool interface write, in the shapes that are met in practice.

``parse`` takes JSON text: calls ``{"name": ..., "arguments": {...}}`` alone or in a list, the OpenAI shapes
(``{"type": "function", "function": {...}}``, ``{"tool_calls": [...]}``, arguments as a JSON text), and
``<tool_call>{...}</tool_call>`` blocks, amid any prose.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, Literal

from memgym.dialects import calls, showing
from memgym.dialects.names import NAMES, UNFINISHED, one_command
from memgym.dialects.schemas import schema
from memgym.memory.entry import Hit
from memgym.operations import COMMANDS, OPERATIONS, Action, Command, Malformed, Operation, Result
from memgym.registry import unknown

_HEAD = """\
You act by calling functions, in the order in which you write the calls{limit}. If you cannot
call functions directly, write a JSON list of calls, each with the name and the arguments of a function. The entries of
your memory that you see begin with their id in brackets, as in "[m3] Mia lives in Oslo"; give that id without the
brackets. The functions, each with an example:"""
_LIMIT = "; {} can be called once in a reply"
_THOUGHT = re.compile(r"</think(?:ing)?\s*+>", re.IGNORECASE)
_THINKS = re.compile(r"\s*+<think(?:ing)?\s*+>", re.IGNORECASE)
_BLOCK, _BLOCK_END = "<tool_call>", "</tool_call>"
_OPENS = ('{"', '[{"')
_MARKS = re.compile(r"<(?=/?(?:think|tool_call))", re.IGNORECASE)


class ToolsDialect:
    """Function calls; ``parse`` and ``format`` are inverses.

    ``think="strip"`` passes over everything before the last ``</think>``, and carries out nothing of a text that
    begins with a ``<think>`` that is never closed, which is reported; ``"execute"`` reads thinking like other prose.

    Broken JSON is repaired as far as it is short (4000 characters in all) and was not cut off; what stays unreadable is
    malformed. An argument of a wrong type makes its call malformed, an unknown one is reported and left out, and null
    means "not given". The second command of an action is reported, not carried out.
    """

    name = "tools"
    defaults: Mapping[str, Any] = {}

    def __init__(self, think: Literal["strip", "execute"] = "strip") -> None:
        if think not in ("strip", "execute"):
            raise ValueError(str(unknown("way to treat thinking", think, ("strip", "execute"))))
        self._strip = think == "strip"

    def parse(self, text: str) -> Action:
        """Read an action. Never raises; a text without any JSON object or list is an empty action."""
        if text.startswith(_OPENS) and "<" not in text and (action := calls.alone(text)) is not None:
            return action
        if self._strip:
            text = _THOUGHT.split(text)[-1]
            if match := _THINKS.match(text):
                return Action((Malformed(match[0].strip(), UNFINISHED),))
        reader = calls.Reader()
        return one_command((item for part in _parts(text) for item in reader.read(part)), _call)

    def format(self, action: Action) -> str:
        """Write a JSON list of calls, the command last; a Malformed is written as the text that it was."""
        items: list[Operation | Command] = list(action.operations)
        if action.command is not None:
            items.append(action.command)
        return "[" + ",\n ".join(_call(item) for item in items) + "]"

    def render(self, hits: Sequence[Hit]) -> str:
        """Show one entry a line: ``[m3] text (time; keywords: a, b; tags: c; context: d; links: m1 m2)``."""
        return showing.entry_lines(hits)

    def feedback(self, results: Sequence[Result]) -> str:
        """Show new ids, failures and remarks, one a line."""
        return showing.result_lines(results, NAMES)

    def instructions(self, operations: Collection[str], commands: Collection[str]) -> str:
        """Explain the allowed functions, each by an example that this dialect can read."""
        named = [NAMES[kind] for kind in COMMANDS if kind in commands]
        limit = _LIMIT.format(" or ".join(named)) if named else ""
        return f"{_HEAD.format(limit=limit)}\n{showing.explain(operations, commands, _call)}"


def tool_list(operations: Collection[str], commands: Collection[str]) -> list[dict[str, Any]]:
    """Return the allowed functions as OpenAI's ``tools``, in the order of ``OPERATIONS`` and ``COMMANDS``.

    A kind that there is not is an error of ``memgym.registry.unknown`` with the nearest one.
    """
    return [_tool(kind) for kind in showing.ordered(operations, commands)]


def _tool(kind: str) -> dict[str, Any]:
    parameters = schema({**OPERATIONS, **COMMANDS}[kind])
    description = parameters.pop("description")
    return {
        "type": "function",
        "function": {"name": NAMES[kind], "description": description, "parameters": parameters},
    }


def _parts(text: str) -> Iterator[str]:
    """Yield what stands in ``<tool_call>`` blocks, or the whole text if there are none; the last may be unclosed."""
    start = text.find(_BLOCK)
    if start < 0:
        yield text
    while start >= 0:
        end = text.find(_BLOCK_END, start)
        yield text[start + len(_BLOCK) : end if end >= 0 else None]
        start = text.find(_BLOCK, end) if end >= 0 else -1


def _call(item: Operation | Command) -> str:
    """Write one call. What marks thinking and blocks is escaped, so that it is found where it is meant only."""
    call = {"name": NAMES[item.kind], "arguments": _given(item)} if not isinstance(item, Malformed) else item.text
    return _MARKS.sub(r"\\u003c", calls.encode(call))


def _given(item: Operation | Command) -> dict[str, Any]:
    """Return the arguments that differ from what they are when they are not given."""
    given = {one.name: getattr(item, one.name) for one in fields(item)}
    given = {one.name: given[one.name] for one in fields(item) if given[one.name] != one.default}
    return {name: dict(value) if name == "attributes" else value for name, value in given.items()}
