"""Whereabouts: small worlds in which what is said last is true and only the end asks."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgym import make_benchmark
from memgym.operations import Action, Answer
from memgym.registry import UnknownName
from memgym.rollout import make_env

numbers = st.integers(0, 9_999_999)
shapes = st.fixed_dictionaries(
    {
        "chunks": st.integers(3, 8),
        "sentences": st.integers(2, 4),
        "people": st.integers(6, 12),
        "questions": st.integers(1, 2),
    }
)


@given(numbers, shapes)
def test_the_last_statement_about_an_asked_person_is_the_answer(number: int, shape: dict[str, int]) -> None:
    sample = make_benchmark("Whereabouts", **shape).sample(f"validation-{number:07d}")
    told = " ".join(document.text for document in sample.documents)
    for question in sample.questions:
        person = question.facts[0][0]
        said = re.findall(rf"{person} in (\w+)\.", told)
        assert question.answers == (said[-1],)
        assert 1 <= len(said) <= 3


@given(numbers, shapes)
def test_a_chunk_has_its_number_of_sentences_and_names_a_person_once(number: int, shape: dict[str, int]) -> None:
    sample = make_benchmark("Whereabouts", **shape).sample(f"validation-{number:07d}")
    assert len(sample.documents) == shape["chunks"]
    for document in sample.documents:
        lines = re.findall(r"(\w+) (?:in|to) \w+\.", document.text)
        assert len(lines) == shape["sentences"]
        people = [one for one in lines if one not in ("Rain", "Fog", "Bus")]
        assert len(set(people)) == len(people)


def test_a_sample_is_the_same_whenever_it_is_made() -> None:
    first, second = (make_benchmark("Whereabouts").sample("validation-0000123") for _ in range(2))
    assert first == second


def test_splits_have_samples_of_their_own() -> None:
    worlds = {split: make_benchmark("Whereabouts", split=split) for split in ("train", "validation", "test")}
    texts = {world.sample(f"{split}-0000001").documents[0].text for split, world in worlds.items()}
    assert len(texts) == 3


def test_the_cheat_wins() -> None:
    env = make_env("MemGym/Whereabouts")
    env.reset(seed=3)
    reward, over = 0.0, False
    while not over:
        _, reward, over, _, _ = env.step(Action(command=env.cheat()))
    assert reward == 1.0


def test_an_answer_before_the_last_chunk_is_masked_and_the_question_stays_open() -> None:
    env = make_env("MemGym/Whereabouts")
    env.reset(seed=3)
    right = env.pomdp.sample.questions[0].answers[0]
    *_, info = env.step(Action(command=Answer(right)))
    assert [result.status for result in info["observation"].results] == ["masked"]
    assert info["observation"].view.commands == ("advance",)
    assert info["observation"].view.questions


def test_two_of_its_sentences_fit_into_memory_in_the_store_and_four_nowhere() -> None:
    env = make_env("MemGym/Whereabouts")
    env.reset(seed=0)
    env.step("<create_memory>Xenia in Istanbul.</create_memory><create_memory>Yusuf in Istanbul.</create_memory>")
    assert len(env.memory) == 2
    env.reset(seed=0)
    env.step("<scratchpad>Anna in Rome. David in Oslo. Carla in Rome. Frank in Oslo.</scratchpad>")
    assert env.memory.scratchpad == ""


@pytest.mark.parametrize(
    "option", [{"people": 3}, {"told": 6}, {"questions": 4}, {"fillers": 1.5}, {"chunks": 0}], ids=str
)
def test_a_world_that_cannot_be_is_refused_with_the_range(option: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="expected a value from"):
        make_benchmark("Whereabouts", **option)


@pytest.mark.parametrize("id", ["train-0000001", "validation-1", "", "\ud800", "日本"])
def test_an_unknown_sample_names_a_valid_one(id: str) -> None:
    with pytest.raises(UnknownName, match="validation-0000000"):
        make_benchmark("Whereabouts").sample(id)
