"""Game tasks and the pool of engines behind them, on a game of the tests' own: count to the goal."""

from __future__ import annotations

import gc

import pytest

from memgym.envs.engines import Play, Pool, Shown
from memgym.envs.game import GameTask
from memgym.operations import Act, Advance, Answer, Status


class Counting:
    """A game that is won at 3 and lost below 0: "up", "down", and "boom", at which the engine breaks."""

    def __init__(self, log: list[str]) -> None:
        self.log = log

    def start(self, game: str) -> Shown:
        self.log.append("start")
        self.name, self.count = game, 0
        return self._shown("Zero.")

    def step(self, command: str) -> Shown:
        self.log.append(command)
        if command == "boom":
            raise OSError("the engine broke")
        if command not in ("up", "down"):
            return self._shown("What?", accepted=False)
        self.count += 1 if command == "up" else -1
        return self._shown(f"{self.name} is at {self.count}.")

    def facts(self) -> list[str]:
        return [f"at({self.count})"]

    def winning(self) -> str:
        return "up"

    def _shown(self, text: str, accepted: bool = True) -> Shown:
        return Shown(text, ("down", "up"), self.count == 3, self.count < 0, accepted)


@pytest.fixture
def log() -> list[str]:
    return []


def pool_of(log: list[str], most: int = 8) -> Pool:
    return Pool(lambda: Counting(log), most)


def task_of(pool: Pool, name: str = "a", limit: int = 10, show_admissible: bool = False) -> GameTask:
    return GameTask(pool, Play(name), name=name, guide="Count.", limit=limit, show_admissible=show_admissible)


def test_winning_ends_the_game_with_reward_one(log: list[str]) -> None:
    task = task_of(pool_of(log))
    while not task.done:
        assert task.take(task.cheat()).ok
    assert (task.outcome().reward, task.view.phase, task.view.text) == (1.0, "done", "a is at 3.")
    assert dict(task.outcome().metrics) == {"success": 1.0, "game_steps": 3.0, "inadmissible": 0.0}


def test_losing_ends_the_game_without_reward(log: list[str]) -> None:
    task = task_of(pool_of(log))
    task.take(Act("down"))
    assert task.done
    assert task.outcome().reward == 0.0


def test_the_game_is_over_after_its_number_of_commands(log: list[str]) -> None:
    task = task_of(pool_of(log), limit=2)
    task.take(Act("up"))
    task.take(Act("sing"))
    assert task.done
    assert task.take(Act("up")).status is Status.MASKED
    assert task.horizon == 4


def test_a_refused_command_counts_is_told_and_shows_the_games_reply(log: list[str]) -> None:
    task = task_of(pool_of(log))
    result = task.take(Act("歌う"))
    assert result.status is Status.MALFORMED
    assert "'歌う'" in result.reason
    assert task.view.text == "What?"
    assert "1 of 10" in task.view.instruction
    assert task.outcome().metrics["inadmissible"] == 1.0


def test_the_reason_does_not_repeat_a_long_command(log: list[str]) -> None:
    result = task_of(pool_of(log)).take(Act("x" * 1_000_000))
    assert len(result.reason) < 200
    assert "1000000" in result.reason


@pytest.mark.parametrize("command", [Answer("up"), Advance()])
def test_other_commands_are_masked_and_cost_nothing(log: list[str], command: Answer | Advance) -> None:
    task = task_of(pool_of(log))
    assert task.take(command).status is Status.MASKED
    assert "0 of 10" in task.view.instruction


def test_admissible_commands_are_in_the_text_on_request_only(log: list[str]) -> None:
    hidden, shown = task_of(pool_of(log)), task_of(pool_of(log), show_admissible=True)
    assert hidden.view.text == "Zero."
    assert shown.view.text == "Zero.\n\nAdmissible commands: down, up"
    assert hidden.view.admissible == shown.view.admissible == ("down", "up")


def test_a_game_without_commands_is_refused(log: list[str]) -> None:
    with pytest.raises(ValueError, match="game_steps=0"):
        task_of(pool_of(log), limit=0)


def test_a_fork_plays_on_alone_from_the_same_place(log: list[str]) -> None:
    task = task_of(pool_of(log))
    task.take(Act("up"))
    twin = task.fork()
    twin.take(Act("up"))
    task.take(Act("nonsense"))
    assert (twin.view.text, task.view.text) == ("a is at 2.", "What?")
    assert task.state()["world"] == ["at(1)"]
    assert twin.state()["commands"] == ["up", "up"]


def test_a_fork_that_is_never_played_borrows_no_engine(log: list[str]) -> None:
    pool = pool_of(log)
    task = task_of(pool)
    [task.fork() for _ in range(20)]
    assert (pool.made, log) == (1, ["start"])


def test_more_plays_than_engines_take_turns_and_are_right(log: list[str]) -> None:
    pool = pool_of(log, most=1)
    first, second = task_of(pool, "a"), task_of(pool, "b")
    for task in (first, second, first, second):
        task.take(Act("up"))
    assert (first.view.text, second.view.text) == ("a is at 2.", "b is at 2.")
    assert pool.made == 1


def test_a_refused_command_is_not_played_again(log: list[str]) -> None:
    pool = pool_of(log, most=1)
    first = task_of(pool, "a")
    first.take(Act("sing"))
    first.take(Act("up"))
    task_of(pool, "b")
    log.clear()
    first.take(Act("up"))
    assert log == ["start", "up", "up"]


def test_the_engine_of_a_play_that_is_over_or_gone_is_used_again(log: list[str]) -> None:
    pool = pool_of(log)
    for _ in range(5):
        task = task_of(pool, limit=1)
        task.take(Act("up"))
    for _ in range(5):
        task = task_of(pool)
    del task
    gc.collect()
    task_of(pool)
    assert pool.made <= 2


def test_an_engine_that_broke_is_started_anew(log: list[str]) -> None:
    pool = pool_of(log)
    task = task_of(pool)
    task.take(Act("up"))
    with pytest.raises(OSError, match="broke"):
        task.take(Act("boom"))
    task.take(Act("up"))
    assert task.view.text == "a is at 2."
    assert pool.made == 1


def test_a_pool_holds_at_least_one_engine(log: list[str]) -> None:
    with pytest.raises(ValueError, match="most is 0"):
        pool_of(log, most=0)


def test_the_end_of_a_game_has_no_winning_command(log: list[str]) -> None:
    task = task_of(pool_of(log), limit=1)
    task.take(Act("up"))
    with pytest.raises(RuntimeError, match="over"):
        task.cheat()
