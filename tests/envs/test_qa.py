"""What every long-context benchmark shares: groups of questions, schedules, haystacks and one copy of the data."""

from __future__ import annotations

import copy
import json
import pickle
from collections import Counter
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pytest

from memgym.envs.qa import LongContextQA
from memgym.operations import Advance
from memgym.registry import UnknownName
from memgym.task import Document, Question, Sample

SHARED = Document("Shared", "Every record has this one.")
RECORDS = tuple(
    Sample(
        f"r{number:02d}",
        (Question(f"Which colour has lamp {number}?", (f"shade-{number}",), (f"Lamp {number} has shade-{number}.",)),),
        (Document(f"Lamp {number}", f"Lamp {number} has shade-{number}."), SHARED),
    )
    for number in range(25)
)
EXTRA = tuple(Document(f"Extra {number}", f"Nothing about lamps, {number}.") for number in range(30))


class Lamps(LongContextQA):
    """Twenty-five lamps; one document is needed for each question, and one is shared by all."""

    name: ClassVar[str] = "Lamps"

    def records(self) -> Sequence[Sample]:
        return RECORDS

    def distractors(self) -> Sequence[Document]:
        return EXTRA if self.corpus else ()


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def shown(benchmark: LongContextQA, sample: Sample, seed: int = 0) -> str:
    task = benchmark.task(sample, rng(seed))
    parts = []
    while task.view.phase == "read":
        parts.append(task.view.text)
        task.take(Advance())
    return "\n\n".join(parts)


def test_a_draw_is_one_record_by_default() -> None:
    assert all(Lamps(documents=5).draw(rng(seed)) in RECORDS for seed in range(20))


def test_every_record_is_drawn() -> None:
    benchmark, generator = Lamps(documents=5), rng()
    assert len({benchmark.draw(generator).id for _ in range(400)}) == 25


def test_a_group_is_consecutive_records_with_shared_documents_once() -> None:
    sample = Lamps(documents=12, questions=3).draw(rng())
    ids = sample.id.split("+")
    first = int(ids[0][1:])
    assert ids == [f"r{number:02d}" for number in range(first, first + 3)]
    assert [question.answers for question in sample.questions] == [(f"shade-{n}",) for n in range(first, first + 3)]
    assert Counter(sample.documents)[SHARED] == 1
    assert len(sample.documents) == 4


def test_the_last_records_can_begin_no_group_that_passes_the_end() -> None:
    benchmark = Lamps(documents=24, questions=10)
    assert {len(benchmark.draw(rng(seed)).questions) for seed in range(50)} == {10}


def test_a_pair_is_a_uniform_choice() -> None:
    benchmark = Lamps(documents=24, questions=(2, 4))
    counts = Counter(len(benchmark.draw(rng(seed)).questions) for seed in range(600))
    assert sorted(counts) == [2, 3, 4]
    assert all(150 < count < 250 for count in counts.values())


def test_half_of_atommems_groups_have_one_question_and_the_rest_two_to_ten() -> None:
    benchmark, generator = Lamps(documents=24, questions="atommem"), rng()
    counts = Counter(len(benchmark.draw(generator).questions) for _ in range(3600))
    assert sorted(counts) == list(range(1, 11))
    assert 1700 < counts[1] < 1900
    assert all(140 < counts[size] < 260 for size in range(2, 11))


@pytest.mark.parametrize("questions", [1, 3, (2, 5), "atommem"])
def test_every_drawn_id_is_resolved_to_the_same_sample(questions: Any) -> None:
    benchmark = Lamps(documents=24, questions=questions)
    for seed in range(30):
        sample = benchmark.draw(rng(seed))
        assert benchmark.sample(sample.id) == sample


@pytest.mark.parametrize("id", ["r99", "r01+r99", "", "r01+"])
def test_an_unknown_id_is_an_error(id: str) -> None:
    with pytest.raises(UnknownName, match="There is no sample"):
        Lamps(documents=5).sample(id)


def test_an_unknown_id_is_an_error_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="'r24'"):
        Lamps(documents=5).sample("r242")


def test_a_schedule_repeats_nothing_while_the_data_lasts() -> None:
    ids = Lamps(documents=5).schedule(rng(), 60)
    assert len(ids) == 60
    assert sorted(ids[:25]) == sorted(ids[25:50]) == [record.id for record in RECORDS]
    assert ids[:25] != ids[25:50] != sorted(ids[25:50])


@pytest.mark.parametrize("questions", [4, (2, 5), "atommem"])
def test_a_pass_of_groups_asks_nothing_twice(questions: Any) -> None:
    benchmark = Lamps(documents=24, questions=questions)
    for seed in range(20):
        groups = list(benchmark._groups(rng(seed)))
        members = [member for id in benchmark.schedule(rng(seed), len(groups)) for member in id.split("+")]
        assert len(members) == len(set(members)) >= 25 - 4


def test_a_schedule_follows_its_generator() -> None:
    benchmark = Lamps(documents=24, questions="atommem")
    assert benchmark.schedule(rng(1), 30) == benchmark.schedule(rng(1), 30) != benchmark.schedule(rng(2), 30)


def test_a_schedule_of_nothing_is_empty() -> None:
    assert Lamps(documents=5).schedule(rng(), 0) == []


def test_a_task_shows_as_many_documents_as_asked_and_all_that_are_needed() -> None:
    benchmark = Lamps(documents=20, chunk_tokens=50)
    text = shown(benchmark, RECORDS[3])
    assert text.count("Document ") == 20
    assert "Lamp 3 has shade-3." in text


def test_a_task_is_the_same_for_the_same_generator_and_another_for_another() -> None:
    benchmark = Lamps(documents=20)
    assert shown(benchmark, RECORDS[3], 1) == shown(benchmark, RECORDS[3], 1) != shown(benchmark, RECORDS[3], 2)


def test_the_corpus_fills_larger_haystacks() -> None:
    with pytest.raises(ValueError, match=r"26 different documents.*corpus="):
        Lamps(documents=40).task(RECORDS[0], rng())
    assert "Nothing about lamps" in shown(Lamps(documents=40, corpus="extra"), RECORDS[0])


def test_the_reward_reaches_the_task() -> None:
    assert Lamps(documents=5, reward="f1").task(RECORDS[0], rng()).state()["reward"] == "f1"


def test_token_windows_reach_the_task() -> None:
    chunks = Lamps(documents=20, chunk_tokens=50, overlap=10, cut="token").task(RECORDS[0], rng()).state()["chunks"]
    assert chunks[0][-20:] in chunks[1]


def test_questions_that_bring_too_many_documents_are_an_error_before_any_is_drawn() -> None:
    with pytest.raises(ValueError, match=r"bring 20 documents.*documents=12"):
        Lamps(documents=12, questions="atommem").draw(rng())


def test_more_questions_than_records_are_an_error() -> None:
    with pytest.raises(ValueError, match=r"needs 26 records; the data has 25"):
        Lamps(questions=26).draw(rng())


@pytest.mark.parametrize("questions", [0, -1, True, 1.5, (3, 2), (1, 2, 3), (), None, [0, 2]])
def test_an_impossible_number_of_questions_is_an_error_at_once(questions: Any) -> None:
    with pytest.raises(ValueError, match="questions="):
        Lamps(questions=questions)


@pytest.mark.parametrize(
    ("options", "nearest"),
    [
        ({"questions": "atomem"}, "'atommem'"),
        ({"reward": "em2"}, "'em'"),
        ({"tokenizer": "cl100"}, "'cl100k'"),
        ({"cut": "documents"}, "'document'"),
    ],
)
def test_an_unknown_choice_is_an_error_at_once_with_the_nearest(options: dict[str, Any], nearest: str) -> None:
    with pytest.raises(UnknownName, match=nearest):
        Lamps(**options)


@pytest.mark.parametrize(
    ("options", "named"),
    [({"documents": 0}, "documents=0"), ({"chunk_tokens": 0}, "size=0"), ({"overlap": 5}, "overlap=5")],
)
def test_an_option_out_of_range_is_an_error_at_once(options: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        Lamps(**options)


def test_a_description_is_json_with_every_option_and_a_checksum() -> None:
    described = Lamps(documents=7, questions=(1, 2), corpus="extra").describe()
    assert json.loads(json.dumps(described)) == described
    assert described["benchmark"] == "Lamps"
    assert (described["documents"], described["questions"], described["reward"]) == (7, [1, 2], "em")
    assert (described["records"], described["pool"]) == (25, 56)
    assert described["checksum"].startswith("sha256:")


def test_the_checksum_tells_data_apart() -> None:
    class Dimmed(Lamps):
        def records(self) -> Sequence[Sample]:
            return RECORDS[:20]

    sums = [made.describe()["checksum"] for made in (Lamps(), Lamps(documents=9), Lamps(corpus="extra"), Dimmed())]
    assert sums[0] == sums[1]
    assert len(set(sums)) == 3


def test_instances_over_the_same_records_share_one_copy() -> None:
    first, second = Lamps(documents=5), Lamps(documents=9, questions=2)
    assert first._stock is second._stock


def test_nothing_is_read_before_the_first_use() -> None:
    class Locked(LongContextQA):
        name: ClassVar[str] = "Locked"

        def records(self) -> Sequence[Sample]:
            raise FileNotFoundError("no data here")

    benchmark = Locked()
    with pytest.raises(FileNotFoundError):
        benchmark.draw(rng())


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_copy_leaves_the_data_behind_and_plays_the_same(copied: Any) -> None:
    benchmark = Lamps(documents=20)
    before = shown(benchmark, RECORDS[0])
    twin = copied(benchmark)
    assert len(pickle.dumps(benchmark)) < 1000
    assert shown(twin, RECORDS[0]) == before


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ((), "at least one record"),
        ((Sample("a", ()),), "'a' has 0 questions"),
        ((Sample("a+b", (Question("?", ("x",)),)),), "'a\\+b'"),
        ((Sample("a", (Question("?", ("x",)),)),) * 2, "'a' stands for 2 records"),
    ],
)
def test_records_that_cannot_be_played_are_an_error(records: tuple[Sample, ...], said: str) -> None:
    class Broken(Lamps):
        def records(self) -> Sequence[Sample]:
            return records

    with pytest.raises(ValueError, match=said):
        Broken().draw(rng())
