"""The documents of one episode: those that the questions need, hidden among others, in an order of its own.

MemAgent and AtomMem shuffle every list with the seed 4, so that in 200 documents the needed ones always sit in the
same places; here order and distractors come from the episode's generator.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from numpy.random import Generator

from memgym.task import Document


def distinct(documents: Iterable[Document]) -> list[Document]:
    """Return the documents in their order, each rendered text once."""
    kept: dict[str, Document] = {}
    for document in documents:
        kept.setdefault(document.render(), document)
    return list(kept.values())


def build(own: Sequence[Document], pool: Sequence[Document], size: int, rng: Generator) -> list[Document]:
    """Return ``size`` different documents, shuffled by ``rng``: all of ``own``, the rest drawn from ``pool``.

    Documents are the same if they render the same; ``pool`` may hold ``own`` and repetitions.

    Raises:
        ValueError: ``own`` alone is more than ``size``, or both together are fewer.
    """
    needed = distinct(own)
    if len(needed) > size:
        raise ValueError(
            f"The questions bring {len(needed)} documents of their own, more than documents={size}: "
            f"ask for documents={len(needed)} or more, or for fewer questions."
        )
    haystack = needed + _draw(pool, {one.render() for one in needed}, size - len(needed), rng)
    if len(haystack) < size:
        raise ValueError(
            f"There are {len(haystack)} different documents, fewer than documents={size}: "
            f"ask for {len(haystack)} or fewer, or name a file of further passages with corpus=..."
        )
    return [haystack[at] for at in rng.permutation(size)]


def _draw(pool: Sequence[Document], seen: set[str], count: int, rng: Generator) -> list[Document]:
    """Return ``count`` documents of the pool that are not in ``seen``, or all there are; changes ``seen``."""
    drawn: list[Document] = []
    for at in rng.permutation(len(pool)).tolist() if count else ():
        text = pool[at].render()
        if text not in seen:
            seen.add(text)
            drawn.append(pool[at])
            if len(drawn) == count:
                break
    return drawn
