from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgym.eval.metrics.intervals import RESAMPLES, SEED, estimate, estimates


def test_an_interval_over_nothing_is_not_a_number_and_says_n_0():
    found = estimate([])
    assert found.n == 0
    assert math.isnan(found.mean)


def test_an_interval_of_equal_values_is_that_value():
    assert estimate([0.25] * 9) == type(estimate([]))(0.25, 0.25, 0.25, 9)


def test_the_interval_of_a_fair_coin_over_100_is_about_a_tenth_each_way():
    # The normal approximation gives 0.5 +- 1.96 * 0.05.
    found = estimate([0.0, 1.0] * 50)
    assert found.mean == 0.5
    assert 0.38 < found.low < 0.42
    assert 0.58 < found.high < 0.62


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_the_mean_lies_in_its_interval_and_the_interval_in_the_data(values):
    found = estimate(values)
    assert min(values) - 1e-9 <= found.low <= found.mean + 1e-9
    assert found.mean - 1e-9 <= found.high <= max(values) + 1e-9


def test_the_same_values_give_the_same_interval():
    values = [0.1, 0.9, 0.4, 0.4]
    assert estimate(values) == estimate(values)


def test_columns_that_share_their_resamples_get_what_each_gets_alone():
    rng = np.random.default_rng(4)
    columns = [rng.random(7).tolist(), [1.0], [], rng.random(500).tolist(), [0.1] * 500, rng.random(7).tolist()]
    assert repr(estimates([*columns, columns[0]])) == repr([estimate(one) for one in [*columns, columns[0]]])


@pytest.mark.parametrize("size", [2, 60, 61, 1000])
def test_an_interval_is_that_of_all_resamples_drawn_at_once(size):
    data = np.random.default_rng(size).random(size)
    drawn = np.random.default_rng(SEED).integers(0, size, (RESAMPLES, size))
    low, high = np.percentile(data[drawn].mean(axis=1), [2.5, 97.5])
    made = estimate(data.tolist())
    assert (made.mean, made.low, made.high, made.n) == (data.mean(), low, high, size)
