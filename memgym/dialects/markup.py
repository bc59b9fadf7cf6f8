"""Finding tags in any text a model may write, in time linear in its length. Separate because it knows no operation.

Two passes: ``scan`` lists the tags that somebody wants, ``nested`` or ``nearest`` pairs them; ``parts`` then walks over
what stands outermost. Every quantifier is possessive, so that no pattern ever backtracks.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from memgym.dialects.escapes import NAME

_BARE = r"""(?:[^\s"'<>=/]|/(?!>))++"""
_ATTRIBUTES = rf"""((?:\s++{NAME}\s*+=\s*+(?:"[^"]*+"|'[^']*+'|{_BARE}))*+)\s*+"""
_TAG = re.compile(rf"<(/?)([^\W\d][\w-]*+)(?:{_ATTRIBUTES}(/?)>)?")
_ATTRIBUTE = re.compile(rf"""({NAME})\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|({_BARE}))""")
_THINKING = frozenset({"think", "thinking"})
_LOOKUPS = 32

UNCLOSED = "unclosed"
STRAY = "stray"
UNREADABLE = "unreadable"
THINKING = "thinking"


class Tag(NamedTuple):
    """One tag. ``empty`` is ``<a/>``; ``attributes`` is their source, None where it cannot be read."""

    name: str
    start: int
    end: int
    closing: bool
    empty: bool
    attributes: str | None


class Part(NamedTuple):
    """One outermost element, or what is wrong at this place: ``fault`` is one of the four words above, or ""."""

    name: str
    attributes: str
    body: str
    start: int
    end: int
    fault: str


def plain(names: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern of (name, attributes, body): the next element, if no other tag stands before or in it.

    Most actions are nothing but such elements, which one ``match`` after the other reads at a fifth of the cost.
    """
    named = "|".join(sorted(names))
    return re.compile(rf"[^<]*+<({named}){_ATTRIBUTES}(?:/>|>([^<]*+(?:<(?![/\w])[^<]*+)*+)</\1>)")


def scan(text: str, wanted: Callable[[str], object], thinking: bool) -> list[Tag]:
    """Return the tags whose lower-case name is wanted, and those of ``thinking``."""
    tags = []
    for match in _TAG.finditer(text):
        closing, name, attributes, slash = match.groups()
        name = name.lower()
        if wanted(name) or (thinking and name in _THINKING):
            tags.append(Tag(name, *match.span(), closing == "/", slash == "/", attributes))
    return tags


def nested(tags: Sequence[Tag]) -> list[int]:
    """Pair each opening tag with the closing one that balances it; -1 for none."""
    ends, waiting = [-1] * len(tags), dict[str, list[int]]()
    for index, tag in enumerate(tags):
        if tag.closing:
            if waiting.get(tag.name):
                ends[waiting[tag.name].pop()] = index
        elif not tag.empty:
            waiting.setdefault(tag.name, []).append(index)
    return ends


def nearest(tags: Sequence[Tag]) -> list[int]:
    """Pair each opening tag with the first closing one of its name after it; -1 for none."""
    ends, ahead = [-1] * len(tags), dict[str, int]()
    for index in range(len(tags) - 1, -1, -1):
        tag = tags[index]
        if tag.closing:
            ahead[tag.name] = index
        elif not tag.empty:
            ends[index] = ahead.get(tag.name, -1)
    return ends


def parts(text: str, tags: Sequence[Tag], ends: Sequence[int], strip: bool) -> list[Part]:
    """Walk over the outermost elements in order; what is inside one is its body.

    ``strip`` passes over thinking: ``<think>...</think>``, and everything before a ``</think>`` that was never
    opened (chat templates open it in the prompt). After a ``<think>`` that is never closed everything is thought.
    """
    found: list[Part] = []
    index = 0
    while index < len(tags):
        tag = tags[index]
        if strip and tag.name in _THINKING:
            if tag.closing:
                found.clear()
            elif not tag.empty:
                index = _thought(tags, index)
                if index < 0:
                    found.append(_fault(tag, THINKING))
                    break
        elif tag.closing:
            found.append(_fault(tag, STRAY))
        elif tag.empty:
            found.append(Part(tag.name, tag.attributes or "", "", tag.start, tag.end, ""))
        elif ends[index] < 0:
            found.append(_fault(tag, UNCLOSED if tag.attributes is not None else UNREADABLE, text))
        else:
            index = ends[index]
            found.append(_element(text, tag, tags[index]))
        index += 1
    return found


def _thought(tags: Sequence[Tag], start: int) -> int:
    name = tags[start].name
    return next((i for i in range(start + 1, len(tags)) if tags[i].closing and tags[i].name == name), -1)


def _element(text: str, tag: Tag, end: Tag) -> Part:
    if tag.attributes is None:
        return Part(tag.name, "", "", tag.start, end.end, UNREADABLE)
    return Part(tag.name, tag.attributes, text[tag.end : end.start], tag.start, end.end, "")


def _fault(tag: Tag, fault: str, text: str = "") -> Part:
    end = tag.end
    if fault is UNREADABLE:
        end = max(end, text.find(">", end, end + 200) + 1)
    return Part(tag.name, "", "", tag.start, end, fault)


def attributes(source: str) -> list[tuple[str, str]]:
    """Return the attributes of a tag in order, their values as written."""
    if not source:
        return []
    return [(name, double or single or bare) for name, double, single, bare in _ATTRIBUTE.findall(source)]


class Vocabulary:
    """The tags of a dialect, and what somebody may have meant by another one.

    ``aliases`` are names that models know from elsewhere. A near name has at least five letters, so that ``<b>`` and
    ``<fact>`` are nobody's mistake.
    """

    def __init__(self, names: Iterable[str], aliases: Mapping[str, str]) -> None:
        self.names = frozenset(names)
        self._aliases = tuple(aliases.items())
        self._valid = tuple(sorted(self.names))

    def lookup(self) -> Callable[[str], str | None]:
        """Return a function from a tag's name to the name that was meant, itself if it is one of ours, None if neither.

        It looks at 32 different unknown names and takes the rest as none of ours: one text cannot cost more.
        """
        seen: dict[str, str | None] = {name: name for name in self.names}

        def meant(name: str) -> str | None:
            if name not in seen and len(seen) < len(self.names) + _LOOKUPS:
                seen[name] = _nearest_name(name, self._valid, self._aliases)
            return seen.get(name)

        return meant


@lru_cache(maxsize=1024)
def _nearest_name(name: str, valid: tuple[str, ...], aliases: tuple[tuple[str, str], ...]) -> str | None:
    known = dict(aliases).get(name)
    if known or not 5 <= len(name) <= 40:
        return known
    return next(iter(difflib.get_close_matches(name.replace("-", "_"), valid, n=1, cutoff=0.8)), None)
