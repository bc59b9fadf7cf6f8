"""Text as an engine can take it: UTF-8 has no lone surrogates, and every engine fails on them in its own way."""

from __future__ import annotations


def encodable(text: str) -> str:
    """Return ``text``, with "?" for each lone surrogate."""
    return text.encode("utf-8", "replace").decode("utf-8")
