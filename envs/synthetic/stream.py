"""The order in which the documents of an episode are read: any, but what is revised stands before what revises it."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.random import Generator

Pairs = Sequence[tuple[int, int]]


def shuffled(count: int, before: Pairs, rng: Generator) -> list[int]:
    """Return the numbers from 0 to ``count`` in a random order in which the first of each pair stands first.

    Every number is as likely anywhere as the pairs leave it: two that are in the wrong order change places, and no
    third one moves. The lower number of a pair must be its first, so that each change undoes at least one wrong
    order and the repair comes to an end. Without pairs this is the permutation that the generator draws.
    """
    order: list[int] = rng.permutation(count).tolist()
    if not before:
        return order
    at = {document: place for place, document in enumerate(order)}
    pairs = [before[number] for number in rng.permutation(len(before)).tolist()]
    repaired = False
    while not repaired:
        repaired = True
        for first, second in pairs:
            if at[first] > at[second]:
                at[first], at[second] = at[second], at[first]
                repaired = False
    return sorted(at, key=at.__getitem__)
