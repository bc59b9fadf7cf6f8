"""The reply "keep" of the rules model: what a question may need is kept, and put in the place of what it replaces."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from memgym.envs.synthetic.rules import RulesModel
from memgym.model import Request

QUESTION = "In which city does the organisation that employs Mira Solen have its headquarters?"


def keep(fact: str, *memories: str, question: str = QUESTION) -> tuple[str, str]:
    inputs = {"question": question, "fact": fact, "memories": list(memories)}
    said: dict[str, Any] = json.loads(asyncio.run(RulesModel().chat(Request("keep", (), inputs))).text)
    return said["action"], said["id"]


def test_the_first_hop_is_kept_for_the_name_that_is_asked_about() -> None:
    assert keep("Vox Trust employs Mira Solen.") == ("add", "")
    assert keep("Vox Trust employs Ada Lind.") == ("none", "")


def test_a_later_hop_is_kept_for_every_name() -> None:
    assert keep("Rook Works runs its business from Ostbarrow.") == ("add", "")


def test_another_relation_of_the_name_is_not_kept() -> None:
    assert keep("Mira Solen has a home in Ostbarrow.") == ("none", "")


def test_what_was_said_before_of_the_same_subject_is_updated() -> None:
    held = ("[m1] Rook Works runs its business from Ostbarrow.", "[m2] Vox Trust employs Mira Solen.")
    assert keep("Mira Solen goes to work at Rook Works.", *held) == ("update", "m2")


def test_the_first_hop_may_be_asked_backwards() -> None:
    question = "Which novel did Mira Solen write?"
    assert keep("Mira Solen wrote The Oldberg Lantern.", question=question) == ("add", "")
    assert keep("Ada Lind wrote The Oldberg Lantern.", question=question) == ("none", "")


@pytest.mark.parametrize("question", ["", "Why?", "\ud800"])
def test_of_a_question_that_is_not_understood_nothing_is_kept(question: str) -> None:
    assert keep("Vox Trust employs Mira Solen.", question=question) == ("none", "")


def test_small_talk_is_not_kept() -> None:
    assert keep("Friends describe Mira Solen as quiet and good company.") == ("none", "")
