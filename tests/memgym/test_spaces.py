"""The space of Unicode text: what it holds, when two are equal, and how Gymnasium batches it."""

from __future__ import annotations

from typing import Any

import gymnasium
import pytest
from gymnasium.spaces import Dict, Tuple
from gymnasium.spaces.utils import flatdim
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate

from memgym.spaces import Unicode

TEXTS = ["", "x" * 4096, "記憶 ความจำ ذاكرة 🧠", "a\x00b", "\ud800", "x" * 1_000_000]


class Echo(gymnasium.Env[str, str]):
    """Shows what was done last."""

    def __init__(self) -> None:
        self.observation_space = Unicode()
        self.action_space = Unicode()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        super().reset(seed=seed)
        return "記憶", {}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        return action, 0.0, False, False, {}


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: ascii(text[:12]))
def test_any_text_is_a_member(text: str) -> None:
    assert text in Unicode()


@pytest.mark.parametrize("other", [b"x", 1, None, ["x"], ("x",)])
def test_what_is_no_text_is_not(other: object) -> None:
    assert other not in Unicode()


def test_a_text_may_be_as_long_as_the_longest_and_no_longer() -> None:
    assert "abc" in Unicode(3)
    assert "abcd" not in Unicode(3)


def test_a_negative_length_is_an_error() -> None:
    with pytest.raises(ValueError, match="-1"):
        Unicode(-1)


def test_spaces_are_equal_when_they_hold_the_same_texts() -> None:
    assert Unicode(3) == Unicode(3, seed=7)
    assert Unicode(3) != Unicode(4)
    assert Unicode(3) != gymnasium.spaces.Text(3)


def test_samples_are_members_and_come_with_the_seed() -> None:
    space = Unicode(8)
    drawn = []
    for _ in range(2):
        space.seed(5)
        drawn.append([space.sample() for _ in range(20)])
    assert drawn[0] == drawn[1]
    assert all(text in space for text in drawn[0])
    assert len(set(drawn[0])) > 1


def test_a_space_of_nothing_samples_the_empty_text() -> None:
    assert Unicode(0).sample() == ""


def test_a_mask_has_no_meaning() -> None:
    with pytest.raises(ValueError, match="mask"):
        Unicode().sample(mask="x")


def test_texts_go_through_json_unchanged() -> None:
    space = Unicode()
    assert space.from_jsonable(space.to_jsonable(TEXTS)) == TEXTS


def test_a_batch_is_a_tuple() -> None:
    assert batch_space(Unicode(5), 3) == Tuple([Unicode(5)] * 3)


def test_texts_are_batched_and_taken_apart_again() -> None:
    space = Dict({"a": Unicode(), "b": Unicode()})
    rows = [{"a": "x", "b": "記憶"}, {"a": "", "b": "\ud800"}]
    empty: Any = create_empty_array(space, 2)
    batch = concatenate(space, rows, empty)
    assert batch == {"a": ("x", ""), "b": ("記憶", "\ud800")}
    assert list(iterate(batch_space(space, 2), batch)) == rows


def test_it_has_no_flat_form() -> None:
    assert not Unicode().is_np_flattenable
    with pytest.raises(ValueError, match="cannot be flattened"):
        flatdim(Unicode())


def test_sync_vector_environments_batch_texts() -> None:
    envs = SyncVectorEnv([Echo, Echo])
    envs.reset(seed=0)
    assert envs.step(("a", "記憶" * 2048))[0] == ("a", "記憶" * 2048)
    envs.close()


def test_async_vector_environments_batch_texts_without_shared_memory() -> None:
    envs = AsyncVectorEnv([Echo, Echo], shared_memory=False)
    try:
        assert envs.reset(seed=0)[0] == ("記憶", "記憶")
        assert envs.step(("a", "b"))[0] == ("a", "b")
    finally:
        envs.close()
