"""MuSiQue: paragraphs known by number, aliases accepted, unanswerable twins left out and counted."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from memgym.envs.formats import BrokenData
from memgym.envs.musique import MuSiQue
from memgym.task import Sample

RECORD: dict[str, Any] = {
    "id": "2hop__11_12",
    "paragraphs": [
        {"idx": 0, "title": "Tolm", "paragraph_text": "Tolm is a port.", "is_supporting": False},
        {"idx": 1, "title": "Tolm", "paragraph_text": "Tolm lies on the Ilm.", "is_supporting": True},
        {"idx": 2, "title": "Kelmo", "paragraph_text": "Kelmo was founded in Tolm.", "is_supporting": True},
    ],
    "question": "On which river lies the town where Kelmo was founded?",
    "question_decomposition": [
        {"id": 11, "question": "Kelmo >> founded in", "answer": "Tolm", "paragraph_support_idx": 2},
        {"id": 12, "question": "On which river lies #1?", "answer": "Ilm", "paragraph_support_idx": 1},
    ],
    "answer": "Ilm",
    "answer_aliases": ["the Ilm", "Ilm", "อิล์ม"],
    "answerable": True,
}


def changed(**parts: Any) -> dict[str, Any]:
    return {**deepcopy(RECORD), **parts}


def twin() -> dict[str, Any]:
    """The unanswerable twin of the record: the same id, one supporting paragraph taken out."""
    record = changed(answerable=False)
    record["paragraphs"] = [{**part, "is_supporting": False} for part in record["paragraphs"][:2]]
    record["question_decomposition"][0]["paragraph_support_idx"] = None
    return record


def load(folder: Path, *records: dict[str, Any], **options: Any) -> MuSiQue:
    path = folder / "musique_ans_v1.0_dev.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return MuSiQue(data=str(path), **options)


def only(benchmark: MuSiQue) -> Sample:
    (sample,) = benchmark.records()
    return sample


def test_paragraphs_of_one_title_stay_apart(tmp_path: Path) -> None:
    documents = only(load(tmp_path, RECORD)).documents
    assert [document.text for document in documents if document.title == "Tolm"] == [
        "Tolm is a port.",
        "Tolm lies on the Ilm.",
    ]


def test_the_answer_and_its_aliases_are_accepted_each_once(tmp_path: Path) -> None:
    assert only(load(tmp_path, RECORD)).questions[0].answers == ("Ilm", "the Ilm", "อิล์ม")


def test_evidence_is_the_supporting_paragraphs_in_the_order_of_the_hops(tmp_path: Path) -> None:
    (question,) = only(load(tmp_path, RECORD)).questions
    assert question.evidence == ("Kelmo was founded in Tolm.", "Tolm lies on the Ilm.")


def test_the_decomposition_gives_the_facts_and_the_id_the_category(tmp_path: Path) -> None:
    (question,) = only(load(tmp_path, RECORD)).questions
    assert question.facts == (("Kelmo >> founded in", "Tolm"), ("On which river lies #1?", "Ilm"))
    assert question.category == "2hop"


def test_columns_inside_a_record_give_the_same_sample(tmp_path: Path) -> None:
    parts = {
        name: {key: [item[key] for item in RECORD[name]] for key in RECORD[name][0]}
        for name in ("paragraphs", "question_decomposition")
    }
    assert only(load(tmp_path, changed(**parts))) == only(load(tmp_path, RECORD))


def test_unanswerable_twins_are_dropped_and_counted(tmp_path: Path) -> None:
    benchmark = load(tmp_path, RECORD, twin())
    assert only(benchmark).id == "2hop__11_12"
    assert benchmark.describe()["notes"] == {"unanswerable_dropped": 1}


@pytest.mark.parametrize(
    ("record", "why"),
    [
        (changed(paragraphs=None), "has no 'paragraphs'.*stripped"),
        (changed(paragraphs=[]), "'paragraphs' is empty"),
        (changed(paragraphs=[{"idx": 0, "title": "A", "is_supporting": True}]), "'paragraphs' has no 'paragraph_text'"),
        (changed(paragraphs=[RECORD["paragraphs"][1]] * 2), "two paragraphs have the same 'idx'"),
        (changed(paragraphs=RECORD["paragraphs"][:2]), "the hop's paragraph 2 is not among its paragraphs"),
        (changed(paragraphs=RECORD["paragraphs"][:1], question_decomposition=[]), "no paragraph supports it"),
        (changed(answer_aliases=[1]), "'answer_aliases' must be texts"),
        (changed(answer=None), "the test split of MuSiQue is published without answers"),
    ],
)
def test_a_broken_record_is_an_error_that_names_it(tmp_path: Path, record: dict[str, Any], why: str) -> None:
    with pytest.raises(BrokenData, match=rf"(?s)record 1 \(line 2\).*{why}"):
        load(tmp_path, changed(id="2hop__1_2"), record).records()


@pytest.mark.parametrize(
    ("name", "records", "paragraphs"),
    [("musique_ans_v1.0_dev_sample.jsonl", 117, 1957), ("musique_ans_v1.0_train_sample.jsonl", 55, 1053)],
)
def test_the_real_file_gives_every_record_and_paragraph(
    shared_data: Path, name: str, records: int, paragraphs: int
) -> None:
    samples = MuSiQue(data=str(shared_data / "musique" / name)).records()
    assert len(samples) == records
    assert {len(sample.documents) for sample in samples} == {20}
    assert len({document for sample in samples for document in sample.documents}) == paragraphs


@pytest.mark.parametrize("split", ["validation", "train"])
def test_every_evidence_of_the_real_file_stands_in_a_document_of_its_sample(shared_data: Path, split: str) -> None:
    for sample in MuSiQue(data=str(shared_data), split=split).records():
        texts = [document.render() for document in sample.documents]
        (question,) = sample.questions
        assert len(question.evidence) == len(question.facts) == int(question.category[0])
        assert all(any(piece in text for text in texts) for piece in question.evidence)
