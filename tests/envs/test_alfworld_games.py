"""Which of ALFWorld's published games count, where they are looked for, and that each can be won."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from memgym.envs.alfworld.benchmark import ALFWorld
from memgym.envs.alfworld.caching import BrokenGame
from memgym.envs.alfworld.games import TASK_TYPES, check_task_types
from memgym.envs.files import DataNotFound
from memgym.operations import Act
from memgym.registry import UnknownName

GAME = {"pddl_domain": "d", "grammar": "g", "pddl_problem": "p", "solvable": True}


def write(folder: Path, name: str, game: dict[str, object] | None, task_type: str = TASK_TYPES[0]) -> None:
    place = folder / name / "trial_1"
    place.mkdir(parents=True)
    (place / "traj_data.json").write_text(json.dumps({"task_type": task_type}), "utf-8")
    if game is not None:
        (place / "game.tw-pddl").write_text(json.dumps(game), "utf-8")


@pytest.fixture
def split(tmp_path: Path) -> Path:
    folder = tmp_path / "json_2.1.1" / "valid_seen"
    write(folder, "good", GAME)
    write(folder, "good-é-猫", GAME, TASK_TYPES[1])
    write(folder, "unsolvable", {**GAME, "solvable": False})
    write(folder, "unknown", {key: value for key, value in GAME.items() if key != "solvable"})
    write(folder, "gameless", None)
    write(folder, "pick_and_place_with_movable_recep", GAME)
    write(folder, "AppleSliced", GAME)
    write(folder, "other", GAME, "pick_and_place_with_a_robot")
    (folder / "no trajectory").mkdir()
    return folder


def test_what_the_package_leaves_out_is_left_out_and_counted(split: Path) -> None:
    described = ALFWorld(data=str(split)).describe()
    assert described["games"] == 2
    assert described["skipped"] == {
        "another task type": 1,
        "movable receptacle or sliced object": 2,
        "no game file": 1,
        "not known to be solvable": 1,
        "unsolvable": 1,
    }


@pytest.mark.parametrize("up", [0, 1, 2])
def test_the_folder_may_be_the_split_or_one_above(split: Path, up: int) -> None:
    folder = [split, *split.parents][up]
    assert len(ALFWorld(data=str(folder)).collection.games) == 2


@pytest.mark.parametrize("variable", ["ALFWORLD_DATA", "MEMGYM_DATA"])
def test_games_are_found_by_variable(split: Path, variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ALFWORLD_DATA", raising=False)
    monkeypatch.setenv(variable, str(split.parent.parent))
    assert len(ALFWorld().collection.games) == 2


def test_no_games_is_an_error_that_names_every_way_and_the_generated_ones(tmp_path: Path) -> None:
    with pytest.raises(DataNotFound, match=r"(?s)valid_seen.*ALFWORLD_DATA.*MemGym/ALFWorld-generated"):
        ALFWorld(data=str(tmp_path)).draw(np.random.default_rng(0))


def test_task_types_are_taken_by_name_and_by_number(split: Path) -> None:
    assert check_task_types([2, "pick_and_place_simple"]) == TASK_TYPES[:2]
    assert check_task_types([]) == TASK_TYPES
    assert list(ALFWorld(data=str(split), task_types=[2]).collection.games) == ["good-é-猫/trial_1"]


@pytest.mark.parametrize("given", [0, 7, "pick_and_place"])
def test_an_unknown_task_type_names_the_valid_ones(given: str | int) -> None:
    with pytest.raises(UnknownName, match="pick_and_place_simple"):
        ALFWorld(task_types=[given])


def test_no_game_of_a_task_type_is_said(split: Path) -> None:
    with pytest.raises(ValueError, match="pick_heat"):
        ALFWorld(data=str(split), task_types=[4]).draw(np.random.default_rng(0))


@pytest.mark.parametrize(("option", "value"), [("split", "valid_seen"), ("version", "2.1.1")])
def test_an_unknown_split_or_version_is_refused(option: str, value: str) -> None:
    with pytest.raises(UnknownName, match=value):
        ALFWorld(**{option: value})  # type: ignore[arg-type]


def test_an_unknown_game_proposes_the_nearest(split: Path) -> None:
    with pytest.raises(UnknownName, match=r"good/trial_1"):
        ALFWorld(data=str(split)).sample("good/trial_2")


def test_a_schedule_repeats_no_game_before_all_were_played(split: Path) -> None:
    order = ALFWorld(data=str(split)).schedule(np.random.default_rng(0), 5)
    assert [len(set(order[at : at + 2])) for at in (0, 2)] == [2, 2]
    assert len(order) == 5


def test_a_game_file_that_is_no_game_is_told_by_its_path(tmp_path: Path) -> None:
    write(tmp_path / "valid_seen", "hollow", {"solvable": True})
    benchmark = ALFWorld(data=str(tmp_path))
    with pytest.raises(BrokenGame, match=r"hollow.*pddl_domain"):
        benchmark.game("hollow/trial_1")


def test_a_file_that_is_not_json_is_told_by_its_path(tmp_path: Path) -> None:
    write(tmp_path / "valid_seen", "torn", GAME)
    (tmp_path / "valid_seen" / "torn" / "trial_1" / "game.tw-pddl").write_text("{", "utf-8")
    with pytest.raises(BrokenGame, match="torn"):
        ALFWorld(data=str(tmp_path)).describe()


@pytest.fixture(scope="session")
def published(shared_data: Path) -> Path:
    if not (shared_data / "alfworld").is_dir():
        pytest.skip(f"no ALFWorld games in {shared_data}")
    return shared_data / "alfworld"


def test_valid_seen_has_its_140_games(published: Path) -> None:
    described = ALFWorld(data=str(published / "json_2.1.1" / "valid_seen")).describe()
    assert (described["games"], described["published"], described["skipped"]) == (140, 140, {})


def test_the_unsolvable_and_the_gameless_folder_of_valid_unseen_are_counted(published: Path) -> None:
    described = ALFWorld(split="unseen", data=str(published)).describe()
    assert described["games"] == 18
    assert described["skipped"] == {"movable receptacle or sliced object": 1, "unsolvable": 1}


def test_games_by_task_type_are_those_of_the_split(published: Path) -> None:
    counts = Counter(ALFWorld(data=str(published)).collection.games.values())
    assert [counts[kind] for kind in TASK_TYPES] == [35, 13, 27, 16, 25, 24]


@pytest.mark.parametrize(("version", "put"), [("file", "put O in/on R"), ("2.1.2", "move O to R")])
def test_the_guide_says_how_this_version_puts_things(published: Path, version: str, put: str) -> None:
    pytest.importorskip("textworld", reason="needs the extra alfworld")
    benchmark = ALFWorld(data=str(published), version=version, task_types=[1])
    task = benchmark.task(benchmark.draw(np.random.default_rng(0)), np.random.default_rng(0))
    assert put in task.view.instruction
    said = set()
    while not task.done:
        command = task.cheat()
        assert isinstance(command, Act)
        said.add(command.text.split()[0])
        task.take(command)
    assert put.split(maxsplit=1)[0] in said
    assert task.outcome().reward == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("split", ["seen", "unseen"])
def test_every_published_game_is_won_by_its_cheat(published: Path, split: str) -> None:
    pytest.importorskip("textworld", reason="needs the extra alfworld")
    benchmark = ALFWorld(split=split, data=str(published))
    lost = []
    for id in benchmark.collection.games:
        task = benchmark.task(benchmark.sample(id), np.random.default_rng(0))
        while not task.done:
            assert task.take(task.cheat()).ok
        if task.outcome().reward != 1.0:
            lost.append(id)
    assert lost == []
