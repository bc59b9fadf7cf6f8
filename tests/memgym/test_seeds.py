"""What several seeds come to."""

from __future__ import annotations

from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgym.seeds import over_seeds


def test_an_interval_over_seeds_is_students() -> None:
    assert over_seeds([0.7, 0.8, 0.9]) == pytest.approx((0.8, 0.8 - 0.2484, 0.8 + 0.2484), abs=1e-3)


def test_of_one_seed_the_interval_is_its_value() -> None:
    assert over_seeds([0.7]) == (0.7, 0.7, 0.7)


@given(st.lists(st.floats(-10, 10), min_size=2, max_size=30))
def test_the_mean_is_in_the_middle(values: list[float]) -> None:
    mean, low, high = over_seeds(values)
    assert mean == pytest.approx(fmean(values), abs=1e-9)
    assert low - 1e-9 <= mean <= high + 1e-9
    assert mean - low == pytest.approx(high - mean, abs=1e-9)
