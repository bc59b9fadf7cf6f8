r"""The tags of AtomMem's released code, which differ from those of its paper. Bodies are raw: nothing is escaped.

create ``<add_memory>text</add_memory>``, update ``<modify_memory>Memory 2: text</modify_memory>``, delete
``<delete_memory>Memory 2</delete_memory>``, read ``<update_query>text</update_query>``, scratchpad
``<update_memory>text</update_memory>``, answer ``<final_answer>\boxed{text}</final_answer>``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from memgym.dialects import markup, showing
from memgym.dialects.names import one_command, short
from memgym.dialects.tags import reason
from memgym.memory.entry import Hit
from memgym.operations import (
    Action,
    Answer,
    Command,
    Create,
    Delete,
    Malformed,
    Operation,
    Read,
    Result,
    Scratchpad,
    Update,
)

NAMES: Mapping[str, str] = {
    "create": "add_memory",
    "read": "update_query",
    "update": "modify_memory",
    "delete": "delete_memory",
    "scratchpad": "update_memory",
    "answer": "final_answer",
}
"""Kinds of operation and command, and the released code's names for them."""

PAPER_NAMES: Mapping[str, str] = {"create_memory": "add_memory", "read_memory": "update_query"}
"""The paper's names where they are no other tag of the code; its ``<update_memory>`` is the code's scratchpad."""

_ALIASES: Mapping[str, str] = {
    **PAPER_NAMES,
    "answer": "final_answer",
    "scratchpad": "update_memory",
    "create": "add_memory",
    "update": "modify_memory",
    "delete": "delete_memory",
    "read": "update_query",
}
_EXAMPLES: showing.Examples = {
    "create": ("Store a new entry.", Create("Mia moved to Oslo in May 2021 for a job at the port.")),
    "read": ("Ask for the entries that fit a query. They are shown in the next turn.", Read("Where does Mia work?")),
    "update": ("Replace an entry; better than storing nearly the same twice.", Update("#2", "Mia left Oslo in 2023.")),
    "delete": ("Remove an entry that is wrong or there twice.", Delete("#3")),
    "scratchpad": showing.EXAMPLES["scratchpad"],
    "answer": ("Answer the question, with nothing but the answer in the box.", Answer("Oslo")),
}
_HEAD = """\
You act by writing tags, each with its closing tag; they are carried out in order. The entries of your memory that fit
your query are shown as "Memory 1: ...", "Memory 2: ...". To change one, name it by its number in the list that you
see now. The tags, each with an example:"""
_NUMBERED = re.compile(r"\s*+memory\s*+#?(-?[0-9]++)(?:\s*+:(.*))?", re.IGNORECASE | re.DOTALL)
_BOX = r"\boxed{"


class AtomMemDialect:
    r"""AtomMem's released grammar. The released behaviour and ours, switch by switch:

    paper_names: also take the paper's ``<create_memory>`` and ``<read_memory>``; the code knows only its own names.
    modify_makes_new: a modify deletes the entry and creates another under a new id, as the code does; else Update,
        which keeps the id. As in the code, a modify without a text is a delete. Unlike there, the new text is
        written even if the number means nothing, because only the environment knows what was shown.
    think_executes: carry out tags after a ``<think>`` that is never closed, as the code does; else nothing after it,
        nothing before a ``</think>`` that the prompt opened, and a report. Closed thinking is never carried out.
    answers_in_box: the answer is what the last ``\boxed{}`` holds, or the whole text if there is none (the code: no
        answer). Off: the text as it stands.
    answer_tail: look for the box in this many last characters only (the code: 300); None: everywhere.

    As in the code, the outermost ``<name>...</name>`` counts whatever the name, so that an unknown pair hides what is
    in it, and attributes are ignored. Unlike there, "Memory 0" is not the last entry (the environment answers
    unknown_id), and what cannot be read is reported instead of ending the response. An empty query is a Read("").
    ``defaults`` are the environment options of the released run.
    """

    name = "atommem"
    defaults: Mapping[str, Any] = {
        "advance": "on_write",
        "reads": "persistent",
        "chunk_tokens": 4000,
        "overlap": 100,
        "cut": "token",
        "k": 6,
        "query_limit": 3,
    }

    def __init__(
        self,
        *,
        paper_names: bool = True,
        modify_makes_new: bool = True,
        think_executes: bool = False,
        answers_in_box: bool = True,
        answer_tail: int | None = None,
    ) -> None:
        if answer_tail is not None and answer_tail < 1:
            raise ValueError(
                f"answer_tail is {answer_tail}; expected None or a number of characters from 1 (code: 300)"
            )
        self._accepted = {name: name for name in NAMES.values()} | (dict(PAPER_NAMES) if paper_names else {})
        self._vocabulary = markup.Vocabulary(self._accepted, _ALIASES)
        self._modify_makes_new = modify_makes_new
        self._strip = not think_executes
        self._boxed = answers_in_box
        self._tail = answer_tail

    def parse(self, text: str) -> Action:
        """Read an action. Never raises; of several answers the first stands."""
        return one_command(self._found(text), self._write, NAMES)

    def _found(self, text: str) -> Iterator[Operation | Command]:
        meant = self._vocabulary.lookup()
        tags = markup.scan(text, lambda name: True, self._strip)
        for part in markup.parts(text, tags, markup.nearest(tags), self._strip):
            source = text[part.start : part.end]
            name = meant(part.name)
            if part.fault == markup.THINKING or (name and (part.fault or name != part.name)):
                yield Malformed(source, reason(part, name, f"<{name}>...</{name}>"))
            elif name == "final_answer":
                yield self._answer(part.body)
            elif name:
                yield from self._operations(self._accepted[name], part.body.strip(), source)

    def _operations(self, name: str, body: str, source: str) -> list[Operation]:
        match name:
            case "add_memory":
                return [Create(body)]
            case "update_query":
                return [Read(body)]
            case "update_memory":
                return [Scratchpad(body)]
        numbered = _NUMBERED.match(body)
        text = numbered[2] if numbered else None
        if numbered is None or (text is None and name == "modify_memory"):
            expected = "Memory 2" if name == "delete_memory" else "Memory 2: the new text"
            return [Malformed(source, f'<{name}> does not say which entry: expected "{expected}"')]
        id = f"#{numbered[1]}"
        if name == "delete_memory" or not text or text.isspace():
            return [Delete(id)]
        text = text.strip()
        return [Delete(id), Create(text)] if self._modify_makes_new else [Update(id, text)]

    def _answer(self, body: str) -> Answer:
        text = body.strip() if self._tail is None else body.strip()[-self._tail :]
        box = boxed(text) if self._boxed else None
        return Answer(text if box is None else box.strip())

    def format(self, action: Action) -> str:
        """Write an action; what the grammar cannot say so that it is read back as it is raises a ValueError.

        It has no links, annotations, ids, options of a read, commands but the answer, nor texts with outer blanks or
        the closing tag in them. Under ``modify_makes_new`` an Update is none of its actions; a Delete followed by a
        Create is written as the modify that it is read from.
        """
        lines: list[str] = []
        rest: tuple[Operation, ...] = action.operations
        while rest:
            modify = self._modify(rest[:2])
            lines.append(modify or self._checked(rest[0]))
            rest = rest[2 if modify else 1 :]
        if action.command is not None:
            lines.append(self._checked(action.command))
        return "\n".join(lines)

    def _modify(self, items: Sequence[Operation]) -> str:
        """Return the one tag that is read as these two operations; "" if there is none."""
        match items:
            case [Delete(id), Create(text)]:
                written = self._write(Update(id, text))
                return written if self._read(written) == list(items) else ""
        return ""

    def _checked(self, item: Operation | Command) -> str:
        written = self._write(item)
        read = self._read(written)
        if not isinstance(item, Malformed) and read != [item]:
            back = ", ".join(map(repr, read)) or "nothing"
            raise ValueError(
                f"AtomMem's tags cannot express {_shown(item)}: it would be read back as {short(back, 300)}"
            )
        return written

    def _read(self, text: str) -> list[Operation | Command]:
        action = self.parse(text)
        return [*action.operations, *([action.command] if action.command else [])]

    def _write(self, item: Operation | Command) -> str:
        match item:
            case Malformed(text):
                return text
            case Create(text) | Scratchpad(text):
                body = text
            case Read(query):
                body = query
            case Update(id, text):
                body = f"Memory {id[1:]}: {text}"
            case Delete(id):
                body = f"Memory {id[1:]}"
            case Answer(text):
                body = f"{_BOX}{text}}}" if self._boxed else text
            case _:
                raise ValueError(f"AtomMem's tags cannot express {_shown(item)}: there is no tag for {item.kind!r}")
        return f"<{NAMES[item.kind]}>{body}</{NAMES[item.kind]}>"

    def render(self, hits: Sequence[Hit]) -> str:
        """Show texts only, one a line, numbered from 1; ids are never shown."""
        return "\n".join(f"Memory {rank}: {hit.entry.text}" for rank, hit in enumerate(hits, 1)) or "No previous memory"

    def feedback(self, results: Sequence[Result]) -> str:
        """Show failures, without ids. (The released code shows none.)"""
        return showing.result_lines(results, NAMES, ids=False)

    def instructions(self, operations: Collection[str], commands: Collection[str]) -> str:
        """Explain the allowed tags; operations that the grammar lacks are left out."""
        return f"{_HEAD}\n{showing.explain(operations, commands, self._write, _EXAMPLES)}"


def _shown(item: Operation | Command) -> str:
    return short(repr(item), 300)


def boxed(text: str) -> str | None:
    r"""Return what the last ``\boxed{}`` holds, inner braces included; None if there is none or it is open."""
    start = text.rfind(_BOX)
    depth, first = 0, start + len(_BOX)
    for match in re.finditer(r"[{}]", text[first:] if start >= 0 else ""):
        depth += 1 if match[0] == "{" else -1
        if depth < 0:
            return text[first : first + match.start()]
    return None
