"""Scripts that play the structured view: what a learned policy is shown beside, under the same view and reader.

They see the view as an agent would (sentence, question, entries), not its features; none sees an answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from memgym import registry
from memgym.model import ChatModel, Request, answered_at_once
from memgym.structured import StructuredMemory
from memgym.structured.view import CREATE, SKIP

Policy = Callable[[StructuredMemory], int]


def random(seed: int) -> Policy:
    """Return a policy that takes every decision with equal probability."""
    rng = np.random.default_rng(seed)
    return lambda view: int(rng.integers(2 + 2 * view.slots))


def keep_everything(view: StructuredMemory) -> int:
    """Write down every sentence until no slot is free."""
    return CREATE if len(view.entries) < view.slots else SKIP


def keep_facts(model: ChatModel) -> Policy:
    """Return a policy that keeps all facts and no small talk, updating what a fact replaces; it ignores questions."""

    def decide(view: StructuredMemory) -> int:
        if not _ask(model, "extract", text=view.sentence, time="")["facts"]:
            return SKIP
        return _decision(view, _ask(model, "decide", fact=view.sentence, memories=_shown(view)))

    return decide


def perfect(model: ChatModel) -> Policy:
    """Return a policy that keeps every fact that may lie on the question's chain, and updates what one replaces."""

    def decide(view: StructuredMemory) -> int:
        inputs = {"question": view.question, "fact": view.sentence, "memories": _shown(view)}
        return _decision(view, _ask(model, "keep", **inputs))

    return decide


def scripts(model: str = "rules", seed: int = 0) -> dict[str, Policy]:
    """Return the scripts by name; ``model`` reads for those that have to understand a sentence."""
    reader = registry.make_model(model)
    return {
        "random": random(seed),
        "keep-everything": keep_everything,
        "keep-facts": keep_facts(reader),
        "perfect script": perfect(reader),
    }


def _shown(view: StructuredMemory) -> list[str]:
    return [f"[{entry.id}] {entry.text}" for entry in view.entries]


def _decision(view: StructuredMemory, said: dict[str, Any]) -> int:
    if said["action"] == "update":
        return 2 + [entry.id for entry in view.entries].index(said["id"])
    return CREATE if said["action"] == "add" and len(view.entries) < view.slots else SKIP


def _ask(model: ChatModel, name: str, **inputs: Any) -> dict[str, Any]:
    reply: dict[str, Any] = json.loads(answered_at_once(model, Request(name, (), inputs), "a script").text)
    return reply
