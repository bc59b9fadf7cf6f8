"""What a model reads, in words that dialects share: entries, results, and one example of each operation.

A dialect writes the examples in its own grammar, so that every example can be parsed back.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from memgym.memory.entry import Entry, Hit
from memgym.operations import (
    COMMANDS,
    OPERATIONS,
    Act,
    Advance,
    Answer,
    Command,
    Create,
    Delete,
    Evolve,
    Link,
    Operation,
    Read,
    Result,
    Scratchpad,
    Status,
    Update,
)
from memgym.registry import unknown

Examples = Mapping[str, tuple[str, Operation | Command]]
"""Kinds, each with what it is for, in words for a model, and an example."""

EXAMPLES: Examples = {
    "create": (
        "Write a new entry. Only the text is needed; the rest helps to find it.",
        Create("Mia moved to Oslo for a job at the port.", keywords=("Mia", "Oslo"), tags=("people",), time="May 2021"),
    ),
    "read": (
        "Search the entries. What is found is shown in the next turn. How many (k) may be left out.",
        Read("Where does Mia work?", k=6),
    ),
    "update": ("Replace the text of an entry.", Update("m3", "Mia left Oslo in 2023 and lives in Bergen.")),
    "delete": ("Remove an entry that is wrong or of no more use.", Delete("m3")),
    "link": ("Connect an entry with others.", Link("m3", ("m1", "m2"))),
    "evolve": (
        "Change what is noted about an entry, not its text. What is left out stays.",
        Evolve("m3", keywords=("Mia", "Bergen"), context="Where Mia lives"),
    ),
    "scratchpad": (
        "Replace the scratchpad. It is shown in every turn, so keep it short.",
        Scratchpad("Found so far: Mia works at a port. Missing: which one."),
    ),
    "answer": ("Answer the question, with nothing but the answer.", Answer("Oslo")),
    "act": ("Give a command to the world of the task.", Act("open the red door")),
    "advance": ("Go on to the next part of the input.", Advance()),
}


def entry_line(entry: Entry) -> str:
    """Return ``[id] text (annotations)``; the text is unchanged, and what is empty is left out."""
    if not (entry.time or entry.keywords or entry.tags or entry.context or entry.attributes or entry.links):
        return f"[{entry.id}] {entry.text}"
    notes = [
        entry.time,
        _note("keywords", ", ".join(entry.keywords)),
        _note("tags", ", ".join(entry.tags)),
        _note("context", entry.context),
        *(_note(name, value) for name, value in entry.attributes),
        _note("links", " ".join(entry.links)),
    ]
    shown = "; ".join(note for note in notes if note)
    return f"[{entry.id}] {entry.text} ({shown})" if shown else f"[{entry.id}] {entry.text}"


def _note(name: str, value: str) -> str:
    return f"{name}: {value}" if value else ""


def entry_lines(hits: Sequence[Hit]) -> str:
    """Return one line an entry, in the order given; "" for none."""
    return "\n".join([entry_line(hit.entry) for hit in hits]) if hits else ""


def result_lines(results: Sequence[Result], names: Mapping[str, str], ids: bool = True) -> str:
    """Return one line a result that says something: a new id, a failure, a remark.

    ``names`` are the dialect's words for kinds. Lines that would be equal are shown once, with their number.
    """
    if len(results) == 1:
        return _result_line(results[0], names, ids)
    lines = [line for result in results if (line := _result_line(result, names, ids))]
    counts = dict.fromkeys(lines, 0)
    for line in lines:
        counts[line] += 1
    return "\n".join(f"{line} ({count} times)" if count > 1 else line for line, count in counts.items())


def _result_line(result: Result, names: Mapping[str, str], ids: bool) -> str:
    if result.status is Status.OK and not result.reason and (result.operation != "create" or not ids):
        return ""
    name = names.get(result.operation, result.operation)
    if result.status is Status.OK and not result.reason and len(result.ids) == 1:
        return f"{name}: stored as [{result.ids[0]}]"
    concerned = " ".join(f"[{id}]" for id in result.ids) if ids else ""
    if result.ok:
        said = f"stored as {concerned}" if concerned and result.operation == "create" else ""
    else:
        failed = "" if result.operation == Status.MALFORMED else result.status.value
        said = " ".join(part for part in (failed, concerned) if part)
    said = ": ".join(part for part in (said, result.reason) if part)
    return f"{name}: {said}" if said else ""


def explain(
    operations: Collection[str],
    commands: Collection[str],
    write: Callable[[Operation | Command], str],
    examples: Examples = EXAMPLES,
) -> str:
    """Return purpose and example of each allowed kind that has one."""
    kinds = ordered(operations, commands)
    return "\n".join(_explained(*examples[kind], write) for kind in kinds if kind in examples)


def ordered(operations: Collection[str], commands: Collection[str]) -> list[str]:
    """Return the kinds in the order of ``OPERATIONS`` and ``COMMANDS``; a kind that there is not is an error."""
    for given, known in ((operations, OPERATIONS), (commands, COMMANDS)):
        for kind in sorted(given):
            if kind not in known:
                raise unknown("operation or command", kind, known)
    return [kind for kind in (*OPERATIONS, *COMMANDS) if kind in operations or kind in commands]


def _explained(purpose: str, example: Operation | Command, write: Callable[[Operation | Command], str]) -> str:
    return f"- {purpose}\n  {write(example)}"
