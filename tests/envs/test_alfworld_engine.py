"""ALFWorld's engine with its work cached, against the engine as TextWorld ships it."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from memgym.envs.alfworld.benchmark import ALFWorld
from memgym.envs.alfworld.caching import BrokenGame, PddlGame, translation
from memgym.envs.alfworld.generated import GeneratedALFWorld

pytest.importorskip("textworld", reason='needs the extra: pip install "memgym[alfworld]"')

from memgym.envs.alfworld.engine import NOTHING, POOL, FastEngine, StockEngine
from memgym.envs.engines import Play, Shown

GARBAGE = ("", "dance", "go to nowhere 1", "开冰箱", "เปิด", "🧊", "\x00", "\ud800", "GO TO DESK 1", "x" * 1_000_000)
GENERATED = ("home-100003/errand-0", "home-100004/errand-1")


@pytest.fixture(scope="module")
def fast() -> FastEngine:
    return FastEngine()


@pytest.fixture(scope="module")
def stock() -> StockEngine:
    return StockEngine()


@pytest.fixture(scope="module")
def game() -> PddlGame:
    return GeneratedALFWorld().game(GENERATED[0])


def played(engines: Sequence[FastEngine | StockEngine], game: PddlGame, steps: int, seed: int = 0) -> list[Shown]:
    """Play random commands in all engines at once, comparing everything that they show."""
    shown = [engine.start(game) for engine in engines]
    seen, rng = shown[:1], np.random.default_rng(seed)
    for number in range(steps):
        assert all(one == shown[0] for one in shown)
        choices = shown[0].admissible
        command = choices[int(rng.integers(len(choices)))] if number % 7 else GARBAGE[number % len(GARBAGE)]
        shown = [engine.step(command) for engine in engines]
        seen.append(shown[0])
    assert all(one == shown[0] for one in shown)
    return seen


def test_both_engines_show_the_same_texts_and_commands(fast: FastEngine, stock: StockEngine, game: PddlGame) -> None:
    played((fast, stock), game, 25)
    assert fast.facts() == stock.facts()


@pytest.mark.slow
def test_both_engines_agree_on_published_games(fast: FastEngine, stock: StockEngine, shared_data: Path) -> None:
    """Every 20th game of valid_seen as its file says, and some with the domain and grammar of the package."""
    for version, part in (("file", slice(0, None, 20)), ("2.1.2", slice(10, None, 45))):
        benchmark = ALFWorld(data=str(shared_data), version=version)
        for number, id in enumerate(list(benchmark.collection.games)[part]):
            played((fast, stock), benchmark.game(id), 25, seed=number)


@pytest.mark.slow
def test_both_engines_agree_along_winning_plays(fast: FastEngine, stock: StockEngine, shared_data: Path) -> None:
    benchmark = ALFWorld(data=str(shared_data))
    for id in list(benchmark.collection.games)[5::28]:
        game = benchmark.game(id)
        shown, other = fast.start(game), stock.start(game)
        while not shown.won:
            command = fast.winning()
            shown, other = fast.step(command), stock.step(command)
            assert shown == other


def test_a_game_starts_the_same_after_any_play(fast: FastEngine, game: PddlGame) -> None:
    assert played((fast,), game, 20) == played((fast,), game, 20)


def test_games_in_two_engines_do_not_touch_each_other(fast: FastEngine, game: PddlGame) -> None:
    other, second = GeneratedALFWorld().game(GENERATED[1]), FastEngine()
    alone = [played((fast,), one, 10, seed=2) for one in (game, other)]
    first, rng = [fast.start(game)], np.random.default_rng(2)
    assert played((second,), other, 10, seed=2) == alone[1]
    for number in range(10):
        choices = first[-1].admissible
        command = choices[int(rng.integers(len(choices)))] if number % 7 else GARBAGE[number % len(GARBAGE)]
        first.append(fast.step(command))
    assert first == alone[0]


@pytest.mark.parametrize("command", GARBAGE)
def test_what_is_not_admissible_changes_nothing(fast: FastEngine, game: PddlGame, command: str) -> None:
    start = fast.start(game)
    assert fast.step(command) == replace(start, text=NOTHING, accepted=False)


def test_white_space_around_a_command_does_not_matter(fast: FastEngine, game: PddlGame) -> None:
    fast.start(game)
    assert fast.step("  inventory\n").accepted


def test_a_translation_leaves_the_process_as_it_was(game: PddlGame) -> None:
    arguments, output = sys.argv, sys.stdout
    translation.__wrapped__(game.domain, game.problem)
    assert sys.argv is arguments
    assert sys.stdout is output


@pytest.mark.parametrize(
    "problem",
    ["", "(define", "(define (problem x) (:domain alfred))", "ไม่ใช่ปัญหา", "(define (problem x) (:goal (and)))"],
)
def test_a_problem_that_is_none_is_a_broken_game_with_its_id(fast: FastEngine, game: PddlGame, problem: str) -> None:
    with pytest.raises(BrokenGame, match="'broken one'"):
        fast.start(replace(game, id="broken one", problem=problem))


def test_a_broken_game_leaves_the_engine_usable(fast: FastEngine, game: PddlGame) -> None:
    before = fast.start(game)
    with pytest.raises(BrokenGame):
        fast.start(replace(game, problem="(define"))
    assert fast.start(game) == before


def test_an_unreachable_goal_is_a_broken_game(fast: FastEngine, game: PddlGame) -> None:
    head = game.problem[: game.problem.index("(:goal")]
    with pytest.raises(BrokenGame, match="goal"):
        fast.start(replace(game, problem=f"{head}(:goal (holds agent1 agent1)))"))


def test_a_task_sentence_may_be_any_text_of_the_grammar(fast: FastEngine, game: PddlGame) -> None:
    odd = replace(game, grammar=game.grammar.replace(game.task, "put Ünïcode, 記憶 and 🧠 in desk"))
    assert "Your task is to: put Ünïcode, 記憶 and 🧠 in desk." in fast.start(odd).text


def test_engines_work_under_threads_by_turns(game: PddlGame) -> None:
    plays = [Play(game) for _ in range(3)]
    failed: list[BaseException] = []

    def work(play: Play) -> None:
        try:
            for command in ("look", "inventory"):
                with POOL.standing(play) as engine:
                    play.shown = engine.step(command)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(play,)) for play in plays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert {play.shown.text for play in plays if play.shown} == {"You are not carrying anything."}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_an_engine_goes_on_in_a_forked_process(fast: FastEngine, game: PddlGame) -> None:
    fast.start(game)
    expected = hash(fast.step("look"))
    fast.start(game)
    child = os.fork()
    if child == 0:
        os._exit(0 if hash(fast.step("look")) == expected else 1)
    assert os.waitpid(child, 0)[1] == 0
