"""A corpus of passages is read in each of its published shapes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memgym.envs.distractors import read_corpus
from memgym.envs.formats import BrokenData
from memgym.task import Document

PASSAGES = (Document("Tolm", "Tolm is a port."), Document("Tolm", "Tolm is a song."), Document("家 🏠", "บ้าน"))


def read(folder: Path, content: Any, joiner: str = "") -> tuple[Document, ...]:
    path = folder / "corpus.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return read_corpus(path, joiner)


def test_a_list_of_passages_keeps_those_of_one_title_and_drops_an_exact_repetition(tmp_path: Path) -> None:
    items = [{"title": one.title, "text": one.text} for one in PASSAGES]
    assert read(tmp_path, items + items[:1]) == PASSAGES


def test_json_lines_and_columns_give_the_same_passages(tmp_path: Path) -> None:
    items = [{"title": one.title, "text": one.text} for one in PASSAGES]
    assert read(tmp_path, "\n".join(map(json.dumps, items))) == PASSAGES
    assert read(tmp_path, {key: [item[key] for item in items] for key in ("title", "text")}) == PASSAGES


def test_titles_with_sentences_are_joined_as_the_benchmark_joins(tmp_path: Path) -> None:
    assert read(tmp_path, {"Tolm": ["A port.", "A song."]}, " ") == (Document("Tolm", "A port. A song."),)
    assert read(tmp_path, {"Tolm": ["A port.", " A song."]}, "") == (Document("Tolm", "A port. A song."),)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ([{"title": "Tolm"}], "record 0 .* is no passage: it has no 'text' .it has: title"),
        ([{"title": "Tolm", "text": " "}], "record 0 .*a passage is a title with a text"),
        ({"Tolm": ["A port."], "Ilm": 7}, r"corpus.json, passage 1: .*found 'Ilm' with 7"),
        ("[", "cut off|expected a JSON object"),
    ],
)
def test_a_broken_passage_is_an_error_that_names_it(tmp_path: Path, content: Any, why: str) -> None:
    with pytest.raises(BrokenData, match=why):
        read(tmp_path, content)


@pytest.mark.parametrize(
    ("name", "passages", "titles"),
    [
        ("2wikimultihopqa_corpus.json", 4000, 4000),
        ("hotpotqa_train_corpus.json", 994, 994),
        ("musique_train_corpus.json", 1890, 1764),
    ],
)
def test_the_real_corpora_are_read_whole(shared_data: Path, name: str, passages: int, titles: int) -> None:
    found = read_corpus(shared_data / "distractor_corpora" / name, "")
    assert (len(found), len({one.title for one in found})) == (passages, titles)
