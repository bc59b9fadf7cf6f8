"""The reply that links a new note and revises its neighbours at once: what the two separate replies say together."""

from __future__ import annotations

from typing import Any

from .notes import evolve, relate
from .sayings import Count, Inputs


def link_and_evolve(inputs: Inputs, count: Count) -> dict[str, Any]:
    """Links go to notes that share a name, which gain what the new note says of it; its own tags stay."""
    return {**relate(inputs, count), "tags": [], **evolve(inputs, count)}
