"""The scripts beside which a learned policy is shown: what each keeps, and how far it comes."""

from __future__ import annotations

from statistics import fmean

import pytest

from memgym.env import MemoryEnv
from memgym.structured import make_view
from memgym.train.ppo import curve, proportion
from memgym.train.sb3 import PpoRecipe, evaluate, lexicon, view
from memgym.train.scripts import scripts

EPISODES = 60


@pytest.fixture(scope="module")
def scores() -> dict[str, float]:
    env = make_view("MemGym/Synthetic-tiny")
    return {name: fmean(evaluate(env, policy, EPISODES)) for name, policy in scripts().items()}


def test_the_perfect_script_wins_every_episode(scores: dict[str, float]) -> None:
    assert scores["perfect script"] == 1.0


def test_who_ignores_the_question_wins_some_and_who_keeps_everything_few(scores: dict[str, float]) -> None:
    assert 0.2 < scores["keep-facts"] < 0.6
    assert scores["random"] <= scores["keep-everything"] < 0.2


def test_scripts_play_the_same_episodes_each_time() -> None:
    env = make_view("MemGym/Synthetic-tiny")
    assert evaluate(env, scripts()["random"], 10) == evaluate(env, scripts()["random"], 10)


def test_scripts_lose_something_without_an_operation_that_they_need() -> None:
    env = make_view("MemGym/Synthetic-tiny", operations="w/o update")
    assert 0.4 < fmean(evaluate(env, scripts()["perfect script"], EPISODES)) < 1.0


def test_the_lexicon_is_of_the_training_split_and_has_no_persons_name() -> None:
    recipe = PpoRecipe()
    words = lexicon(recipe)
    assert words == lexicon(recipe)
    inner = view(recipe, recipe.test, words).unwrapped
    assert isinstance(inner, MemoryEnv)
    for seed in range(20):
        inner.reset(seed=seed)
        [question] = inner.pomdp.sample.questions
        assert not {word.lower() for word in question.facts[0][0].split()} & set(words)


def test_an_interval_of_a_share_stays_between_0_and_1() -> None:
    assert (proportion("a", [1.0] * 50).high, proportion("a", [0.0] * 50).low) == (1.0, 0.0)
    half = proportion("a", [0.0, 1.0] * 50)
    assert (round(half.low, 3), half.mean, round(half.high, 3)) == (0.404, 0.5, 0.596)


def test_a_curve_has_a_point_for_each_full_window() -> None:
    assert curve([0.0] * 200 + [1.0] * 399) == [(200, 0.0), (400, 1.0)]
