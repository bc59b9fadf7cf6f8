"""The reader of the conversation world: it understands what is written there, and nothing else."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgym.envs.dialogue import SyntheticDialogue
from memgym.envs.dialogue.asking import Query, parse, phrase
from memgym.envs.dialogue.days import FARTHEST, full, plain, read_date, resolve
from memgym.envs.dialogue.days import phrase as say
from memgym.envs.dialogue.notes import take_notes
from memgym.envs.dialogue.questions import CATEGORIES, UNANSWERABLE, Asker
from memgym.envs.dialogue.reader import answer, is_conversation, read
from memgym.envs.dialogue.world import build
from memgym.envs.synthetic.dice import Dice
from memgym.envs.synthetic.names import Namer

TALK = """\
Session 1 (Tuesday, 9 May 2023) with Ana Bel, Zoë Kor:
Ana Bel: Hello! I live in Tolm. It feels good.
Zoë Kor: I visited Tolm last Tuesday.
Ana Bel: My sister is called 林·青. On 1 May 2023 I met Zoë Kor.

Session 2 (Monday, 22 May 2023) with Ana Bel, Zoë Kor:
Ana Bel: I have moved to Port Kest.
Ana Bel: 林·青 plays the oboe. What do you say?"""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Where does Ana Bel live?", "Port Kest"),
        ("Where did Ana Bel live before Port Kest?", "Tolm"),
        ("When did Zoë Kor visit Tolm?", "2 May 2023"),
        ("On which day did Ana Bel meet Zoë Kor?", "1 May 2023"),
        ("Who is Ana Bel's sister?", "林·青"),
        ("Which instrument does the sister of Ana Bel play?", "oboe"),
        ("What does Ana Bel's sister play?", "oboe"),
        ("When did Ana Bel visit Tolm?", "unknown"),
        ("Where does Zoë Kor live?", "unknown"),
        ("Where did Ana Bel live before Tolm?", "unknown"),
        ("What is the meaning of life?", "unknown"),
        ("", "unknown"),
    ],
)
def test_a_question_is_answered_from_what_was_said(question: str, said: str) -> None:
    assert answer(question, TALK) == said


def test_the_order_of_entries_does_not_matter_since_they_are_dated() -> None:
    first, second = TALK.split("\n\n")
    assert answer("Where does Ana Bel live?", f"{second}\n\n{first}") == "Port Kest"


def test_a_turn_without_its_date_does_not_tell_when() -> None:
    assert answer("When did Zoë Kor visit Tolm?", "Zoë Kor: I visited Tolm last Tuesday.") == "unknown"


def test_notes_keep_date_and_speaker_and_can_be_read_again() -> None:
    notes = take_notes([], "", TALK, 1000, len)
    assert "(9 May 2023) Zoë Kor: I visited Tolm last Tuesday." in notes
    assert [one.told for one in read(notes)] == [one.told for one in read(TALK)]
    assert take_notes([], notes, "", 1000, len) == notes


def test_notes_stay_within_the_limit_and_keep_what_is_newest() -> None:
    notes = take_notes([], "", TALK, 60, len)
    assert len(notes) <= 60
    assert "Port Kest" in notes or "oboe" in notes
    assert "Zoë Kor: I visited" in take_notes(["When did Zoë Kor visit Tolm?"], "", TALK, 60, len)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (TALK, True),
        ("(9 May 2023) Ana: I live in Tolm.", True),
        ("Document 1:\nAna lives in Tolm.", False),
        ("", False),
    ],
)
def test_a_conversation_is_told_from_other_texts(text: str, found: bool) -> None:
    assert is_conversation(text) is found


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_is_read(text: str) -> None:
    assert list(read(text)) == []
    assert answer(text, text) == "unknown"


@pytest.mark.parametrize(
    "text", ["Ana: " + "I visited " * 20000, "a: " * 50000, "Session 1 (" * 20000, "\ud800\x00: I live in \ud800."]
)
def test_long_and_odd_texts_are_read_quickly(text: str) -> None:
    assert len(list(read(text))) <= 1


@given(st.dates(date(2000, 1, 1), date(2090, 1, 1)), st.integers(0, FARTHEST), st.integers(0, 2**32 - 1))
def test_a_day_that_is_said_is_understood(now: date, ago: int, seed: int) -> None:
    day = now - timedelta(days=ago)
    assert resolve(say(day, now, Dice(np.random.default_rng(seed))), now) == day
    assert read_date(full(day)) == read_date(plain(day)) == day


def test_a_day_that_does_not_exist_is_none() -> None:
    assert read_date("31 February 2023") is None
    assert resolve("yesterday", None) is None


def queries(seed: int) -> list[Query]:
    dice = Dice(np.random.default_rng(seed))
    world = build(dice, Namer(dice, "train", 0.8, ("latin", "han", "thai")), 3, 8, 18, 0.8)
    asked = Asker(dice, world, CATEGORIES).ask([8] * 20, 5)
    assert asked is not None
    assert sum(one.category == UNANSWERABLE for one in asked) == 5
    return [one.query for one in asked]


@pytest.mark.parametrize("seed", range(10))
def test_every_question_can_be_read_back(seed: int) -> None:
    dice = Dice(np.random.default_rng(seed))
    for query in queries(seed):
        assert parse(phrase(query, dice)) == query


def test_small_talk_tells_nothing() -> None:
    sample = SyntheticDialogue(sessions=20).sample("validation-0000003")
    turns = {line for session in sample.data["sessions"] for line in session.lines()}
    telling = {one.sentence for document in sample.documents for one in read(document.render())}
    silent = [turn for turn in turns if not any(sentence in turn for sentence in telling)]
    assert len(silent) > 50
    assert list(read("\n".join(silent))) == []
