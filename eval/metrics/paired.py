"""Paired tests between rows of a table: what two agents earned on the very same episodes, and whether it differs.

Separate from intervals, which look at one row: two intervals that overlap say nothing about a difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memgym.records import EpisodeRecord

from .intervals import SEED, Estimate, Values, estimates

Pairs = Mapping[tuple[Any, ...], tuple[float, Any]]

LEVEL = 0.05
"""A difference whose adjusted p is below counts as shown."""
LEAST = 6
"""Pairs below which no test of signs can come below LEVEL: 2 of the 2 ** 5 signs of five are as far out as any."""
EXACT = 18
"""Up to so many differences that are not 0 every assignment of signs is counted; of more a sample is drawn."""
DRAWN = 50_000
_CELLS = 2_000_000
"""Numbers that are held at once."""
_ALIKE = 1e-9
"""Sums that differ by less, on a scale of 1, are the same sum in another order."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What row ``first`` earned more than row ``second``, over the ``difference.n`` episodes that both played.

    ``p`` is of a two-sided sign-flip test, ``adjusted`` the same after Holm's correction within ``family``: "agents"
    compare two competitors, "bounds" anything with a bound, so that bounds cost the comparison of agents no power.
    """

    first: str
    second: str
    difference: Estimate
    p: float
    adjusted: float
    exact: bool
    family: str = "agents"

    @property
    def shown(self) -> bool:
        """Whether the test tells the two rows apart."""
        return self.adjusted < LEVEL


def compare(groups: Mapping[str, Sequence[EpisodeRecord]], bounds: frozenset[str] = frozenset()) -> list[Comparison]:
    """Return every pair of rows (name -> its records) that share episodes; which of them are ``bounds`` is by name.

    Episodes are paired by sample, seed, member and part; a failed one counts 0, and two that did not ask the same
    questions are no pair. The interval is a percentile bootstrap over pairs. Deterministic.
    """
    played = {name: _earned(records) for name, records in groups.items()}
    found = [(a, b, _differences(played[a], played[b])) for a, b in combinations(played, 2)]
    found = [one for one in found if one[2].size]
    means, tests = estimates([one[2] for one in found]), sign_flips([one[2] for one in found])
    families = ["bounds" if {a, b} & bounds else "agents" for a, b, _ in found]
    adjusted = [0.0] * len(found)
    for family in set(families):
        there = [at for at, one in enumerate(families) if one == family]
        for at, value in zip(there, holm([tests[at][0] for at in there]), strict=True):
            adjusted[at] = value
    return [
        Comparison(a, b, means[at], tests[at][0], adjusted[at], tests[at][1], families[at])
        for at, (a, b, _) in enumerate(found)
    ]


def _earned(records: Sequence[EpisodeRecord]) -> Pairs:
    """Return reward and questions by what identifies an episode; the second of one key pairs with the second."""
    found: dict[tuple[Any, ...], tuple[float, Any]] = {}
    seen: Counter[tuple[Any, ...]] = Counter()
    for record in records:
        episode = record.episode
        key = (record.sample, episode.seed, episode.member, str(episode.part.get("ask")))
        seen[key] += 1
        outcome = record.outcome
        found[*key, seen[key]] = (0.0, None) if outcome is None else (outcome.reward, outcome.references)
    return found


def _differences(first: Pairs, second: Pairs) -> Values:
    both = ((first[key], second[key]) for key in first if key in second)
    return np.array([a - b for (a, asked), (b, too) in both if None in (asked, too) or asked == too], np.float64)


def sign_flips(differences: Sequence[Values]) -> list[tuple[float, bool]]:
    """Return for each list of differences its two-sided p under random signs, and whether that was counted out.

    The statistic is the absolute sum. Differences of 0 have no sign to flip. Beyond ``EXACT`` of them 50,000 signs are
    drawn with a fixed seed, and the observed ones are counted too, so that p is never 0 (Phipson and Smyth 2010).
    """
    moving = [one[one != 0] for one in differences]
    # What is drawn for keeps its zeros, so that lists of one length share one draw.
    tested = [few if few.size <= EXACT else whole for few, whole in zip(moving, differences, strict=True)]
    found: dict[int, tuple[float, bool]] = {}
    for size in sorted({one.size for one in tested}):
        for exact in (True, False):
            there = [at for at, one in enumerate(tested) if one.size == size and (moving[at].size <= EXACT) == exact]
            if there:
                found.update(zip(there, _flipped(np.array([tested[at] for at in there]), exact=exact), strict=True))
    return [found[at] for at in range(len(tested))]


def _flipped(rows: Values, *, exact: bool) -> Iterator[tuple[float, bool]]:
    """Yield the p of rows of equally many differences."""
    count, size = rows.shape
    if size == 0:
        yield from [(1.0, True)] * count
        return
    scale = np.abs(rows).sum(axis=1)
    least = np.abs(rows.sum(axis=1)) - _ALIKE * scale
    above, total = np.zeros(count, np.int64), 0
    for signs in _signs(size, exact=exact):
        above += (np.abs(signs @ rows.T) >= least).sum(axis=0)
        total += len(signs)
    yield from ((float((one + (not exact)) / (total + (not exact))), exact) for one in above)


def _signs(size: int, *, exact: bool) -> Iterator[Values]:
    """Yield blocks of signs, +1 and -1: all of them with the last one +1 (the others mirror these), or drawn ones."""
    rng = np.random.default_rng(SEED)
    total = 2 ** (size - 1) if exact else DRAWN
    block = max(1, _CELLS // size)
    for start in range(0, total, block):
        length = min(block, total - start)
        bits: NDArray[Any]
        if exact:
            bits = (np.arange(start, start + length)[:, None] >> np.arange(size)) & 1
        else:
            bits = np.unpackbits(rng.integers(0, 256, (length, -(-size // 8)), np.uint8), axis=1)[:, :size]
        yield 1.0 - 2.0 * bits.astype(np.float64)


def holm(values: Sequence[float]) -> list[float]:
    """Return p-values adjusted for being shown together (Holm 1979): any of a family is below
    0.05 by chance in 5 % of tables at most.
    """
    order = sorted(range(len(values)), key=lambda at: values[at])
    adjusted, highest = [0.0] * len(values), 0.0
    for rank, at in enumerate(order):
        highest = max(highest, min(1.0, (len(values) - rank) * values[at]))
        adjusted[at] = highest
    return adjusted
