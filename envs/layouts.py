"""Take a record apart, whichever of the published layouts it has, and check every part on the way.

The same table comes as a list of pairs (the original files), as columns (the Hugging Face hub), as a list of objects
(newer hub copies) or as JSON text in one cell (older parquet copies); the benchmarks see only the list of tuples.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from memgym.task import Document

from .formats import BrokenData, Row
from .sources import Source

Field = tuple[str, ...]
Fact = tuple[str, int]


def value(row: Row, *names: str) -> Any:
    """Return the first of the named values that the record has; none of them is an error that lists what it has."""
    for name in names:
        if row.values.get(name) is not None:
            return row.values[name]
    stripped = " This copy was stripped of it; the full record is needed." if names[0] in _BODY else ""
    raise BrokenData(
        f"{row.place} has no {names[0]!r} (it has: {', '.join(map(str, row.values)) or 'nothing'}).{stripped}"
    )


_BODY = ("context", "paragraphs")


def text(row: Row, *names: str) -> str:
    """Return a text of the record that is not blank."""
    found = value(row, *names)
    if not isinstance(found, str) or not found.strip():
        raise BrokenData(f"{row.place}: {names[0]!r} must be a text, found {found!r:.60}.")
    return found


def answer(row: Row, source: Source) -> str:
    """Return the answer; a record without one is of a test split, which is published without answers."""
    if row.values.get("answer") in (None, ""):
        raise BrokenData(
            f"{row.place} has no 'answer': the test split of {source.benchmark} is published without answers; "
            "use the files of 'validation' or 'train'."
        )
    return text(row, "answer")


def identity(row: Row, question: str, own: Sequence[Document]) -> str:
    """Return the record's id; for a copy without ids one from its content, the same in every layout."""
    for name in ("_id", "id"):
        found = row.values.get(name)
        if found is not None:
            return str(found)
    content = json.dumps([question, row.values.get("answer"), [[doc.title, doc.text] for doc in own]])
    return f"content-{hashlib.sha256(content.encode()).hexdigest()[:20]}"


def note(notes: Counter[str], **counts: int) -> None:
    """Count what was left out; what did not happen leaves no trace."""
    notes.update({name: count for name, count in counts.items() if count})


def table(row: Row, name: str, fields: Sequence[Field]) -> list[tuple[Any, ...]]:
    """Return a table of the record as tuples in the order of ``fields`` (for each, the names that it may have)."""
    found = value(row, name)
    if isinstance(found, str):
        try:
            found = json.loads(found)
        except ValueError as error:
            raise BrokenData(f"{row.place}: {name!r} is text that is not JSON ({error}).") from None
    if isinstance(found, Mapping):
        columns = [_cell(row, name, found, field) for field in fields]
        if len({len(column) for column in columns}) > 1:
            raise BrokenData(f"{row.place}: the columns of {name!r} have different lengths.")
        return list(zip(*columns, strict=True))
    if not isinstance(found, list):
        raise BrokenData(f"{row.place}: {name!r} must be a list or columns, found {type(found).__name__}.")
    return [_line(row, name, item, fields) for item in found]


def _line(row: Row, name: str, item: Any, fields: Sequence[Field]) -> tuple[Any, ...]:
    if isinstance(item, Mapping):
        return tuple(_cell(row, name, item, field) for field in fields)
    if isinstance(item, list) and len(item) == len(fields):
        return tuple(item)
    wanted = ", ".join(field[0] for field in fields)
    raise BrokenData(f"{row.place}: {name!r} holds {item!r:.60} where ({wanted}) was expected.")


def _cell(row: Row, name: str, values: Mapping[str, Any], field: Field) -> Any:
    for key in field:
        if key in values:
            return values[key]
    raise BrokenData(f"{row.place}: {name!r} has no {field[0]!r} (it has: {', '.join(map(str, values))}).")


def paragraphs(row: Row) -> list[tuple[str, list[str]]]:
    """Return the context of a HotpotQA-like record: titles with their sentences, any number of them."""
    found = table(row, "context", (("title",), ("sentences", "content")))
    if not found:
        raise BrokenData(f"{row.place}: 'context' is empty.")
    for title, sentences in found:
        if (
            not isinstance(title, str)
            or not isinstance(sentences, list)
            or not all(isinstance(s, str) for s in sentences)
        ):
            raise BrokenData(f"{row.place}: the paragraph {title!r:.60} is not a title with a list of sentences.")
    return found


def documents(context: Sequence[tuple[str, Sequence[str]]], joiner: str) -> tuple[Document, ...]:
    """Return the paragraphs as documents, a paragraph that stands twice in the record once."""
    return tuple(dict.fromkeys(Document(title, joiner.join(sentences)) for title, sentences in context))


def supporting(row: Row, context: Sequence[tuple[str, Sequence[str]]]) -> tuple[tuple[str, ...], int]:
    """Return the supporting sentences, without outer blanks, and how many facts point at no sentence.

    A sentence number past the paragraph's end is known upstream and counted. A record of whose facts no paragraph is
    there at all is an error: it is of a "fullwiki" file, whose questions cannot be answered from their own context.
    """
    facts = table(row, "supporting_facts", (("title",), ("sent_id",)))
    titles = {title for title, _ in context}
    if facts and not any(title in titles for title, _ in facts):
        raise BrokenData(f"{row.place}: no supporting paragraph is in its context; is this a fullwiki file?")
    found = [_sentence(row, context, title, number) for title, number in facts]
    kept = dict.fromkeys(sentence for sentence in found if sentence)
    return tuple(kept), found.count("")


def _sentence(row: Row, context: Sequence[tuple[str, Sequence[str]]], title: Any, number: Any) -> str:
    if isinstance(number, bool) or not isinstance(number, int):
        raise BrokenData(f"{row.place}: the supporting fact {title!r:.60} has no sentence number, but {number!r:.20}.")
    for other, sentences in context:
        if other == title and 0 <= number < len(sentences):
            return sentences[number].strip()
    return ""
