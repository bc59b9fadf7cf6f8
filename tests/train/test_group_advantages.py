"""What verl makes of our outputs: a group's mean over trajectories, whatever the number of their segments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from small_policy import NEEDED

pytest.importorskip("verl", reason=NEEDED)
torch = pytest.importorskip("torch", reason=NEEDED)

WIDTH = 4


def advantages(groups: Mapping[str, Sequence[tuple[float, Sequence[int]]]], **options: Any) -> dict[str, list[float]]:
    """Return verl's advantages by key, of groups of trajectories: each its reward, and the lengths of its responses.

    A length of 0 is an output that is masked out.
    """
    from verl.protocol import DataProto
    from verl.trainer.ppo.core_algos import AdvantageEstimator
    from verl.trainer.ppo.v1.utils import compute_advantage_for_multi_trajectories as compute

    keys, masks, rewards, groups_of = [], [], [], []
    for group, members in groups.items():
        for member, (reward, lengths) in enumerate(members):
            for output, length in enumerate(lengths):
                keys.append(f"{group}_{member}_{output}")
                masks.append([1] * length + [0] * (WIDTH - length))
                rewards.append([0.0] * (max(1, length) - 1) + [reward] + [0.0] * (WIDTH - max(1, length)))
                groups_of.append(group)
    tensors = {"response_mask": torch.tensor(masks), "token_level_rewards": torch.tensor(rewards)}
    data = DataProto.from_dict(tensors, {"uid": np.array(groups_of, dtype=object)})
    said = {"adv_estimator": AdvantageEstimator.GRPO, "norm_adv_by_std_in_grpo": False, **options}
    rows = compute(data, keys, **said).batch["advantages"]
    return {key: row.tolist() for key, row in zip(keys, rows, strict=True)}


def test_every_token_of_every_segment_has_the_reward_less_the_mean_over_trajectories() -> None:
    got = advantages({"g": [(1.0, [2, 4, 1]), (0.0, [3]), (0.5, [1, 1])]})

    assert got["g_0_0"] == [0.5, 0.5, 0.0, 0.0]
    assert got["g_0_1"] == [0.5] * 4
    assert got["g_1_0"] == [-0.5, -0.5, -0.5, 0.0]
    assert got["g_2_0"] == got["g_2_1"] == [0.0] * 4


def test_a_long_trajectory_weighs_no_more_in_the_mean_than_a_short_one() -> None:
    short = advantages({"g": [(1.0, [1]), (0.0, [1])]})
    long = advantages({"g": [(1.0, [1] * 30), (0.0, [1])]})

    assert long["g_0_29"] == long["g_0_0"] == short["g_0_0"]
    assert long["g_1_0"] == short["g_1_0"]


def test_groups_do_not_see_each_other() -> None:
    alone = advantages({"a": [(1.0, [2]), (0.0, [1, 1])]})
    both = advantages({"a": [(1.0, [2]), (0.0, [1, 1])], "b": [(1.0, [1]), (1.0, [1])]})

    assert both | alone == both
    assert both["b_0_0"] == [0.0] * WIDTH


def test_a_failed_member_counts_as_nothing_earned_and_its_real_segments_are_pushed_down() -> None:
    got = advantages({"g": [(1.0, [1]), (1.0, [2]), (0.0, [3, 2]), (1.0, [1])]})

    assert got["g_2_0"] == [-0.75, -0.75, -0.75, 0.0]
    assert got["g_0_0"] == [0.25, 0.0, 0.0, 0.0]


def test_a_member_that_failed_before_it_wrote_anything_counts_in_the_mean_and_teaches_nothing() -> None:
    got = advantages({"g": [(1.0, [1]), (0.0, [0])]})

    assert got["g_0_0"] == [0.5, 0.0, 0.0, 0.0]
    assert got["g_1_0"] == [0.0] * WIDTH


def test_a_group_of_equals_teaches_nothing() -> None:
    assert set(map(tuple, advantages({"g": [(0.7, [4, 4]), (0.7, [1])]}).values())) == {(0.0,) * WIDTH}
