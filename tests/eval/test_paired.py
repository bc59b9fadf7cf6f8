"""Paired tests agree with their definitions, with scipy, and with what is known of small samples."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memgym.eval.metrics.intervals import estimate
from memgym.eval.metrics.paired import EXACT, Comparison, compare, holm, sign_flips
from memgym.records import Episode, EpisodeRecord
from memgym.task import Outcome

FIFTHS = st.integers(-5, 5).map(lambda value: value / 5)


def array(values: Sequence[float]) -> NDArray[np.float64]:
    return np.array(values, np.float64)


def enumerated(values: Sequence[float]) -> float:
    """Return the p-value as it is defined: over every assignment of signs to every difference."""
    observed = abs(sum(values)) - 1e-9
    sums = [
        abs(sum(s * v for s, v in zip(signs, values, strict=True))) for signs in product((1, -1), repeat=len(values))
    ]
    return sum(one >= observed for one in sums) / len(sums)


def record(row: str, number: int, reward: float | None, *, asked: str = "Who?", member: int = 0) -> EpisodeRecord:
    episode = Episode(f"{row}/{number}/{member}", "e", row, seed=number, member=member, tags={"row": row})
    outcome = None if reward is None else Outcome(reward, references=((asked,),))
    error = "ModelError: gone" if reward is None else None
    return EpisodeRecord(episode, f"s{number}", "", "", 0, (), outcome, True, False, "", {}, error=error)


def records(row: str, rewards: Sequence[float | None]) -> list[EpisodeRecord]:
    return [record(row, number, reward) for number, reward in enumerate(rewards)]


@given(st.lists(FIFTHS, min_size=1, max_size=9))
def test_the_p_of_few_differences_is_that_of_all_assignments_of_signs(values: list[float]) -> None:
    [(p, exact)] = sign_flips([array(values)])
    assert exact
    assert p == pytest.approx(enumerated(values))


def test_the_p_is_that_of_scipy() -> None:
    scipy = pytest.importorskip("scipy.stats", reason="scipy is no dependency of memgym")
    rng = np.random.default_rng(5)
    for size in (4, 8, 12):
        values = rng.normal(0.3, 1.0, size)
        theirs = scipy.permutation_test(
            (values,), lambda one, axis: abs(one.sum(axis)), permutation_type="samples", n_resamples=np.inf,
            vectorized=True, alternative="greater",
        )  # fmt: skip
        assert sign_flips([values])[0] == (pytest.approx(theirs.pvalue), True)


def test_a_drawn_p_is_near_the_exact_one() -> None:
    rng = np.random.default_rng(6)
    few = rng.integers(-4, 6, EXACT) / 5
    few = array(np.where(few == 0, 0.2, few).tolist())
    more = array([*few, 0.2])  # one more than is counted out
    [(exact, yes), (drawn, no)] = sign_flips([few, more])
    assert (yes, no) == (True, False)
    assert drawn == pytest.approx(_by_convolution(more), abs=0.006)
    assert exact == pytest.approx(_by_convolution(few))


def _by_convolution(values: NDArray[np.float64]) -> float:
    """Return the exact p of differences in fifths, from the distribution of their sum."""
    steps = np.rint(values * 5).astype(int)
    ways = {0: 1}
    for step in steps:
        after: dict[int, int] = {}
        for total, count in ways.items():
            for moved in (total + step, total - step):
                after[moved] = after.get(moved, 0) + count
        ways = after
    extreme = sum(count for total, count in ways.items() if abs(total) >= abs(steps.sum()))
    return float(extreme / sum(ways.values()))


def test_a_p_is_never_0() -> None:
    [(p, _)] = sign_flips([np.ones(400)])
    assert 0 < p < 0.0001


def test_no_difference_has_p_1() -> None:
    assert sign_flips([np.zeros(30), array([])]) == [(1.0, True), (1.0, True)]


def test_zeros_change_no_p() -> None:
    moved = array([0.2, 0.4, -0.2, 0.6, 0.6, 0.8])
    whole = array([*moved, *([0.0] * 40)])
    assert sign_flips([moved]) == sign_flips([whole])


def test_holm_on_the_worked_example() -> None:
    # Sorted 0.005, 0.01, 0.03, 0.04 become 4 * 0.005, 3 * 0.01, 2 * 0.03, and 0.04 is lifted to 0.06.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


@given(st.lists(st.floats(0, 1), max_size=12))
def test_an_adjusted_p_is_no_smaller_and_keeps_the_order(values: list[float]) -> None:
    adjusted = holm(values)
    assert all(p <= a <= 1 for p, a in zip(values, adjusted, strict=True))
    order = sorted(range(len(values)), key=lambda at: values[at])
    assert [adjusted[at] for at in order] == sorted(adjusted)


def test_episodes_are_paired_by_sample_seed_and_member_whatever_their_order() -> None:
    first = records("a", [0.0, 0.5, 1.0, 0.25])
    second = [*reversed(records("b", [1.0, 0.5, 0.0])), record("b", 0, 0.75, member=1)]
    [found] = compare({"a": first, "b": second})
    assert found.difference.n == 3
    assert found.difference.mean == pytest.approx(0.0)


def test_a_failed_episode_counts_0_in_its_pair() -> None:
    [found] = compare({"a": records("a", [1.0, 1.0]), "b": records("b", [None, 1.0])})
    assert (found.difference.n, found.difference.mean) == (2, 0.5)


def test_episodes_that_asked_other_questions_are_no_pair() -> None:
    assert compare({"a": [record("a", 0, 1.0)], "b": [record("b", 0, 1.0, asked="Where?")]}) == []


def test_the_interval_is_the_bootstrap_of_the_differences() -> None:
    rewards = np.random.default_rng(3).random((2, 25))
    [found] = compare({"a": records("a", list(rewards[0])), "b": records("b", list(rewards[1]))})
    wanted = estimate(list(rewards[0] - rewards[1]))
    assert (found.difference.low, found.difference.high) == pytest.approx((wanted.low, wanted.high))


def test_pairs_with_a_bound_are_a_family_of_their_own() -> None:
    rewards = {"a": [0.4] * 8, "b": [0.2] * 8, "floor": [0.0] * 8, "top": [1.0] * 8}
    groups = {name: records(name, values) for name, values in rewards.items()}
    found = {(one.first, one.second): one for one in compare(groups, frozenset({"floor", "top"}))}
    assert found["a", "b"].adjusted == found["a", "b"].p == 2 / 2**8
    assert found["a", "top"].adjusted == 5 * found["a", "top"].p
    assert {one.family for pair, one in found.items() if set(pair) & {"floor", "top"}} == {"bounds"}


def test_five_pairs_show_nothing_and_six_can() -> None:
    def of(count: int) -> Comparison:
        [found] = compare({"a": records("a", [1.0] * count), "b": records("b", [0.0] * count)})
        return found

    assert not of(5).shown
    assert of(6).shown


def test_the_same_records_give_the_same_comparison() -> None:
    rewards = np.random.default_rng(4).random((2, 60))
    groups = {name: records(name, list(values)) for name, values in zip("ab", rewards, strict=True)}
    assert compare(groups) == compare(groups)
