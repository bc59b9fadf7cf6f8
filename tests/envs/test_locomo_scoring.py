"""The official scorer of LoCoMo on a table of answers made by hand, the A-Mem variant, and abstention by phrases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgym.envs.abstention import abstention
from memgym.envs.locomo_scoring import (
    a_mem_f1,
    locomo_adversarial,
    locomo_f1,
    locomo_multi_hop,
    locomo_open_domain,
    stems,
)

RULES = {1: locomo_multi_hop, 2: locomo_f1, 3: locomo_open_domain, 4: locomo_f1, 5: locomo_adversarial}
NOT_SAID = "not mentioned"
TABLE = [
    # category, key, answer, score
    (1, "pottery, camping", "pottery, camping", 1.0),
    (1, "pottery, camping", "camping, pottery", 1.0),
    (1, "pottery, camping", "pottery", 0.5),
    (1, "pottery, camping", "pottery and camping", 2 / 3),  # one part of two words, against each
    (1, "pottery, camping", "swimming", 0.0),
    (1, "pottery, camping", "", 0.0),
    (1, "Sweden", "Sweden, Norway", 1.0),  # parts too many cost nothing
    (1, "beach, mountains, forest", "the forests", 1 / 3),
    (1, "2", "2", 1.0),
    (1, "Zoë's café, 東京", "東京", 0.5),
    (2, "7 May 2023", "7 May 2023", 1.0),
    (2, "7 May 2023", "May 7, 2023", 1.0),  # the order of words does not count, commas are dropped
    (2, "7 May 2023", "8 May 2023", 2 / 3),
    (2, "2022", "2022", 1.0),
    (2, "2022", "in 2022", 2 / 3),
    (2, "The week before 9 June 2023", "a week before 9 June 2023", 1.0),
    (2, "June 2023", "unknown", 0.0),
    (3, "Likely no; since this one went badly", "Likely no", 1.0),
    (3, "Likely no; since this one went badly", "since this one went badly", 0.0),
    (3, "Likely no; since this one went badly", "likely no since", 0.8),
    (3, "Yes", "yes.", 1.0),
    (3, "Liberal", "liberals", 1.0),
    (3, "; odd", "odd", 0.0),
    (4, "self-care is important", "Self care is important", 4 / 7),  # a hyphen is deleted, not blanked
    (4, "mental health", "Mental-health", 0.0),
    (4, "painting", "She paints", 2 / 3),
    (4, "a cup and the bowl", "cup bowl", 1.0),
    (4, "dog dog cat", "dog cat", 0.8),  # bags, not sets
    (4, "1,000 dollars", "1000 dollars", 1.0),
    (4, "café", "cafe", 0.0),  # accents count
    (4, "café ☕", "Café ☕", 1.0),
    (4, "北京", "北京", 1.0),
    (4, "北京", "东京", 0.0),
    (4, "the", "the", 0.0),  # nothing is left of the key
    (4, "", "", 0.0),
    (4, "3", "three", 0.0),
    (4, "running", "She runs", 2 / 3),
    (5, NOT_SAID, "Not mentioned in the conversation", 1.0),
    (5, NOT_SAID, "There is NO INFORMATION AVAILABLE.", 1.0),
    (5, NOT_SAID, "unknown", 0.0),
    (5, NOT_SAID, "not  mentioned", 0.0),  # two blanks
    (5, NOT_SAID, "I do not know", 0.0),
    (5, NOT_SAID, "self-care is important", 0.0),
    (5, NOT_SAID, "", 0.0),
]


@pytest.mark.parametrize(("category", "key", "said", "score"), TABLE)
def test_the_official_scorer(category: int, key: str, said: str, score: float) -> None:
    assert RULES[category](said, (key,)) == pytest.approx(score)


def test_the_best_of_several_keys_counts_and_no_key_scores_zero() -> None:
    assert locomo_f1("b", ("a x", "b")) == 1.0
    assert locomo_f1("b", ()) == 0.0


@pytest.mark.parametrize("word", ["\ud800", "\x00", "字" * 9000, "a\u0301"])
def test_any_text_has_stems(word: str) -> None:
    assert len(stems(word)) == 1


@given(st.text(st.characters(exclude_categories=())), st.text(st.characters(exclude_categories=())))
def test_every_rule_is_total_and_bounded(said: str, key: str) -> None:
    assert all(0.0 <= rule(said, (key,)) <= 1.0 for rule in (*RULES.values(), a_mem_f1, abstention))


@pytest.mark.parametrize(
    ("key", "said", "score"),
    [
        ("dog dog cat", "dog cat", 1.0),  # sets
        ("the dog", "dog", 2 / 3),  # articles count
        ("painting", "paintings", 0.0),  # nothing is stemmed
        ("Yes, they do!", "yes they do", 1.0),
        ("self-care is important", "not mentioned", 0.0),  # the wrong answer is the reference
        ("self-care is important", "self-care is important", 1.0),
    ],
)
def test_the_scorer_of_a_mem(key: str, said: str, score: float) -> None:
    assert a_mem_f1(said, (key,)) == pytest.approx(score)


@pytest.mark.parametrize(
    "said",
    ["not mentioned", "Unknown.", "I don’t know", "The information provided is not enough. You mentioned a fence.",
     "You did not mention this information.", "She never\nmentioned it, so it cannot be determined"],
)  # fmt: skip
def test_an_abstention_is_seen(said: str) -> None:
    assert abstention(said, ()) == 1.0


@pytest.mark.parametrize("said", ["", "7 May", "unknown soldier", "She knows", "He mentioned it", "no"])
def test_an_answer_is_no_abstention(said: str) -> None:
    assert abstention(said, ("7 May",)) == 0.0
