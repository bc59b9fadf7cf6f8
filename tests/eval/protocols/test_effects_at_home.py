"""The effects of protocols in generated homes, by rules: what is lived in a home is worth something there.

Over five seeds, each with two homes of six errands and few commands for each; intervals are printed (-s).
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest
from homebody import Homebody
from test_effects import measured, over_seeds, reward

from memgym import registry

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("textworld") is None, reason='needs pip install "memgym[alfworld]"'),
]
SAME: dict[str, Any] = {"train_options": {"errands": 6}}
"""Training on the very errands that are tested: an option of its own, though it is the default one."""


@pytest.fixture(autouse=True)
def homebody() -> Iterator[None]:
    registry.add("agent", Homebody.name, f"{Homebody.__module__}:{Homebody.__name__}")
    yield
    del registry._rows["agent"][Homebody.name]


def home(knobs: dict[str, Any] | None = None, **options: Any) -> dict[str, Any]:
    chosen = {"env": "MemGym/ALFWorld-generated", "agents": ["homebody"], "episodes": 12, "knobs": knobs or {}}
    return {**chosen, "env_options": {"game_steps": 12, **options}}


BATCH = ("batch-procedural", home({"batch": 6}))


@pytest.mark.parametrize(
    ("what", "before", "after"),
    [
        ("offline - isolated, homes", ("isolated", home()), ("offline-procedural", home(SAME))),
        ("online - a batch a home", BATCH, ("online-procedural", home())),
        ("stream - a batch a home", BATCH, ("streaming-procedural", home())),
    ],
)
def test_when_memory_of_a_home_is_formed_makes_a_difference(what, before, after, played):
    assert over_seeds(played, what, reward, before, after).low > 0


def test_noise_lowers_what_is_done_in_homes(played):
    knobs = {"ratio": 1, "base": {"name": "offline-procedural", **SAME}}
    found = over_seeds(played, "noise - clean, homes", measured("noise - clean"), ("adversarial-noise", home(knobs)))
    assert found.high < 0


def test_reflection_raises_the_final_try_in_homes(played):
    found = over_seeds(played, "final - first, homes", measured("final - first"), ("reflection-procedural", home()))
    assert found.low > 0


def test_a_shift_to_another_home_costs_retention_where_memory_is_small(played):
    run = ("temporal-shift", home(SAME, capacity=12))
    assert over_seeds(played, "retention in 12 entries, homes", measured("retention"), run).high < 0
