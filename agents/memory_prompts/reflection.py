"""Requests that look back on memories: how much they weigh, what they add up to, and how to say them in fewer words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, Field

from ..prompts import Prompt
from .fields import Ids, Text, Texts

CHARACTERS = 2
"""Characters a token of an unread summary may take: low enough that the text stays within its limit in most scripts."""


class Summary(BaseModel):
    """The new text that stands for all the others."""

    text: Text


class Rating(BaseModel):
    """How much a memory matters, from 1 (everyday) to 10 (changes a life)."""

    importance: Annotated[int, Field(ge=1, le=10)]


class FocalQuestions(BaseModel):
    """The questions that the memories raise, broadest first."""

    questions: Texts


class Insight(BaseModel):
    """A conclusion, and the ids of the memories that it rests on."""

    text: Text
    evidence: Ids


class Insights(BaseModel):
    """What can be concluded."""

    insights: list[Insight]


def _newest(inputs: Mapping[str, Any]) -> Summary:
    """Keep the last texts, whole ones, as far as they fit: an unusable reply never empties a memory."""
    kept: list[str] = []
    room = inputs["limit"] * CHARACTERS
    for text in reversed(inputs["texts"]):
        room -= len(text) + 1
        if room < 0:
            break
        kept.append(text)
    return Summary(text="\n".join(reversed(kept)))


SUMMARISE = Prompt(
    name="summarise",
    output=Summary,
    system=(
        "You write one text that stands for several. Keep names, numbers, dates and every fact that bears on what it "
        "is for, also a fact that only leads on to another. Where texts contradict each other, the later one holds. "
        "Say nothing that they do not say. Use at most {limit} tokens."
    ),
    user="What it is for:\n{focus}\n\nTexts:\n{texts}",
    default=_newest,
    max_tokens=2048,
)

RATE = Prompt(
    name="rate",
    output=Rating,
    system=(
        "You weigh a memory. 1 is an everyday matter that nobody would ask about, such as brushing teeth; 10 is one "
        "that decides much, such as a marriage, a new job or a death. Give one whole number from 1 to 10."
    ),
    user="Memory:\n{text}",
    default=lambda inputs: Rating(importance=5),
    max_tokens=64,
)

FOCUS = Prompt(
    name="focus",
    output=FocalQuestions,
    system=(
        "These are recent memories. Which broad questions about the people and things in them can be answered from "
        "them? Give the {count} most telling ones."
    ),
    user="Memories:\n{texts}",
    default=lambda inputs: FocalQuestions(questions=[]),
    max_tokens=512,
)

INFER = Prompt(
    name="infer",
    output=Insights,
    system=(
        "What can be concluded from the memories below about the question? Each memory stands behind its id in square "
        "brackets. Give up to five insights that go beyond what a single memory says; each is one sentence with names "
        "in it, and comes with the ids of the memories that it rests on."
    ),
    user="Question: {question}\n\nMemories:\n{memories}",
    default=lambda inputs: Insights(insights=[]),
)
