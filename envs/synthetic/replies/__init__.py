"""What the rules model says to the requests of memory systems, one function a kind; all from the inputs alone.

Each takes the inputs and a token counter and returns the JSON object of the reply. None of them raises on any text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .acting import act, compare, induce
from .facts import decide, edges, extract, invalidate
from .keeping import keep
from .linking import link_and_evolve
from .notes import analyse, evolve, relate
from .reflection import focus, infer, rate, summarise
from .sayings import Count, Inputs
from .searching import enough, plan, select

REPLIES: dict[str, tuple[tuple[str, ...], Callable[[Inputs, Count], dict[str, Any]]]] = {
    "analyse": (("text",), analyse),
    "relate": (("note", "neighbours"), relate),
    "evolve": (("note", "neighbours"), evolve),
    "link_and_evolve": (("note", "neighbours"), link_and_evolve),
    "extract": (("text", "time"), extract),
    "extract_after": (("before", "text", "time"), extract),
    "decide": (("fact", "memories"), decide),
    "keep": (("question", "fact", "memories"), keep),
    "edges": (("text", "time"), edges),
    "invalidate": (("fact", "memories"), invalidate),
    "summarise": (("texts", "focus", "limit"), summarise),
    "rate": (("text",), rate),
    "focus": (("texts", "count"), focus),
    "infer": (("question", "memories"), infer),
    "plan": (("question",), plan),
    "enough": (("question", "texts"), enough),
    "select": (("question", "options"), select),
    "induce": (("experiences",), induce),
    "compare": (("success", "failure", "rules"), compare),
    "act": (("task", "memory", "history", "observation", "admissible"), act),
}
"""The names of the inputs that a reply is made from, and what makes it."""

__all__ = ["REPLIES"]
