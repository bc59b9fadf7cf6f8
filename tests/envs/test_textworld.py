"""TextWorld's games, made by its own makers: winnable, the same for a seed, and safe to play with any text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("textworld", reason='needs the extra: pip install "memgym[alfworld]"')

from memgym.envs.textworld.benchmark import (
    SPLITS,
    CoinCollector,
    CookingGames,
    SimpleGames,
    StoryGames,
    TreasureHunter,
)
from memgym.envs.textworld.engine import UNKNOWN
from memgym.envs.textworld.making import folder, game_of
from memgym.operations import Act, Command, Status
from memgym.registry import UnknownName
from memgym.task import Task

SMALL: list[StoryGames] = [
    SimpleGames(goal="brief"),
    CoinCollector(level=2),
    TreasureHunter(level=2),
    CookingGames(recipe=1, take=1, go=1, open=False, cook=False, cut=False),
]
ID = "game-100001"
UNSAFE = ("save", "restore", "quit", "q", "undo", "restart", "script", "tw-print player info", "again", "verify")
GARBAGE = ("", " ", "歌う", "ร้องเพลง", "🎵", "\x00", "\ud800", "look\x1b[2J", "take " * 200_000)


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMGYM_CACHE", str(tmp_path_factory.mktemp("games")))
        yield


def task_of(benchmark: StoryGames) -> Task:
    return benchmark.task(benchmark.sample(ID), np.random.default_rng(0))


@pytest.fixture
def task() -> Task:
    return task_of(SMALL[1])


@pytest.mark.parametrize("benchmark", SMALL, ids=lambda one: one.name)
def test_cheat_wins_and_the_same_commands_show_the_same_texts(benchmark: StoryGames) -> None:
    task, said, shown = task_of(benchmark), list[Command](), list[str]()
    while not task.done:
        shown.append(task.view.text)
        said.append(task.cheat())
        assert task.take(said[-1]).ok
    assert task.outcome().reward == 1.0
    again = task_of(benchmark)
    for command, text in zip(said, shown, strict=True):
        assert again.view.text == text
        again.take(command)


def test_a_seed_makes_the_same_game_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = task_of(SMALL[1])
    monkeypatch.setenv("MEMGYM_CACHE", str(tmp_path))
    there = task_of(SMALL[1])
    assert here.state() == there.state()
    assert here.view == there.view


def test_games_that_were_made_are_kept_whole_and_nothing_else(task: Task) -> None:
    first = game_of(ID, "tw-coin_collector", {"level": 2}, 100_001)
    changed = first.path.stat().st_mtime_ns
    assert game_of(ID, "tw-coin_collector", {"level": 2}, 100_001).path.stat().st_mtime_ns == changed
    assert not [one for one in folder().iterdir() if one.name.startswith(".")]


@pytest.mark.parametrize("command", UNSAFE)
def test_what_is_no_players_verb_never_reaches_the_interpreter(task: Task, command: str) -> None:
    before = task.state()["world"]
    assert task.take(Act(command)).status is Status.MALFORMED
    assert task.view.text == UNKNOWN
    assert task.state()["world"] == before


@pytest.mark.parametrize("command", GARBAGE, ids=range(len(GARBAGE)))
def test_any_text_is_answered(task: Task, command: str) -> None:
    assert task.take(Act(command)).status is Status.MALFORMED
    assert task.view.text == UNKNOWN
    assert task.take(Act("look")).ok


def test_a_command_that_the_game_understands_but_cannot_do_is_reported(task: Task) -> None:
    assert task.take(Act("take moon")).status is Status.MALFORMED
    assert task.view.text


def test_case_and_spaces_of_a_command_do_not_matter(task: Task) -> None:
    assert task.take(Act("  LOOK ")).ok


def test_what_is_drawn_for_a_terminal_is_left_out(task: Task) -> None:
    assert "$$$" not in task.view.text
    assert not task.view.text.rstrip().splitlines()[-1].startswith(">")


def test_a_fork_plays_on_alone(task: Task) -> None:
    command = task.cheat()
    twin = task.fork()
    twin.take(command)
    task.take(Act("look"))
    assert task.cheat() == command
    assert twin.state()["commands"] != task.state()["commands"]


def test_a_game_that_tells_no_goal_says_so() -> None:
    assert "the game does not say" in task_of(SimpleGames(goal="none")).view.instruction


def test_splits_have_no_seed_in_common_and_ids_are_checked() -> None:
    assert sum(map(len, SPLITS.values())) == len(set().union(*SPLITS.values()))
    for id in ("game-000001", "game-1", "", "ゲーム"):
        with pytest.raises(UnknownName, match="game-100000"):
            SMALL[0].sample(id)


def test_a_schedule_repeats_no_game() -> None:
    order = SMALL[0].schedule(np.random.default_rng(0), 200)
    assert len(set(order)) == 200


@pytest.mark.parametrize(
    ("make", "options", "said"),
    [
        (CoinCollector, {"level": 0}, "level=0"),
        (CoinCollector, {"level": 151}, "level=151"),
        (TreasureHunter, {"level": 31}, "level=31"),
        (CookingGames, {"go": 2}, "go=2"),
        (CookingGames, {"recipe": 1, "take": 2}, "take=2"),
        (SimpleGames, {"goal": "long"}, "long"),
        (SimpleGames, {"split": "dev"}, "dev"),
        (SimpleGames, {"game_steps": 0}, "game_steps=0"),
    ],
)
def test_an_option_out_of_range_names_the_value(make: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises((ValueError, UnknownName), match=said):
        make(**options)
