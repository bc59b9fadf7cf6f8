"""The world of a dozen sentences: each sample can be solved, no two splits share a name, and order tells what holds."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgym.envs.synthetic import validate
from memgym.envs.synthetic.reader import read
from memgym.envs.synthetic.solve import answer
from memgym.envs.synthetic.tiny import SyntheticTiny
from memgym.operations import Advance
from memgym.registry import UnknownName
from memgym.task import Sample

worlds = st.fixed_dictionaries(
    {
        "documents": st.integers(12, 40),
        "chunk": st.integers(1, 9),
        "people": st.integers(1, 5),
        "organisations": st.integers(2, 5),
        "hops": st.integers(1, 2),
        "conflicts": st.sampled_from([0.0, 0.4, 1.0]),
        "split": st.sampled_from(["train", "validation", "test"]),
    }
)


def chunks(benchmark: SyntheticTiny, sample: Sample, seed: int) -> list[str]:
    task, found = benchmark.task(sample, np.random.default_rng(seed)), []
    while task.view.phase == "read":
        found.append(task.view.text)
        task.take(Advance())
    return found


@settings(max_examples=60, deadline=None)
@given(options=worlds, number=st.integers(0, 10**7), seed=st.integers(0, 2**32))
def test_a_sample_is_solved_by_its_text_in_every_order_that_an_episode_may_have(
    options: dict[str, Any], number: int, seed: int
) -> None:
    benchmark = SyntheticTiny(**options)
    sample = benchmark.sample(f"{options['split']}-{number:07d}")
    validate(sample)
    text = "\n".join(chunks(benchmark, sample, seed))
    assert answer(sample.questions[0].text, text) in sample.questions[0].answers
    assert len(text.splitlines()) == options["documents"]


@pytest.mark.parametrize("size", [1, 4, 5])
def test_a_chunk_shows_as_many_sentences_as_was_asked_for_and_the_last_one_the_rest(size: int) -> None:
    benchmark = SyntheticTiny(chunk=size)
    found = chunks(benchmark, benchmark.sample("validation-0000001"), 3)
    lines = [len(one.splitlines()) for one in found]
    assert lines == [size] * (12 // size) + ([12 % size] if 12 % size else [])


def test_every_sentence_is_understood_by_the_reader_of_the_large_world() -> None:
    benchmark = SyntheticTiny(documents=40, conflicts=1.0)
    for number in range(30):
        documents = benchmark.sample(f"validation-{number:07d}").documents
        assert all(len(list(read(one.text))) == 1 for one in documents)


def test_a_change_of_employer_is_read_after_what_it_changes_and_marks_the_category() -> None:
    benchmark = SyntheticTiny(conflicts=1.0)
    for number in range(30):
        sample = benchmark.sample(f"validation-{number:07d}")
        lines = "\n".join(chunks(benchmark, sample, number)).splitlines()
        assert lines.index(sample.documents[0].text) < lines.index(sample.documents[-1].text)
        assert sample.questions[0].category == "bridge-2hop-revised"


def test_no_two_splits_share_a_name() -> None:
    names = {}
    for split in ("train", "validation", "test"):
        benchmark = SyntheticTiny(split=split)
        samples = [benchmark.sample(f"{split}-{number:07d}") for number in range(100)]
        facts = [one for sample in samples for one in sample.questions[0].facts]
        names[split] = {fact[0] for fact in facts} | {fact[2] for fact in facts}
    assert not (names["train"] & names["validation"] | names["train"] & names["test"])
    assert not names["validation"] & names["test"]


def test_one_hop_asks_for_the_employer() -> None:
    sample = SyntheticTiny(hops=1).sample("validation-0000004")
    assert [fact[1] for fact in sample.questions[0].facts] == ["works_at"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"documents": 7}, "documents=7: expected a number from 8 to 200"),
        ({"people": 6, "organisations": 6}, "too many for documents=12"),
        ({"conflicts": 1.5}, "conflicts=1.5: expected a number from 0 to 1"),
        ({"hops": 3}, "hops=3: expected a number from 1 to 2"),
    ],
)
def test_a_number_outside_its_range_is_named_with_the_range(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        SyntheticTiny(**options)


@pytest.mark.parametrize("id", ["validation-1", "train-0000001", "", "validation-000000\ud800"])
def test_an_id_of_another_split_or_form_is_an_unknown_name(id: str) -> None:
    with pytest.raises(UnknownName, match="ids are like 'validation-0000123'"):
        SyntheticTiny().sample(id)


def test_ids_of_a_schedule_are_different_and_of_its_seed() -> None:
    ids = SyntheticTiny().schedule(np.random.default_rng(1), 500)
    assert len(set(ids)) == 500
    assert ids == SyntheticTiny().schedule(np.random.default_rng(1), 500)


def test_every_option_is_in_the_table_with_its_default() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "structured.md").read_text("utf-8")
    [found] = re.findall(r"^\| option \| default \| of `SyntheticTiny` \|\n\|[-|]+\n((?:\|[^\n]*\n)+)", page, re.M)
    said = {name: ast.literal_eval(value) for name, value in re.findall(r"^\| `(\w+)` \| `([^`]+)` \|", found, re.M)}
    given = inspect.signature(SyntheticTiny).parameters.values()
    assert said == {one.name: one.default for one in given}
