"""One tag and one operation: what its attributes and its body mean, and how it is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from memgym.dialects import escapes, markup
from memgym.dialects.names import NAMES, UNFINISHED, short
from memgym.dialects.schemas import WAYS
from memgym.operations import (
    Act,
    Advance,
    Answer,
    Command,
    Create,
    Delete,
    Evolve,
    Link,
    Malformed,
    Operation,
    Pairs,
    Read,
    Scratchpad,
    Update,
    pairs,
)
from memgym.registry import unknown

Given = dict[str, str]
"""Attributes as they were written; a reader takes out what it knows."""

_ANNOTATIONS = frozenset({"id", "text", "keywords", "tags", "context", "links", "time", "store"})
_KNOWN: Mapping[str, frozenset[str]] = {
    "create_memory": _ANNOTATIONS,
    "read_memory": frozenset({"k", "by", "follow", "store"}),
    "update_memory": frozenset({"id"}),
    "delete_memory": frozenset({"id"}),
    "link_memory": frozenset({"id", "to"}),
    "evolve_memory": _ANNOTATIONS,
}
_FREE = frozenset({"create_memory", "evolve_memory"})
_NO_BODY = frozenset({"delete_memory", "link_memory", "evolve_memory", "advance"})


class Fault(ValueError):
    """Why a tag cannot be carried out."""


def read(name: str, attributes: str, body: str) -> list[Operation | Command]:
    """Return what a tag says, and after it what could not be used of the tag.

    A Fault means that nothing of it can be carried out: no id, a value that is none.
    """
    try:
        given = _given(name, attributes) if attributes else {}
        found = [_READERS[name](given, body)]
    except Fault as why:
        raise Fault(f"<{name}>: {why}") from None
    for key, value in given.items():
        found.append(Malformed(f'{key}="{value}"', _unused(key, name)))
    if name in _NO_BODY and body and not body.isspace():
        found.append(Malformed(body, f"<{name}> holds no text; the text in it was not used"))
    return found


def write(item: Operation | Command) -> str:
    """Return the tag that says this; a Malformed is written as it was."""
    return _WRITERS[type(item)](item)


def reason(part: markup.Part, name: str | None, written: str) -> str:
    """Return why a part is no operation; ``name`` is the tag that was meant, ``written`` how it is written."""
    if part.fault == markup.THINKING:
        return UNFINISHED
    if name != part.name:
        return f"there is no tag <{short(part.name)}>. Did you mean <{name}>?"
    if part.fault == markup.STRAY:
        return f"</{name}> closes nothing: there is no <{name}> before it"
    if part.fault == markup.UNREADABLE:
        return f'the attributes of <{name}> cannot be read: expected name="value", with &quot; for a quote inside'
    return f"<{name}> is never closed: write {written}"


def closed(name: str) -> str:
    """Return how a tag is written from its beginning to its end, for messages."""
    if name in _NO_BODY:
        return f"<{name} .../>" if name in _KNOWN else f"<{name}/>"
    return f"<{name}>...</{name}>"


def _given(name: str, source: str) -> Given:
    known, given = _KNOWN.get(name, frozenset()), Given()
    for written, value in markup.attributes(source):
        key = folded if (folded := written.lower()) in known else written
        if key in given:
            raise Fault(f"the attribute {short(key)!r} is given twice")
        given[key] = value
    return given


def _unused(key: str, name: str) -> str:
    if key == "text":
        return f"<{name}> takes its text between the tags: <{name}>text</{name}>"
    if name in _FREE:
        better = {"id": ": the id is given to it", "links": ": write <link_memory>"}
        return f"<{name}> cannot set {key!r}{better.get(key, '')}"
    if name not in _KNOWN:
        return f"<{name}> has no attributes; {short(key)!r} was not used"
    return str(unknown(f"attribute of <{name}> named", short(key), sorted(_KNOWN[name])))


def _text(given: Given, name: str) -> str:
    return escapes.read_text(given.pop(name)) if name in given else ""


def _maybe_text(given: Given, name: str) -> str | None:
    return escapes.read_text(given.pop(name)) if name in given else None


def _list(given: Given, name: str) -> tuple[str, ...]:
    return escapes.read_items(given.pop(name)) if name in given else ()


def _maybe_list(given: Given, name: str) -> tuple[str, ...] | None:
    return escapes.read_items(given.pop(name)) if name in given else None


def _free(given: Given) -> Pairs:
    free = [key for key in given if key not in _ANNOTATIONS] if given else ()
    if not free:
        return ()
    return pairs({escapes.read_name(key): escapes.read_text(given.pop(key)) for key in free})


def _id(given: Given) -> str:
    if "id" not in given:
        raise Fault('which entry? Name it by its id, as in id="m3"')
    return escapes.read_address(given.pop("id"))


def _count(given: Given, name: str, least: int) -> int | None:
    if name not in given:
        return None
    value = given.pop(name).strip()
    if value.isascii() and value.isdigit() and len(value) < 19 and int(value) >= least:
        return int(value)
    raise Fault(f"{name} is {short(value)!r}; expected a whole number from {least}")


def _way(given: Given) -> str | None:
    way = _maybe_text(given, "by")
    if way is not None and way not in WAYS:
        raise Fault(str(unknown("way to read", short(way), WAYS)))
    return way


def _create(given: Given, body: str) -> Create:
    text = escapes.read_text(body)
    if not given:
        return Create(text)
    return Create(
        text,
        keywords=_list(given, "keywords"),
        tags=_list(given, "tags"),
        context=_text(given, "context"),
        links=escapes.read_addresses(given.pop("links")) if "links" in given else (),
        time=_text(given, "time"),
        attributes=_free(given),
        store=_maybe_text(given, "store"),
    )


def _read(given: Given, body: str) -> Read:
    query = escapes.read_text(body)
    if not given:
        return Read(query)
    return Read(
        query,
        k=_count(given, "k", 1),
        by=_way(given),
        follow=_count(given, "follow", 0) or 0,
        store=_maybe_text(given, "store"),
    )


def _update(given: Given, body: str) -> Update:
    return Update(_id(given), escapes.read_text(body))


def _delete(given: Given, body: str) -> Delete:
    return Delete(_id(given))


def _link(given: Given, body: str) -> Link:
    if "to" not in given:
        raise Fault('to which entries? Name them, as in to="m1 m2"')
    return Link(_id(given), escapes.read_addresses(given.pop("to")))


def _evolve(given: Given, body: str) -> Evolve:
    return Evolve(
        _id(given),
        keywords=_maybe_list(given, "keywords"),
        tags=_maybe_list(given, "tags"),
        context=_maybe_text(given, "context"),
        attributes=_free(given),
    )


_READERS: Mapping[str, Callable[[Given, str], Operation | Command]] = {
    "create_memory": _create,
    "read_memory": _read,
    "update_memory": _update,
    "delete_memory": _delete,
    "link_memory": _link,
    "evolve_memory": _evolve,
    "scratchpad": lambda given, body: Scratchpad(escapes.read_text(body)),
    "answer": lambda given, body: Answer(escapes.read_text(body)),
    "act": lambda given, body: Act(escapes.read_text(body)),
    "advance": lambda given, body: Advance(),
}


def _attribute(name: str, value: str | None) -> str:
    return "" if value is None else f' {name}="{value}"'


def _maybe(text: str | None) -> str | None:
    return None if text is None else escapes.write_value(text)


def _items(items: tuple[str, ...] | None) -> str | None:
    return None if items is None else escapes.write_items(items)


def _written_free(free: Pairs) -> str:
    return "".join(_attribute(escapes.write_name(key, _ANNOTATIONS), escapes.write_value(value)) for key, value in free)


def _body(kind: str, attributes: str, text: str) -> str:
    return f"<{NAMES[kind]}{attributes}>{escapes.write_text(text)}</{NAMES[kind]}>"


def _write_create(item: Create) -> str:
    attributes = (
        _attribute("keywords", _items(item.keywords or None))
        + _attribute("tags", _items(item.tags or None))
        + _attribute("context", _maybe(item.context or None))
        + _attribute("links", escapes.write_addresses(item.links) if item.links else None)
        + _attribute("time", _maybe(item.time or None))
        + _attribute("store", _maybe(item.store))
        + _written_free(item.attributes)
    )
    return _body("create", attributes, item.text)


def _write_read(item: Read) -> str:
    attributes = (
        _attribute("k", None if item.k is None else str(item.k))
        + _attribute("by", _maybe(item.by))
        + _attribute("follow", str(item.follow) if item.follow else None)
        + _attribute("store", _maybe(item.store))
    )
    return _body("read", attributes, item.query)


def _write_evolve(item: Evolve) -> str:
    return (
        f"<evolve_memory{_named(item.id)}"
        + _attribute("keywords", _items(item.keywords))
        + _attribute("tags", _items(item.tags))
        + _attribute("context", _maybe(item.context))
        + f"{_written_free(item.attributes)}/>"
    )


def _named(id: str) -> str:
    return _attribute("id", escapes.write_address(id))


_WRITERS: Mapping[type, Callable[[Any], str]] = {
    Create: _write_create,
    Read: _write_read,
    Update: lambda item: _body("update", _named(item.id), item.text),
    Delete: lambda item: f"<delete_memory{_named(item.id)}/>",
    Link: lambda item: f"<link_memory{_named(item.id)}{_attribute('to', escapes.write_addresses(item.to))}/>",
    Evolve: _write_evolve,
    Scratchpad: lambda item: _body("scratchpad", "", item.text),
    Answer: lambda item: _body("answer", "", item.text),
    Act: lambda item: _body("act", "", item.text),
    Advance: lambda item: "<advance/>",
    Malformed: lambda item: item.text,
}
