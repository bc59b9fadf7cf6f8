"""HotpotQA in its two layouts gives the same samples, with evidence that stands in its documents."""

from __future__ import annotations

import json
from copy import deepcopy
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from memgym.envs.files import DataNotFound
from memgym.envs.formats import BrokenData
from memgym.envs.hotpotqa import HotpotQA
from memgym.task import Document, Sample

ORIGINAL: dict[str, Any] = {
    "_id": "q1",
    "question": "In which river does the town of the Lindmill lie?",
    "answer": "the Orra",
    "type": "bridge",
    "level": "hard",
    "context": [
        ["Lindmill", ["The Lindmill is a mill.", " It stands in Vasttal.", " "]],
        ["Vasttal", ["Vasttal is a town on the Orra.", " ประชากร 家 🏠 \ud800."]],
        ["Ostberg", ["Ostberg is a hill."]],
    ],
    "supporting_facts": [["Lindmill", 1], ["Vasttal", 0], ["Vasttal", 0]],
}
needs_parquet = pytest.mark.skipif(find_spec("pyarrow") is None, reason='parquet needs pip install "memgym[data]"')
REAL = [
    ("hotpot_dev_distractor_sample.json", 109, 1088),
    ("hotpot_train_sample.json", 65, 644),
    ("hf_validation_distractor_sample.jsonl", 62, 620),
    pytest.param("hf_validation_distractor_sample.parquet", 62, 620, marks=needs_parquet),
    ("hf_layout_no_id_named_like_original.json", 63, 622),
]


def columns(record: dict[str, Any], id: str | None = "id") -> dict[str, Any]:
    """The same record as a row of the hub."""
    row = deepcopy(record)
    own = row.pop("_id")
    row["context"] = {"title": [t for t, _ in row["context"]], "sentences": [s for _, s in row["context"]]}
    row["supporting_facts"] = {
        "title": [t for t, _ in record["supporting_facts"]],
        "sent_id": [n for _, n in record["supporting_facts"]],
    }
    return {**({id: own} if id else {}), **row}


def load(folder: Path, *records: dict[str, Any], **options: Any) -> list[Sample]:
    path = folder / "hotpot_dev_distractor_v1.json"
    path.write_text(json.dumps(records), "utf-8")
    return list(HotpotQA(data=str(path), **options).records())


def changed(**parts: Any) -> dict[str, Any]:
    return {**deepcopy(ORIGINAL), **parts}


def test_a_record_becomes_one_question_with_its_own_documents(tmp_path: Path) -> None:
    (sample,) = load(tmp_path, ORIGINAL)
    (question,) = sample.questions
    assert (sample.id, question.id, question.text) == ("q1", "q1", ORIGINAL["question"])
    assert question.answers == ("the Orra",)
    assert question.category == "bridge/hard"
    assert len(sample.documents) == 3


def test_sentences_are_joined_with_nothing_between_them(tmp_path: Path) -> None:
    (sample,) = load(tmp_path, ORIGINAL)
    assert sample.documents[0] == Document("Lindmill", "The Lindmill is a mill. It stands in Vasttal. ")


def test_evidence_is_the_supporting_sentences_each_once_and_without_outer_blanks(tmp_path: Path) -> None:
    (sample,) = load(tmp_path, ORIGINAL)
    assert sample.questions[0].evidence == ("It stands in Vasttal.", "Vasttal is a town on the Orra.")


def test_the_layout_of_the_hub_gives_the_same_sample(tmp_path: Path) -> None:
    assert load(tmp_path, columns(ORIGINAL)) == load(tmp_path, ORIGINAL)


def test_a_copy_without_ids_gets_stable_ids_from_its_content(tmp_path: Path) -> None:
    first, second = load(tmp_path, columns(ORIGINAL, None), changed(_id=None, answer="the Ilm"))
    (alone,) = load(tmp_path, changed(_id=None))
    assert first.id.startswith("content-")
    assert first.id == alone.id != second.id
    assert first.questions[0].id == first.id


def test_a_sentence_number_past_the_end_is_left_out_and_counted(tmp_path: Path) -> None:
    load(tmp_path, changed(supporting_facts=[["Lindmill", 9], ["Vasttal", 0]]))
    benchmark = HotpotQA(data=str(tmp_path))
    assert benchmark.records()[0].questions[0].evidence == ("Vasttal is a town on the Orra.",)
    assert benchmark.describe()["notes"] == {"facts_without_sentence": 1}


def test_the_description_identifies_the_file_and_holds_no_folder(tmp_path: Path) -> None:
    load(tmp_path, ORIGINAL)
    told = HotpotQA(data=str(tmp_path)).describe()
    assert told["split"] == "validation"
    assert told["records"] == 1
    assert told["data"]["files"][0]["name"] == "hotpot_dev_distractor_v1.json"
    assert len(told["data"]["files"][0]["sha256"]) == 64


@pytest.mark.parametrize(
    ("record", "why"),
    [
        (
            {"question": "Who?", "answer": "A"},
            r"\(line 1\) has no 'context' \(it has: question, answer\).*stripped",
        ),
        (changed(question=""), "'question' must be a text, found ''"),
        (changed(question=None), "has no 'question'"),
        (changed(answer=7), "'answer' must be a text, found 7"),
        (changed(answer=None), "the test split of HotpotQA is published without answers"),
        (changed(context=[]), "'context' is empty"),
        (changed(context=[["Lindmill", "no list"]]), "not a title with a list of sentences"),
        (changed(context=[["Lindmill"]]), r"where \(title, sentences\) was expected"),
        (changed(context=7), "'context' must be a list or columns, found int"),
        (changed(context={"title": ["A"], "sentences": []}), "different lengths"),
        (changed(context={"title": ["A"]}), "'context' has no 'sentences'"),
        (changed(context="[broken"), "'context' is text that is not JSON"),
        (changed(supporting_facts=[["Lindmill", "1"]]), "has no sentence number, but '1'"),
        (changed(supporting_facts=[["Elsewhere", 0]]), "fullwiki"),
        (changed(evidences=[["a", "b", "c"]]), "this is 2WikiMultihopQA"),
    ],
)
def test_a_broken_record_is_an_error_that_names_it(tmp_path: Path, record: dict[str, Any], why: str) -> None:
    with pytest.raises(BrokenData, match=rf"(?s)^hotpot_dev_distractor_v1.json, record 0.*{why}"):
        load(tmp_path, record)


def test_two_records_of_one_id_are_broken(tmp_path: Path) -> None:
    with pytest.raises(BrokenData, match=r"record 1 \(line 1\) has the id 'q1' of an earlier record"):
        load(tmp_path, ORIGINAL, changed(question="Another?"))


def test_a_missing_corpus_is_no_data(tmp_path: Path) -> None:
    with pytest.raises(DataNotFound, match="corpus="):
        load(tmp_path, ORIGINAL, corpus=str(tmp_path / "absent.json"))


def test_a_corpus_beside_the_data_gives_distractors_joined_like_the_benchmark(tmp_path: Path) -> None:
    load(tmp_path, ORIGINAL)
    (tmp_path / "hotpotqa_corpus.json").write_text(
        json.dumps({"Birk": ["Birk is a lake.", " It is deep."], "Orra": ["A river."]})
    )
    benchmark = HotpotQA(data=str(tmp_path))
    assert benchmark.distractors() == (Document("Birk", "Birk is a lake. It is deep."), Document("Orra", "A river."))
    assert benchmark.describe()["corpus"][0]["passages"] == 2


def test_one_data_set_is_read_once_for_all_environments_that_use_it(tmp_path: Path) -> None:
    load(tmp_path, ORIGINAL)
    first, second = HotpotQA(data=str(tmp_path)), HotpotQA(data=str(tmp_path))
    assert first.records() is second.records()


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    load(tmp_path, ORIGINAL)
    kept = HotpotQA(data=str(tmp_path))
    assert len(kept.records()) == 1
    assert len(load(tmp_path, ORIGINAL, changed(_id="q2"))) == 2


@pytest.mark.parametrize(("name", "records", "paragraphs"), REAL)
def test_the_real_file_gives_every_record_and_paragraph(
    shared_data: Path, name: str, records: int, paragraphs: int
) -> None:
    samples = HotpotQA(data=str(shared_data / "hotpotqa" / name)).records()
    assert len(samples) == records
    assert len({document for sample in samples for document in sample.documents}) == paragraphs


@pytest.mark.parametrize(("name", "records", "paragraphs"), REAL)
def test_every_evidence_of_the_real_file_stands_in_a_document_of_its_sample(
    shared_data: Path, name: str, records: int, paragraphs: int
) -> None:
    for sample in HotpotQA(data=str(shared_data / "hotpotqa" / name)).records():
        texts = [document.render() for document in sample.documents]
        assert len(sample.questions[0].evidence) >= 2
        assert all(any(piece in text for text in texts) for piece in sample.questions[0].evidence)


@needs_parquet
def test_the_real_parquet_and_json_lines_give_the_same_samples(shared_data: Path) -> None:
    first, second = (
        HotpotQA(data=str(shared_data / "hotpotqa" / f"hf_validation_distractor_sample.{end}")).records()
        for end in ("jsonl", "parquet")
    )
    assert tuple(first) == tuple(second)
