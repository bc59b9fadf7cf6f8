"""Homes and errands of our own making: always the same by number, winnable, and one home for several errands."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("textworld", reason='needs the extra: pip install "memgym[alfworld]"')

from memgym.envs.alfworld.caching import PddlGame
from memgym.envs.alfworld.errands import errand, types
from memgym.envs.alfworld.games import TASK_TYPES
from memgym.envs.alfworld.generated import SPLITS, GeneratedALFWorld
from memgym.envs.alfworld.household import PLACES, home, small
from memgym.envs.alfworld.package import package
from memgym.envs.alfworld.planner import Goal, goal_of
from memgym.operations import Act, Status
from memgym.registry import UnknownName

HOME = 100_007
NUMBERS = [0, 1, 2, 99_999, 100_000, 119_999, *range(300, 340)]
PRINT_GAME = """
from memgym.envs.alfworld.generated import GeneratedALFWorld
print(GeneratedALFWorld().game("home-100007/errand-3"))
"""


def id_of(number: int, errand: int) -> str:
    return f"home-{number:06d}/errand-{errand}"


def intro(game: GeneratedALFWorld, id: str) -> str:
    return game.task(game.sample(id), np.random.default_rng(0)).view.text


@pytest.fixture(scope="module")
def benchmark() -> GeneratedALFWorld:
    return GeneratedALFWorld()


def test_a_number_is_the_same_home_in_processes_that_hash_differently() -> None:
    made = [
        subprocess.run(
            [sys.executable, "-c", PRINT_GAME],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert made[0] == made[1]
    assert b"home_100007" in made[0]


@pytest.mark.parametrize("number", NUMBERS)
def test_every_thing_lies_where_the_package_allows_it(number: int) -> None:
    made = home(number, 16)
    assert all(one.kind in package().holds[made.kinds[one.at]] or one.kind == "DeskLamp" for one in made.objects)
    assert 16 <= len(made.objects) <= 20
    assert len({one.id for one in (*made.places, *made.objects)}) == len(made.places) + len(made.objects)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_homes_first_six_errands_are_one_of_each_type_and_none_is_done_at_the_start(number: int) -> None:
    made = home(number, 16)
    asked = [errand(made, at) for at in range(6)]
    assert sorted(one.type for one in asked) == sorted(TASK_TYPES) == sorted(types(number, 6))
    for one in asked:
        assert made.of(one.object)
        assert one.place not in made.where(one.object)
        assert one.object.lower() in one.sentence


def test_errands_of_one_type_ask_for_different_things_while_there_are_any() -> None:
    made = home(HOME, 16)
    same = [errand(made, at) for at in range(0, 24, 6)]
    assert len({(one.object, one.place) for one in same}) == 4


def test_kinds_that_can_be_moved_somewhere_else_are_drawn_only() -> None:
    kinds = sorted(kind for kind, _, _ in PLACES)
    assert all(sum(one in package().holds[kind] for kind in kinds) >= 3 for one in small(kinds))


@pytest.mark.parametrize(("clutter", "number"), [(4, 5), (16, 6), (60, 7)])
def test_cheat_wins_every_type_of_task(clutter: int, number: int) -> None:
    benchmark = GeneratedALFWorld(clutter=clutter, split="train")
    for at in range(6):
        task = benchmark.task(benchmark.sample(id_of(number, at)), np.random.default_rng(0))
        while not task.done:
            assert task.take(task.cheat()).ok
        assert task.outcome().reward == 1.0
        assert task.outcome().metrics["game_steps"] <= 16


def test_cheat_still_wins_after_any_start(benchmark: GeneratedALFWorld) -> None:
    for at in range(6):
        task = benchmark.task(benchmark.sample(id_of(HOME, at)), np.random.default_rng(0))
        rng = np.random.default_rng(at)
        for _ in range(20):
            choices = task.view.admissible
            task.take(Act(choices[int(rng.integers(len(choices)))]))
            if task.done:
                break
        while not task.done:
            task.take(task.cheat())
        assert task.outcome().reward == 1.0


def test_all_errands_of_a_home_start_with_everything_in_the_same_place(benchmark: GeneratedALFWorld) -> None:
    worlds, rooms = [], set()
    for at in range(3):
        task = benchmark.task(benchmark.sample(id_of(HOME, at)), np.random.default_rng(0))
        worlds.append(task.state()["world"])
        rooms.add(task.view.text.split("\n\n")[1])
    assert worlds[0] == worlds[1] == worlds[2]
    assert len(rooms) == 1


def test_the_task_is_told_in_the_guide_and_in_the_games_own_words(benchmark: GeneratedALFWorld) -> None:
    task = benchmark.task(benchmark.sample(id_of(HOME, 0)), np.random.default_rng(0))
    sentence = errand(home(HOME, 16), 0).sentence
    assert f"Your task is to: {sentence}." in task.view.instruction
    assert f"Your task is to: {sentence}." in task.view.text


def test_splits_have_no_home_in_common() -> None:
    assert sum(map(len, SPLITS.values())) == len(set().union(*SPLITS.values()))


def test_a_schedule_plays_all_errands_of_a_home_in_a_row(benchmark: GeneratedALFWorld) -> None:
    order = benchmark.schedule(np.random.default_rng(4), 15)
    homes = [id.partition("/")[0] for id in order]
    assert len(set(order)) == 15
    assert [len(set(homes[at : at + 6])) for at in (0, 6, 12)] == [1, 1, 1]


def test_only_the_chosen_types_are_drawn_and_scheduled() -> None:
    benchmark = GeneratedALFWorld(task_types=[2, 6])
    ids = [*benchmark.schedule(np.random.default_rng(0), 6), benchmark.draw(np.random.default_rng(1)).id]
    assert {benchmark.sample(id).data["task_type"] for id in ids} == {TASK_TYPES[1], TASK_TYPES[5]}


@pytest.mark.parametrize(
    "id", ["home-000001/errand-0", "home-100001/errand-6", "home-100001", "", "家-1", "home-1000010/errand-0"]
)
def test_an_id_that_is_none_of_the_split_is_unknown(benchmark: GeneratedALFWorld, id: str) -> None:
    with pytest.raises(UnknownName, match="home-100"):
        benchmark.sample(id)


@pytest.mark.parametrize("options", [{"errands": 0}, {"clutter": 3}, {"clutter": 61}, {"game_steps": 0}])
def test_a_number_out_of_range_is_refused(options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        GeneratedALFWorld(**options)  # type: ignore[arg-type]


def test_a_command_of_a_megabyte_is_refused_and_counted(benchmark: GeneratedALFWorld) -> None:
    task = benchmark.task(benchmark.sample(id_of(HOME, 0)), np.random.default_rng(0))
    assert task.take(Act("go to 冷蔵庫 " * 100_000)).status is Status.MALFORMED
    assert task.view.text == "Nothing happens."


def test_what_is_described_is_the_same_for_equal_options(benchmark: GeneratedALFWorld) -> None:
    assert benchmark.describe() == GeneratedALFWorld().describe()
    assert benchmark.describe() != GeneratedALFWorld(clutter=17).describe()


@pytest.mark.parametrize(("at", "kind"), [(at, kind) for at, kind in enumerate(types(HOME, 6))], ids=str)
def test_a_goal_is_read_from_its_pddl(benchmark: GeneratedALFWorld, at: int, kind: str) -> None:
    asked, goal = errand(home(HOME, 16), at), goal_of(benchmark.game(id_of(HOME, at)).problem)
    thing, place = f"{asked.object}type".lower(), f"{asked.place}type".lower()
    assert (
        goal
        == {
            "pick_and_place_simple": Goal(thing, place),
            "look_at_obj_in_light": Goal(thing, lamp="desklamptype"),
            "pick_clean_then_place_in_recep": Goal(thing, place, "isclean"),
            "pick_heat_then_place_in_recep": Goal(thing, place, "ishot"),
            "pick_cool_then_place_in_recep": Goal(thing, place, "iscool"),
            "pick_two_obj_and_place": Goal(thing, place, count=2),
        }[kind]
    )


def test_a_goal_of_another_kind_cannot_be_cheated() -> None:
    with pytest.raises(RuntimeError, match="six tasks"):
        goal_of(PddlGame("x", "", "", "(:goal (checked agent1))").problem)
