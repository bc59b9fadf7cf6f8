"""Many episodes at once: the same records in any order of play, and a run that can be left."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator

import pytest
from small_agents import Model, agents, episode
from small_world import registered

from memgym import registry
from memgym.memory import Write
from memgym.records import EpisodeRecord
from memgym.registry import UnknownName
from memgym.rollout import Cast, play, run

SOURCE = Write("before", 1, "create", 1)


@pytest.fixture(scope="module", autouse=True)
def names() -> Iterator[None]:
    with agents():
        yield


def lines(records: list[EpisodeRecord]) -> list[str]:
    return [record.line() for record in records]


def test_records_are_byte_equal_however_many_are_played_at_once() -> None:
    episodes = [episode(n, options={"encoder": "hashing:32"} if n % 2 else {}) for n in range(12)]
    alone = lines(play(episodes, concurrency=1))
    assert lines(play(episodes, concurrency=8)) == alone
    assert lines(list(reversed(play(list(reversed(episodes)), concurrency=3)))) == alone


def test_records_are_in_the_order_of_the_episodes() -> None:
    episodes = [episode(n) for n in (5, 1, 3)]
    assert [record.episode for record in play(episodes)] == episodes


def test_episodes_of_different_seeds_differ() -> None:
    assert len({record.steps[0].action for record in play([episode(n) for n in range(4)])}) == 4


def test_a_run_yields_records_as_they_are_done() -> None:
    async def first() -> list[str]:
        records = run((episode(n) for n in range(6)), concurrency=3)
        found = [(await anext(records)).episode.id]
        await records.aclose()
        return found

    assert asyncio.run(first())[0] in {f"noting/{n}" for n in range(3)}


def test_a_run_that_is_left_cancels_what_is_still_played() -> None:
    async def leave() -> int:
        records = run((episode(n) for n in range(6)), concurrency=3)
        await anext(records)
        await records.aclose()
        return len(asyncio.all_tasks())

    assert asyncio.run(leave()) == 1


def test_an_episode_that_cannot_be_made_ends_the_run() -> None:
    with pytest.raises(UnknownName, match="notin"):
        play([episode(0), episode(1, "notin"), episode(2)])


def test_of_several_episodes_that_cannot_be_made_one_is_told(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(UnknownName, match="notin"):
        play([episode(n, "notin") for n in range(4)])
    gc.collect()
    assert "never retrieved" not in caplog.text


def test_two_episodes_of_one_id_are_an_error() -> None:
    with pytest.raises(ValueError, match="same id"):
        play([episode(1), episode(1)])


@pytest.mark.parametrize("concurrency", [0, -1])
def test_a_concurrency_of_nothing_is_an_error(concurrency: int) -> None:
    with pytest.raises(ValueError, match="concurrency"):
        play([episode(1)], concurrency=concurrency)


def test_no_episodes_are_no_records() -> None:
    assert play([]) == []


def test_environments_are_lent_and_models_shared() -> None:
    model = Model()
    cast = Cast({"model": model})
    records = play([episode(n, "asking", model="model") for n in range(3)], concurrency=3, cast=cast)
    assert model.calls == sum(len(record.steps) for record in records)


def test_the_agents_of_this_file_are_gone_after_it() -> None:
    with registered("agent", soon="small_agents:Noting"):
        assert "soon" in registry.names("agent")
    assert "soon" not in registry.names("agent")
