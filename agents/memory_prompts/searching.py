"""Requests that steer a search in memory: what to look for, whether enough was found, and what to take of it."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator

from ..prompts import Prompt
from .fields import Texts


class Plan(BaseModel):
    """Searches that together find what the question needs."""

    queries: Texts


class Sufficiency(BaseModel):
    """Whether the texts answer the question, and what else to search for if they do not."""

    enough: bool
    queries: Texts = []


def _numbered(value: Any) -> Any:
    """Return a list; null is none, and one number or one text is the numbers in it."""
    if value is None:
        return []
    if isinstance(value, str):
        return [part for part in value.replace(",", " ").split() if part]
    return [value] if isinstance(value, int) and not isinstance(value, bool) else value


def _once(numbers: list[int]) -> list[int]:
    return list(dict.fromkeys(numbers))


class Selection(BaseModel):
    """The numbers of the chosen options, counted from 1, the best first."""

    numbers: Annotated[list[int], BeforeValidator(_numbered), AfterValidator(_once)]


PLAN = Prompt(
    name="plan",
    output=Plan,
    system=(
        "You prepare a search in a memory. Which searches find what the question needs? A question that leads over "
        "several facts needs one search for each; a plain one needs a single search. Write short search texts with the "
        "names that the question has."
    ),
    user="Question: {question}",
    default=lambda inputs: Plan(queries=[inputs["question"]]),
    max_tokens=256,
)

ENOUGH = Prompt(
    name="enough",
    output=Sufficiency,
    system=(
        "Do the texts below hold all that it takes to answer the question? If something is missing, write the "
        "searches that could find it, with the names that the texts have brought up; else write none."
    ),
    user="Question: {question}\n\nTexts:\n{texts}",
    default=lambda inputs: Sufficiency(enough=True),
    max_tokens=256,
)

SELECT = Prompt(
    name="select",
    output=Selection,
    system=(
        "Which of the numbered options help to answer the question? Give their numbers, the most helpful first, and "
        "only those that are worth reading in full."
    ),
    user="Question: {question}\n\nOptions:\n{options}",
    default=lambda inputs: Selection(numbers=[]),
    max_tokens=256,
)
