"""The environment as Gymnasium knows it: reset, step, the end of an episode, rendering, errors of the caller."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium
import pytest
from small_world import INSTRUCTION, Colours, act, colours, env, shown, statuses

from memgym.env import MemoryEnv
from memgym.operations import (
    Action,
    Advance,
    Answer,
    Create,
    Read,
    Scratchpad,
)  # fmt: skip
from memgym.pomdp import TEXTS
from memgym.registry import UnknownName, UnknownOptionError


@pytest.fixture
def made() -> MemoryEnv:
    """An environment that stays where it is, with three entries."""
    made = env(advance="explicit")
    act(made, Create("Mia lives in Oslo."), Create("Ben has a red bicycle."), Create("The kettle is on the shelf."))
    return made


@pytest.fixture(scope="module")
def id() -> Iterator[str]:
    with colours() as id:
        yield id


# -------------------------------------------------------------------- the contract


def test_reset_gives_the_texts_and_an_info() -> None:
    texts, info = MemoryEnv(Colours()).reset(seed=0)
    assert tuple(texts) == TEXTS
    assert texts["task"] == INSTRUCTION
    assert set(info) == {"observation", "group", "step", "memory/size"}


def test_observations_are_members_of_the_space(made: MemoryEnv) -> None:
    texts = act(made, Read("Oslo"), Scratchpad("x"))
    assert texts in made.observation_space


def test_a_step_before_the_first_reset_is_an_error() -> None:
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
        MemoryEnv(Colours()).step("x")
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
        MemoryEnv(Colours()).step("")


@pytest.mark.parametrize("action", [None, 3, ["<advance/>"], b"x", Create("x")])
def test_an_action_that_is_neither_text_nor_action_is_a_type_error(made: MemoryEnv, action: Any) -> None:
    with pytest.raises(TypeError, match=type(action).__name__):
        made.step(action)


def test_text_and_action_are_the_same_step() -> None:
    one, two = env(), env()
    action = Action((Create("a", keywords=("k",)), Read("a")), Advance())
    assert one.step(action)[:4] == two.step(two.dialect.format(action))[:4]
    assert one.get_state() == two.get_state()


def test_the_same_seed_and_actions_give_the_same_episode() -> None:
    runs = []
    for _ in range(2):
        made = MemoryEnv(Colours(), encoder="hashing")
        steps: list[Any] = [made.reset(seed=5)]
        steps += [made.step(Action((Create(f"note {n}"), Read("note")), Advance())) for n in range(6)]
        runs.append((steps, made.get_state()))
    assert runs[0] == runs[1]


def test_different_seeds_give_different_orders() -> None:
    made = MemoryEnv(Colours(things=6))
    firsts = {made.reset(seed=seed, options={"sample": "s0"})[0]["observation"] for seed in range(10)}
    assert len(firsts) > 1


def test_without_a_seed_the_episodes_go_on_from_the_last_one() -> None:
    groups = []
    for _ in range(2):
        made = MemoryEnv(Colours())
        groups.append([made.reset(seed=1)[1]["group"], made.reset()[1]["group"], made.reset()[1]["group"]])
    assert groups[0] == groups[1]
    assert len(set(groups[0])) == 3


def test_an_observation_that_was_returned_is_not_changed_by_later_steps(made: MemoryEnv) -> None:
    for action in ("", Action((Scratchpad("x"), Read("Oslo"))), ""):
        first = made.step(action)[0]
        kept = dict(first)
        made.step("")
        act(made, Scratchpad("changed"))
        assert first == kept


# -------------------------------------------------------------------- the end


def win(made: MemoryEnv) -> tuple[dict[str, str], float, bool, bool, dict[str, Any]]:
    while True:
        step = made.step(Action((), made.cheat()))
        if step[2] or step[3]:
            return step


def test_a_won_episode_ends_with_reward_one() -> None:
    _, reward, terminated, truncated, info = win(env())
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert (info["outcome"].predictions, info["outcome"].references) == (("red",), (("red",),))


def test_the_reward_is_zero_until_the_end() -> None:
    made = env()
    rewards = [made.step(Action((), made.cheat()))[1] for _ in range(4)]
    assert rewards == [0.0, 0.0, 0.0, 1.0]


def test_an_episode_is_truncated_after_max_steps() -> None:
    made = env(max_steps=2, advance="explicit")
    assert made.step("")[2:4] == (False, False)
    _, reward, terminated, truncated, info = made.step("")
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert info["outcome"].predictions == (None,)


def test_an_episode_that_is_won_at_its_last_step_is_terminated() -> None:
    assert win(env(max_steps=4))[2:4] == (True, False)


def test_the_horizon_of_the_task_is_the_default_of_max_steps() -> None:
    assert env().pomdp.max_steps == 16


def test_the_outcome_is_told_once_and_not_before_the_end() -> None:
    made = env()
    infos = [made.step(Action((), made.cheat()))[4] for _ in range(4)]
    assert ["outcome" in info for info in infos] == [False, False, False, True]
    assert "outcome" not in made.step("")[4]


@pytest.mark.parametrize(
    "action", ["", "<create_memory>x</create_memory>", Action((Create("x"), Read("x")), Answer("red"))]
)
def test_a_step_after_the_end_changes_nothing_and_earns_nothing(action: str | Action) -> None:
    made = env(reads="persistent", advance="explicit")
    act(made, Create("red"), Read("red"))
    win(made)
    before = made.get_state()
    _, reward, terminated, truncated, _ = made.step(action)
    assert (reward, terminated, truncated) == (0.0, True, False)
    assert set(statuses(made)) <= {"masked"}
    assert made.get_state() == before


@pytest.mark.parametrize("action", ["", Action((Create("x"),))])
def test_a_step_after_truncation_stays_truncated(action: str | Action) -> None:
    made = env(max_steps=1)
    made.step("")
    assert made.step(action)[1:4] == (0.0, False, True)


def test_the_outcome_says_whether_memory_did_its_part() -> None:
    made = env()
    fact = made.pomdp.sample.questions[0].evidence[0]
    act(made, Create(fact), command=Advance())
    act(made, command=Advance())
    act(made, Read(fact), command=Advance())
    metrics = made.step(Action((), Answer("red")))[4]["outcome"].metrics
    assert metrics == {
        "em": 1.0,
        "evidence_stored": 1.0,
        "evidence_shown": 1.0,
        "answer_shown": 1.0,
        "evidence_precision": 1.0,
        "memory_size": 1.0,
    }


# -------------------------------------------------------------------- rendering


def test_ansi_renders_the_screen_and_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    made = env(render_mode="ansi", advance="explicit")
    act(made, Scratchpad("my note"))
    screen = made.render()
    assert screen is not None
    assert "step 1 of 16" in screen
    assert "my note" in screen
    assert capsys.readouterr().out == ""


def test_human_prints_each_step_and_renders_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    made = env(render_mode="human", advance="explicit")
    act(made, Scratchpad("my note"))
    assert "my note" in capsys.readouterr().out
    made.step("")
    assert "step 2 of 16" in capsys.readouterr().out
    assert made.render() is None


def test_without_a_render_mode_nothing_is_rendered(made: MemoryEnv, capsys: pytest.CaptureFixture[str]) -> None:
    assert made.render() is None
    assert capsys.readouterr().out == ""


# -------------------------------------------------------------------- errors of the caller


def test_an_unknown_render_mode_proposes_the_nearest() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'ansi'"):
        MemoryEnv(Colours(), render_mode="anse")


def test_an_unknown_option_of_a_built_benchmark_proposes_the_nearest() -> None:
    with pytest.raises(UnknownOptionError, match="Did you mean 'capacity'"):
        MemoryEnv(Colours(), capacty=3)


@pytest.mark.parametrize(
    ("option", "near"), [("capacty", "capacity"), ("thing", "things"), ("rendermode", "render_mode")]
)
def test_an_unknown_option_of_a_named_benchmark_proposes_the_nearest(id: str, option: str, near: str) -> None:
    options: Any = {option: 3}
    with pytest.raises(UnknownOptionError, match=f"Did you mean '{near}'"):
        gymnasium.make(id, **options)


def test_an_unknown_benchmark_proposes_the_nearest(id: str) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'Colours'"):
        MemoryEnv("Colors")


def test_an_unknown_dialect_proposes_the_nearest() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'xml'"):
        MemoryEnv(Colours(), dialect="xmls")


def test_an_unknown_encoder_proposes_the_nearest() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'hashing'"):
        MemoryEnv(Colours(), encoder="hash")


def test_options_of_environment_and_benchmark_are_given_side_by_side(id: str) -> None:
    made = gymnasium.make(id, things=2, capacity=7, render_mode="ansi").unwrapped
    assert isinstance(made, MemoryEnv)
    assert isinstance(made.benchmark, Colours)
    assert (made.benchmark.things, made.options.capacity, made.render_mode) == (2, 7, "ansi")


def test_masks_of_reads_hold_for_persistent_reads_too() -> None:
    made = env(reads="persistent", operations="create", advance="explicit")
    act(made, Create("red"), Read("red"))
    act(made)
    assert shown(made) == []


def test_a_text_that_holds_no_operation_and_no_command_is_told_so() -> None:
    env = MemoryEnv("Synthetic", documents=20)
    env.reset(seed=0)
    texts, *_ = env.step("I would rather think about it.")
    assert [(one.operation, one.status) for one in env.pomdp.seen.results] == [("action", "empty")]
    assert "no operation" in texts["feedback"]
    texts, *_ = env.step("")
    assert texts["feedback"] == ""
