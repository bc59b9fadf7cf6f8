"""2WikiMultihopQA: sentences joined with a blank, triples as facts, known faults counted, stripped copies refused."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from memgym.envs.formats import BrokenData
from memgym.envs.twowiki import TwoWikiMultihopQA
from memgym.task import Document, Sample

RECORD: dict[str, Any] = {
    "_id": "w1",
    "type": "compositional",
    "question": "Where was the founder of Kelmo born?",
    "context": [
        ["Kelmo", ["Kelmo is a firm.", "It was founded by Ada Rusk."]],
        ["Ada Rusk", ["Ada Rusk was born in Tolm."]],
        ["Ada Rusk", ["Ada Rusk was born in Tolm."]],
    ],
    "entity_ids": "Q1_Q2",
    "supporting_facts": [["Kelmo", 1], ["Ada Rusk", 0]],
    "evidences": [["Kelmo", "founder", "Ada Rusk"], ["Ada Rusk", "place of birth", "Tolm"]],
    "answer": "Tolm",
    "evidences_id": [],
    "answer_id": None,
}


def load(folder: Path, **parts: Any) -> TwoWikiMultihopQA:
    path = folder / "dev.json"
    path.write_text(json.dumps([{**deepcopy(RECORD), **parts}]), "utf-8")
    return TwoWikiMultihopQA(data=str(path))


def only(benchmark: TwoWikiMultihopQA) -> Sample:
    (sample,) = benchmark.records()
    return sample


def test_sentences_are_joined_with_a_blank(tmp_path: Path) -> None:
    assert only(load(tmp_path)).documents[0] == Document("Kelmo", "Kelmo is a firm. It was founded by Ada Rusk.")


def test_a_paragraph_that_stands_twice_counts_once(tmp_path: Path) -> None:
    benchmark = load(tmp_path)
    assert len(only(benchmark).documents) == 2
    assert benchmark.describe()["notes"] == {"repeated_paragraphs": 1}


def test_the_triples_are_the_facts_and_the_type_is_the_category(tmp_path: Path) -> None:
    (question,) = only(load(tmp_path)).questions
    assert question.facts == (("Kelmo", "founder", "Ada Rusk"), ("Ada Rusk", "place of birth", "Tolm"))
    assert question.category == "compositional"


def test_missing_or_empty_triples_are_no_facts(tmp_path: Path) -> None:
    assert only(load(tmp_path, evidences=[])).questions[0].facts == ()
    assert only(load(tmp_path, evidences=None)).questions[0].facts == ()


@pytest.mark.parametrize(
    "parts",
    [
        {
            "context": {
                "title": ["Kelmo", "Ada Rusk"],
                "sentences": [RECORD["context"][0][1], RECORD["context"][1][1]],
            },
            "supporting_facts": {"title": ["Kelmo", "Ada Rusk"], "sent_id": [1, 0]},
        },
        {
            "context": {"title": ["Kelmo", "Ada Rusk"], "content": [RECORD["context"][0][1], RECORD["context"][1][1]]},
            "evidences": [
                {"fact": "Kelmo", "relation": "founder", "entity": "Ada Rusk"},
                {"fact": "Ada Rusk", "relation": "place of birth", "entity": "Tolm"},
            ],
        },
        {key: json.dumps(RECORD[key]) for key in ("context", "supporting_facts", "evidences")},
    ],
    ids=["columns", "content and fact", "JSON text in cells"],
)
def test_the_layouts_of_the_hub_copies_give_the_same_sample(tmp_path: Path, parts: dict[str, Any]) -> None:
    assert only(load(tmp_path, **parts)) == only(load(tmp_path))


def test_facts_past_the_end_are_left_out_and_counted(tmp_path: Path) -> None:
    benchmark = load(tmp_path, supporting_facts=[["Kelmo", 1], ["Ada Rusk", 4]])
    assert only(benchmark).questions[0].evidence == ("It was founded by Ada Rusk.",)
    assert benchmark.describe()["notes"]["facts_without_sentence"] == 1


def test_hotpotqa_is_not_taken_for_it(tmp_path: Path) -> None:
    record = {key: value for key, value in RECORD.items() if key != "evidences"}
    (tmp_path / "dev.json").write_text(json.dumps([{**record, "level": "hard"}]), "utf-8")
    with pytest.raises(BrokenData, match="this is HotpotQA"):
        TwoWikiMultihopQA(data=str(tmp_path)).records()


def test_the_answerless_test_split_is_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(BrokenData, match="the test split of 2WikiMultihopQA is published without answers"):
        load(tmp_path, answer="").records()


@pytest.mark.parametrize(
    ("name", "records", "paragraphs", "lost"), [("dev_sample.json", 103, 818, 0), ("train_sample.json", 314, 2043, 4)]
)
def test_the_real_file_gives_every_record_and_paragraph(
    shared_data: Path, name: str, records: int, paragraphs: int, lost: int
) -> None:
    benchmark = TwoWikiMultihopQA(data=str(shared_data / "2wikimultihopqa" / name))
    assert len(benchmark.records()) == records
    assert len({one for sample in benchmark.records() for one in sample.documents}) == paragraphs
    assert benchmark.describe()["notes"].get("facts_without_sentence", 0) == lost


@pytest.mark.parametrize("name", ["dev_sample.json", "train_sample.json"])
def test_every_evidence_of_the_real_file_stands_in_a_document_of_its_sample(shared_data: Path, name: str) -> None:
    for sample in TwoWikiMultihopQA(data=str(shared_data / "2wikimultihopqa" / name)).records():
        texts = [document.render() for document in sample.documents]
        (question,) = sample.questions
        assert question.evidence
        assert all(any(piece in text for text in texts) for piece in question.evidence)
        assert all(len(fact) == 3 for fact in question.facts)


def test_the_real_copy_without_contexts_is_refused(shared_data: Path) -> None:
    path = shared_data / "2wikimultihopqa" / "negative_records_without_context.json"
    with pytest.raises(
        BrokenData, match=r"negative_records_without_context.json, record 0 .* has no 'context'.*stripped"
    ):
        TwoWikiMultihopQA(data=str(path)).records()


def test_the_real_corpus_is_joined_as_the_real_paragraphs_are(shared_data: Path) -> None:
    corpus = shared_data / "distractor_corpora" / "2wikimultihopqa_corpus.json"
    benchmark = TwoWikiMultihopQA(data=str(shared_data), split="train", corpus=str(corpus))
    own = {document for sample in benchmark.records() for document in sample.documents}
    assert len(benchmark.distractors()) == 4000
    assert len(own & set(benchmark.distractors())) == 330
