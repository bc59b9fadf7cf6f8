"""The canonical dialect: XML-like tags, one an operation, that stand anywhere in a model's text.

It is no XML: a model may write ``a < b & c`` raw, text around the tags is ignored, and nothing is ever refused as a
whole. What cannot be read becomes ``Malformed`` at its place, and the rest stands.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from memgym.dialects import markup, showing, tags
from memgym.dialects.names import ALIASES, NAMES, one_command
from memgym.memory.entry import Hit
from memgym.operations import COMMANDS, Action, Command, Malformed, Operation, Result
from memgym.registry import unknown

_HEAD = """\
You act by writing tags. Only what stands in a tag is carried out, in the order in which you write it{limit}.
The entries of your memory that you see begin with their id in brackets, as in "[m3] Mia lives in Oslo". Where an id
is asked for, write it without the brackets. The tags, each with an example:"""
_LIMIT = ", but write at most one {} in a reply"
_VOCABULARY = markup.Vocabulary(NAMES.values(), ALIASES)
_NEXT = markup.plain(NAMES.values())


class XmlDialect:
    """``<create_memory keywords="a, b">text</create_memory>`` and its like; ``parse`` and ``format`` are inverses.

    ``think="strip"`` does not execute what is thought: tags in ``<think>...</think>``, everything before a ``</think>``
    that the prompt opened, and everything after a ``<think>`` that was never closed, which is reported as malformed
    because thinking that was cut off must not act. ``"execute"`` takes ``<think>`` for any other unknown tag.

    A tag inside another one's body is text. Unknown tags are ignored, unless the name is nearly one of ours. An
    attribute that a tag does not have is reported, and the rest of the tag is carried out; ``create_memory`` and
    ``evolve_memory`` keep it as a free attribute. The second command of an action is reported, not carried out.
    """

    name = "xml"
    defaults: Mapping[str, Any] = {}

    def __init__(self, think: Literal["strip", "execute"] = "strip") -> None:
        if think not in ("strip", "execute"):
            raise ValueError(str(unknown("way to treat thinking", think, ("strip", "execute"))))
        self._strip = think == "strip"

    def parse(self, text: str) -> Action:
        """Read an action. Never raises; time is linear in the length of the text."""
        found = _plain(text)
        return one_command(_any(text, self._strip) if found is None else found, tags.write)

    def format(self, action: Action) -> str:
        """Write one tag a line, the command last. A Malformed is written as it was."""
        lines = [tags.write(operation) for operation in action.operations]
        if action.command is not None:
            lines.append(tags.write(action.command))
        return "\n".join(lines)

    def render(self, hits: Sequence[Hit]) -> str:
        """Show one entry a line: ``[m3] text (time; keywords: a, b; tags: c; context: d; links: m1 m2)``."""
        return showing.entry_lines(hits)

    def feedback(self, results: Sequence[Result]) -> str:
        """Show new ids, failures and remarks, one a line."""
        return showing.result_lines(results, NAMES)

    def instructions(self, operations: Collection[str], commands: Collection[str]) -> str:
        """Explain the allowed tags, each by an example that this dialect can read."""
        named = [tags.closed(NAMES[kind]) for kind in COMMANDS if kind in commands]
        limit = _LIMIT.format(" or ".join(named)) if named else ""
        return f"{_HEAD.format(limit=limit)}\n{showing.explain(operations, commands, tags.write)}"


def _plain(text: str) -> list[Operation | Command] | None:
    """Read a text of closed tags of ours and nothing else; None if there is anything that needs a closer look."""
    found: list[Operation | Command] = []
    end, length = 0, len(text)
    while end < length and (match := _NEXT.match(text, end)):
        name, attributes, body = match.groups("")
        end = match.end()
        found += _tag(name, attributes, body, text, match.start(1) - 1, end)
    return None if text.find("<", end) >= 0 else found


def _any(text: str, strip: bool) -> list[Operation | Command]:
    """Read any text."""
    meant = _VOCABULARY.lookup()
    scanned = markup.scan(text, meant, strip)
    found: list[Operation | Command] = []
    for part in markup.parts(text, scanned, markup.nested(scanned), strip):
        name = meant(part.name) or part.name
        if part.fault or name != part.name:
            why = tags.reason(part, name, tags.closed(name))
            found.append(Malformed(text[part.start : part.end], why))
        else:
            found += _tag(part.name, part.attributes, part.body, text, part.start, part.end)
    return found


def _tag(name: str, attributes: str, body: str, text: str, start: int, end: int) -> list[Operation | Command]:
    try:
        return tags.read(name, attributes, body)
    except tags.Fault as why:
        return [Malformed(text[start:end], str(why))]
