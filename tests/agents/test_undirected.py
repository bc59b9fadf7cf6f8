"""The teacher of a warm start: right in form, undirected in what it keeps."""

from __future__ import annotations

import pytest

from memgym.agent import Agent
from memgym.agents.undirected import names, sentences, spaced
from memgym.records import Episode, EpisodeRecord
from memgym.registry import make_agent
from memgym.rollout import play


def records(count: int, **options: float) -> list[EpisodeRecord]:
    return play(
        [Episode(f"e{seed}", "MemGym/Whereabouts", "undirected", seed, agent_options=options) for seed in range(count)]
    )


def reward(played: list[EpisodeRecord]) -> float:
    assert all(record.outcome is not None for record in played)
    return sum(record.outcome.reward for record in played if record.outcome) / len(played)


def test_a_teacher_that_is_aware_and_updates_always_is_right() -> None:
    assert reward(records(40, aware=1, update=1, note=0)) == 1.0


def test_a_teacher_that_is_never_aware_is_seldom_right() -> None:
    assert reward(records(60, aware=0, note=0)) < 0.4


def test_what_it_writes_is_read_without_a_fault() -> None:
    results = [result for record in records(30) for step in record.steps for result in step.results]
    assert {str(result.status) for result in results} <= {"ok", "over_capacity", "over_budget", "duplicate"}


def test_it_says_unknown_when_it_sees_nothing() -> None:
    played = records(20, keep=0, aware=0, note=0)
    assert all(record.steps[-1].action == "<answer> unknown</answer>" for record in played)


def test_a_note_holds_two_sentences_at_most() -> None:
    played = records(20, keep=1, aware=0, note=1)
    assert all("<create_memory>" not in step.action for record in played for step in record.steps)
    assert all("<scratchpad>" in record.steps[0].action for record in played)


@pytest.mark.parametrize("option", ["keep", "aware", "update", "note"])
def test_a_probability_above_one_is_refused(option: str) -> None:
    with pytest.raises(ValueError, match=option):
        make_agent("undirected", **{option: 1.5})


def test_words_in_tags_get_a_space_and_attributes_stay() -> None:
    written = '<update_memory id="m1">Anna in Rome.</update_memory>\n<delete_memory id="m2"/>\n<answer>Rome</answer>'
    assert spaced(written) == (
        '<update_memory id="m1"> Anna in Rome.</update_memory><delete_memory id="m2"/><answer> Rome</answer>'
    )


def test_names_are_capitalised_words_but_the_one_that_asks() -> None:
    assert names("Where is Nadia? Where is Hugo?") == ["Nadia", "Hugo"]
    assert names("") == names("in \ud800 日本") == []


def test_sentences_of_any_text() -> None:
    assert sentences("Fog in Rome. Anna in Oslo.") == ["Fog in Rome.", "Anna in Oslo."]
    assert sentences("") == sentences("  ") == []


def test_it_is_an_agent_like_any_other() -> None:
    assert isinstance(make_agent("undirected"), Agent)
