"""One seed, one record: every memory system plays an episode the same way again, alone, among others, and replayed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from every_system import DIALOGUE, EXPERIENCE, SMALL_QA, SYSTEMS, built, episode, provided, violations

from memgym.records import Episode, EpisodeRecord
from memgym.replay import replay
from memgym.rollout import play


def episodes(name: str) -> list[Episode]:
    """Return two episodes that a system can play: a conversation and a text, or what was lived, twice."""
    parts = [part.name for part in built(name)[0].parts.values()]
    places = (EXPERIENCE, EXPERIENCE) if violations(parts, provided(DIALOGUE)) else (DIALOGUE, SMALL_QA)
    return [episode(name, where, number=number) for number, where in enumerate(places)]


def lines(records: list[EpisodeRecord]) -> list[str]:
    assert [record.error for record in records] == [None] * len(records)
    return [record.line() for record in records]


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_system_plays_alike_again_among_others_and_in_a_replay(name: str, tmp_path: Path) -> None:
    planned = episodes(name)
    alone = lines(play(planned, concurrency=1))
    assert lines(play(planned, concurrency=4)) == alone
    file = tmp_path / "records.jsonl"
    file.write_text("".join(f"{line}\n" for line in alone), encoding="utf-8")
    assert [again.difference for again in replay(file)] == [""] * len(planned)


def test_what_a_system_draws_comes_from_the_stream_of_its_member_alone() -> None:
    [one] = episodes("memorybank")[:1]
    first, again, other = (play([replace(one, member=member)])[0] for member in (0, 0, 1))
    assert first.memory == again.memory != other.memory
    assert first.start == other.start
