"""What holds for every registered environment, real or synthetic, whoever added it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.random import Generator
from small_house import as_json, experience

from memgym import registry
from memgym.env import MemoryEnv
from memgym.operations import Action, Advance, Answer, Create, Read, Scratchpad
from memgym.records import digest
from memgym.task import Sample

SECRET = "zz-only-the-scorer-may-know-zz"
MARK = "zz-left-behind-zz"
LARGE = ("-400doc", "-800doc", "-1600doc")
MADE = "MemGym/TextWorld-"
"""Games that are compiled when they are first played, some seconds each."""
ONE_OF_THE_MADE = "MemGym/TextWorld-simple"
"""Stands for its kinds here, which differ in their maker only; tests/envs/test_textworld.py plays each of them."""


def marks(name: str) -> list[pytest.MarkDecorator]:
    if name.startswith(MADE) and name != ONE_OF_THE_MADE:
        return [pytest.mark.skip(reason=f"{ONE_OF_THE_MADE} stands for this kind: every game costs seconds to compile")]
    return [pytest.mark.slow] if name.endswith(LARGE) or name.startswith(MADE) else []


IDS = [pytest.param(name, marks=marks(name)) for name in registry.names("environment")]
LIVED = [as_json(experience(thing, "shelf")) for thing in ("mug", "plate", "cup", "jug")]
TRACE = [
    "", f"<create_memory>{MARK}</create_memory><scratchpad>{MARK}</scratchpad>", f"<read_memory>{MARK}</read_memory>",
    "<delete_memory id='#1'/><advance/>", "<answer>wrong</answer><act>look</act>", "free text", "<delete_memory id='m9'/>",
]  # fmt: skip


def options(id: str, shared_data: Path) -> dict[str, Any]:
    """What an environment needs to find its data; nothing for a synthetic one."""
    benchmark = registry.load("benchmark", registry.environment(id)["benchmark"])
    if benchmark.synthetic:
        return {}
    places = {"data": str(shared_data), "corpus": str(shared_data / "distractor_corpora"), "experiences": LIVED}
    return {name: place for name, place in places.items() if name in registry.parameters(benchmark)}


def make(id: str, shared_data: Path, **more: Any) -> MemoryEnv:
    """The environment of an id, or a skip where its data is absent or too small for it."""
    try:
        env = gymnasium.make(id, **options(id, shared_data), **more).unwrapped
        env.reset(seed=0)
    except FileNotFoundError as absent:
        pytest.skip(str(absent).splitlines()[0])
    except ImportError as missing:
        pytest.skip(str(missing))
    except ValueError as error:
        if "fewer than documents=" not in str(error):
            raise
        pytest.skip(str(error))
    assert isinstance(env, MemoryEnv)
    return env


@pytest.fixture(scope="module", params=IDS)
def id(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def env(id: str, shared_data: Path) -> Iterator[MemoryEnv]:
    made = make(id, shared_data)
    yield made
    made.close()


def trace(env: MemoryEnv, seed: int, actions: list[str] = TRACE, **reset: Any) -> list[Any]:
    """Everything that is seen of an episode of these actions."""
    texts, info = env.reset(seed=seed, options=reset)
    seen: list[Any] = [(digest(texts), repr(info))]
    for action in actions:
        texts, reward, terminated, truncated, info = env.step(action)
        seen.append((digest(texts), reward, terminated, truncated, repr(info)))
    return [*seen, env.get_state()]


def test_it_passes_gymnasiums_check(env: MemoryEnv) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env)


def test_the_same_seed_and_actions_are_the_same_episode(env: MemoryEnv) -> None:
    assert trace(env, 3) == trace(env, 3)


def test_the_same_seed_and_actions_are_the_same_episode_in_another_environment(
    env: MemoryEnv, id: str, shared_data: Path
) -> None:
    other = make(id, shared_data)
    trace(other, 8)
    assert trace(other, 3) == trace(env, 3)


def test_another_seed_is_another_group(env: MemoryEnv) -> None:
    assert len({env.reset(seed=seed)[1]["group"] for seed in range(4)}) == 4


def test_documents_stand_in_another_order_for_another_seed(env: MemoryEnv, id: str) -> None:
    if "documents" not in registry.environment(id):
        pytest.skip("this text has an order of its own")
    sample = env.pomdp.sample.id
    starts = [env.reset(seed=seed, options={"sample": sample})[0] for seed in range(3)]
    assert len({digest(texts) for texts in starts}) == 3


def test_nothing_of_an_episode_is_left_after_reset(env: MemoryEnv, id: str, shared_data: Path) -> None:
    untouched = make(id, shared_data).reset(seed=5)
    trace(env, 4)
    texts, info = env.reset(seed=5)
    assert (texts, info) == untouched
    assert MARK not in repr((texts, info, env.get_state()))
    texts, *_, info = env.step(Action((Read(MARK),)))
    assert MARK not in repr((texts["memories"], texts["scratchpad"], info["observation"].memories))


def test_a_memory_that_is_kept_is_there_after_reset(env: MemoryEnv) -> None:
    env.reset(seed=4)
    env.step(Action((Create(MARK), Scratchpad(MARK))))
    texts, _ = env.reset(seed=5, options={"memory": "keep"})
    assert texts["scratchpad"] == MARK
    env.step(Action((Read(MARK),)))
    assert [hit.entry.text for hit in env.pomdp.seen.memories] == [MARK]


def secretive(sample: Sample) -> Sample:
    """The sample with everything that only the scorer may know replaced by one telling text."""
    questions = (
        replace(one, answers=(SECRET,), evidence=(SECRET,), facts=((SECRET,),), category=SECRET)
        for one in sample.questions
    )
    return replace(sample, questions=tuple(questions))


def test_no_gold_answer_is_seen_before_the_end(env: MemoryEnv, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = env.benchmark.draw

    def drawn(rng: Generator) -> Sample:
        return secretive(draw(rng))

    monkeypatch.setattr(env.benchmark, "draw", drawn)
    texts, info = env.reset(seed=6)
    if not env.pomdp.sample.questions:
        pytest.skip("this benchmark asks no questions")
    while not env.pomdp.over:
        assert SECRET not in repr((texts, info, env.screen()))
        command = Advance() if "advance" in env.pomdp.seen.view.commands else Answer("wrong")
        texts, _, _, _, info = env.step(Action((Scratchpad("x"), Read("the")), command))
    assert SECRET in repr(info["outcome"])
    assert SECRET not in repr((texts, info["observation"], info["group"]))


def test_it_can_be_won_within_its_horizon(env: MemoryEnv) -> None:
    env.reset(seed=7)
    rewards = [0.0]
    while not env.pomdp.over:
        rewards.append(env.step(Action((), env.cheat()))[1])
    assert env.pomdp.terminated
    assert rewards[-1] == 1.0
    assert not any(rewards[:-1])


def test_saying_nothing_earns_nothing_and_ends(env: MemoryEnv) -> None:
    env.reset(seed=7)
    for _ in range(env.pomdp.max_steps):
        _, reward, terminated, truncated, _ = env.step("")
        if terminated or truncated:
            break
    assert (reward, terminated, truncated) == (0.0, False, True)


def test_a_fork_plays_on_as_the_original_does(env: MemoryEnv) -> None:
    trace(env, 9, TRACE[:3])
    twin = env.fork()
    steps = [env.step(action) for action in TRACE[3:]]
    assert [twin.step(action) for action in TRACE[3:]] == steps
    assert twin.get_state() == env.get_state()


TEXTS = st.sampled_from(TRACE) | st.text(st.characters(exclude_categories=()), max_size=12)


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors])
@given(seed=st.integers(0, 2**32 - 1), actions=st.lists(TEXTS, max_size=6))
def test_any_episode_keeps_the_invariants(env: MemoryEnv, seed: int, actions: list[str]) -> None:
    assert trace(env, seed, actions) == trace(env, seed, actions)
    memory = env.memory
    assert all(memory.get(id) for entry in memory.entries() for id in entry.links)
    assert env.pomdp.texts in env.observation_space
    assert env.pomdp.steps <= env.pomdp.max_steps
    assert (env.pomdp.outcome is not None) is env.pomdp.over
