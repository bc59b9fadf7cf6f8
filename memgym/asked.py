"""Which prompts a component or an agent can ask, read off its code: nothing has to be declared, and nothing is run.

Separate from ``memgym.show``, since it is the one place that looks into compiled code.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any


def prompts_of(made: type) -> list[Any]:
    """Return the prompts that a class can reach, by name: over its methods, its bases, and what these call by name.

    Only code of the class's own package and of memgym is followed. A prompt that is handed in at run time is not seen;
    a class that is given one names its kind in ``asks`` (a tuple of text), and ``kinds_of`` has it.
    """
    roots = ("memgym", made.__module__.partition(".")[0])
    waiting: list[Any] = [made]
    seen: set[int] = set()
    found: dict[str, Any] = {}
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if _is_prompt(thing):
            found[thing.name] = thing
        elif _module(thing).partition(".")[0] in roots:
            waiting.extend(_named_in(thing))
    return [found[name] for name in sorted(found)]


def kinds_of(made: type) -> list[str]:
    """Return the kinds of request that a class can ask, sorted: those of its prompts, and those in its ``asks``."""
    return sorted({prompt.name for prompt in prompts_of(made)} | set(getattr(made, "asks", ())))


def _is_prompt(thing: Any) -> bool:
    """Return whether something is a Prompt of the agents' wing, which the hall cannot import."""
    return type(thing).__name__ == "Prompt" and hasattr(thing, "output") and hasattr(thing, "system")


def _module(thing: Any) -> str:
    return str(getattr(thing, "__module__", None) or "") if isinstance(thing, type | FunctionType) else ""


def _named_in(thing: Any) -> Iterator[Any]:
    """Yield what the code of a function, or of all methods of a class, takes from its module by name."""
    if isinstance(thing, type):
        yield from thing.__bases__
        space = vars(sys.modules[thing.__module__])
        codes = [code for value in vars(thing).values() for code in _codes(value)]
    else:
        space, codes = thing.__globals__, [thing.__code__]
    for code in codes:
        for name in _names(code):
            if name in space:
                yield space[name]


def _codes(value: Any) -> Iterator[CodeType]:
    """Yield the code of a method, plain or behind a property, a class method or a static method."""
    for inner in (value, *(getattr(value, name, None) for name in ("fget", "__func__", "__wrapped__"))):
        if isinstance(inner, FunctionType):
            yield inner.__code__


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
