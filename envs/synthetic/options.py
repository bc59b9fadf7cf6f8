"""The options of the synthetic world, from what a user writes to a checked Recipe."""

from __future__ import annotations

from collections.abc import Sequence

from memgym.registry import unknown

from ..numbered import SPLITS
from .generation import Recipe
from .names import SCRIPTS
from .questions import QUESTION_KINDS
from .world import LEAST_ENTITIES

MOST_DOCUMENTS = 10_000
MOST_HOPS = 4
REVISIONS = ("dated", "undated")
Span = int | Sequence[int]


def recipe(
    *,
    documents: int,
    questions: Span | str,
    hops: Span,
    kinds: str | Sequence[str],
    conflicts: float,
    similarity: float,
    scripts: str | Sequence[str],
    split: str,
    revisions: str,
) -> Recipe:
    """Check the options and return the Recipe.

    Raises:
        ValueError: A number outside its range; the message names option, value and range.
        UnknownName: A kind, script, split, preset of questions or way of revising that does not exist.
    """
    if split not in SPLITS:
        raise unknown("split", split, SPLITS)
    if revisions not in REVISIONS:
        raise unknown("way of revising", revisions, REVISIONS)
    if isinstance(questions, str) and questions != "atommem":
        raise unknown("preset of questions", questions, ("atommem",))
    # AtomMem's data construction: one question with probability 0.5, else uniformly 2 to 10.
    preset = isinstance(questions, str)
    chosen = _some("kind of question", kinds, QUESTION_KINDS)
    low, high = _span("hops", hops, 1, MOST_HOPS)
    if "comparison" in chosen and high < 2:
        raise ValueError(f"hops={hops!r} leaves no comparison (two facts): raise hops or choose other kinds.")
    return Recipe(
        documents=_span("documents", documents, LEAST_ENTITIES, MOST_DOCUMENTS)[0],
        questions=(2, 10) if isinstance(questions, str) else _span("questions", questions, 1, 100),
        single=0.5 if preset else 0.0,
        hops=(low, high),
        kinds=chosen,
        conflicts=_share("conflicts", conflicts),
        similarity=_share("similarity", similarity),
        scripts=_some("script", scripts, SCRIPTS),
        split=split,
        revisions=revisions,
    )


def _span(name: str, value: Span, least: int, most: int) -> tuple[int, int]:
    """Return a number or a pair as (low, high)."""
    low, high = (value, value) if isinstance(value, int) else tuple(value) if len(value) == 2 else (most, least)
    if not least <= low <= high <= most:
        raise ValueError(f"{name}={value!r}: expected a number from {least} to {most}, or a pair (low, high) of them.")
    return low, high


def _share(name: str, value: float) -> float:
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{name}={value!r}: expected a number from 0 to 1.")
    return float(value)


def _some(what: str, value: str | Sequence[str], valid: Sequence[str]) -> tuple[str, ...]:
    """Return one name or several as a tuple, each known and named once."""
    chosen = (value,) if isinstance(value, str) else tuple(dict.fromkeys(value))
    for one in chosen:
        if one not in valid:
            raise unknown(what, one, valid)
    if not chosen:
        raise ValueError(f"At least one {what} is needed: {', '.join(valid)}.")
    return chosen
