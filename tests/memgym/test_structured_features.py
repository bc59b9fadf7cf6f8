"""The features of a decision: what each number says, and that no text is beyond them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgym.memory.entry import Entry, Write
from memgym.structured import FEATURES, SLOT_FEATURES, Features, lexicon_of

LEXICON = ("employs", "hosts")
QUESTION = "Which city hosts the house that employs Mia Solen?"
texts = st.text(max_size=60) | st.sampled_from(
    ["", "東京に住む。", "เขาทำงาน", "🦊 \ud800 \x00", "a" * 100_000, "employs", QUESTION]
)


def numbers(
    sentence: str, *entries: str, slots: int = 3, at: int = 1, count: int = 4, read: int = 5
) -> dict[str, float]:
    features = Features(slots, LEXICON)
    vector = features.of(sentence, QUESTION, entries, at=at, count=count, read=read)
    return dict(zip(features.labels, vector.tolist(), strict=True))


def test_every_number_has_a_label_of_its_own() -> None:
    labels = Features(3, LEXICON).labels
    assert len(set(labels)) == len(labels) == len(FEATURES) + 2 + 3 * len(SLOT_FEATURES)


def test_the_place_of_a_sentence_is_told() -> None:
    said = numbers("Mia rests.", at=3, count=4, read=12)
    assert (said["place"], said["last"], said["read"]) == (0.75, 1.0, 0.5)


def test_names_that_sentence_and_question_share_are_a_share_of_the_questions() -> None:
    assert numbers("Mia Solen rests.")["asked"] == pytest.approx(2 / 4)
    assert numbers("Ada Lind rests.")["asked"] == 0.0


def test_words_of_the_lexicon_are_no_names() -> None:
    said = numbers("Vox employs Ada.")
    assert (said["word employs"], said["word hosts"], said["names"]) == (1.0, 0.0, 0.25)


def test_another_form_of_a_word_counts_as_the_word() -> None:
    assert numbers("Vox is employing Ada.")["word employs"] == 1.0


def test_a_slot_tells_what_its_entry_shares_with_sentence_and_question() -> None:
    said = numbers("Mia Solen goes to Vox.", "Rook employs Mia Solen.", "Vox hosts Ada.")
    assert said["slot 0 used"] == said["slot 1 used"] == 1.0
    assert said["slot 0 shared"] == pytest.approx(2 / 4)
    assert said["slot 1 shared"] == pytest.approx(1 / 4)
    assert said["slot 0 asked"] == pytest.approx(2 / 4)
    assert said["known"] == pytest.approx(3 / 4)


def test_an_entry_of_the_same_subject_opens_with_the_same_word() -> None:
    said = numbers("Mia left Vox.", "Mia joined Rook.", "Rook employs Mia.")
    assert (said["slot 0 same opening"], said["slot 1 same opening"]) == (1.0, 0.0)


def test_lexicon_words_of_both_are_alike() -> None:
    said = numbers("Vox employs Ada.", "Rook employs Mia.", "Rook hosts Mia.", "Rook rests.")
    assert [said[f"slot {slot} alike"] for slot in range(3)] == [1.0, 0.0, 0.0]


def test_a_free_slot_is_all_zero() -> None:
    said = numbers("Mia rests.", "Mia rests.")
    assert [said[f"slot {slot} {name}"] for slot in (1, 2) for name in SLOT_FEATURES] == [0.0] * 10
    assert (said["used"], said["full"], said["held"]) == (pytest.approx(1 / 3), 0.0, 1.0)


def test_the_nearest_entry_comes_first_and_of_two_alike_the_older() -> None:
    made = Write("e", 1, "create", 1)
    written = ["Vox employs Ada.", "Rook hosts Mia.", "Rook employs Mia Solen.", "Mia rests."]
    entries = [Entry(f"m{at}", text, "main", made, made) for at, text in enumerate(written, 1)]
    found = Features(4, LEXICON).nearest("Mia Solen goes to Ostbarrow.", entries)
    assert [entry.id for entry in found] == ["m3", "m2", "m4", "m1"]


@given(sentence=texts, entries=st.lists(texts, max_size=5))
def test_any_text_gives_numbers_between_0_and_1(sentence: str, entries: list[str]) -> None:
    vector = Features(3, LEXICON).of(sentence, QUESTION, entries, at=0, count=1, read=0)
    assert vector.dtype == np.float32
    assert bool(((vector >= 0) & (vector <= 1)).all())


def test_the_lexicon_has_the_words_that_most_texts_have_and_not_the_names() -> None:
    texts = [f"Name{number} employs Other{number}." for number in range(20)] + ["Hosts.", "Host!"]
    assert lexicon_of(texts, 2) == ("employs", "host")


def test_the_lexicon_depends_on_the_texts_alone() -> None:
    texts = ["b a c", "c b", "a d", "東京に住む", "\ud800 é"]
    assert lexicon_of(texts, 5) == lexicon_of(texts[::-1], 5)


def test_every_word_of_a_lexicon_can_be_looked_for() -> None:
    words = lexicon_of(["don't stop-gap over. «Ça» 東京に住む naïve 3.5", "The U.N. said so"], 50)
    features = Features(1, words)
    assert len(features.lexicon) == len(words)


def test_a_word_that_cannot_be_looked_for_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="'the' is no word"):
        Features(1, ("the",))


@pytest.mark.parametrize(
    ("header", "meanings"), [("feature of the sentence", FEATURES), ("feature of each slot", SLOT_FEATURES)]
)
def test_every_feature_is_in_its_table_with_its_meaning(header: str, meanings: dict[str, str]) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "structured.md").read_text("utf-8")
    [found] = re.findall(rf"^\| {header} \| meaning \|\n\|[-|]+\n((?:\|[^\n]*\n)+)", page, re.M)
    said = dict(re.findall(r"^\| `([^`]+)` \| (.*) \|$", found, re.M))
    assert {name: said.get(name) for name in meanings} == meanings
