"""Requests about single facts: find them in a text, and settle what each does to the facts that are known already."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator

from ..prompts import Prompt
from .fields import Id, Ids, Text, Texts, lowered


class Facts(BaseModel):
    """Statements that each make sense alone."""

    facts: Texts


def _action(value: Any) -> Any:
    """Read "NOOP" and "NONE" as "none"; any other unknown word stays an error."""
    word = lowered(value)
    return "none" if word in {"noop", "no-op", "no_op", "nothing"} else word


class Decision(BaseModel):
    """What happens to memory: add the fact, update or delete the memory ``id``, or none.

    ``text`` is the whole new text of an updated memory. ``id`` and ``text`` are empty where they are not needed.
    """

    action: Annotated[Literal["add", "update", "delete", "none"], BeforeValidator(_action)]
    id: Id = ""
    text: Text = ""


class Edge(BaseModel):
    """One fact as an edge of a graph: two names, the relation between them, when it came to hold, and a sentence."""

    subject: Text
    relation: Text
    object: Text
    valid_at: Text = ""
    text: Text = ""


class Edges(BaseModel):
    """The facts of a text, each as an edge."""

    edges: list[Edge]


class Invalidated(BaseModel):
    """The ids of the memories that do not hold any more."""

    ids: Ids


EXTRACT = Prompt(
    name="extract",
    output=Facts,
    system=(
        "You take from a text the facts that are worth remembering. Write each as one short statement that makes sense "
        "alone: names in the place of pronouns, dates in the place of words such as yesterday (the text was written at "
        "the time given, if one is given), and all names, numbers and dates as they stand. Leave out greetings, small "
        "talk and what only decorates. Give no fact that the text does not state."
    ),
    user="Time: {time}\n\nText:\n{text}",
    default=lambda inputs: Facts(facts=[inputs["text"]]),
    max_tokens=2048,
)

DECIDE = Prompt(
    name="decide",
    output=Decision,
    system=(
        "A memory takes in a new fact. Below it are the memories nearest to it, each behind its id in square brackets. "
        "Decide on one action. add: the fact is new. update: a memory says the same thing less well, or the fact "
        "replaces it because it is later; give its id and its whole new text, which keeps what still holds. delete: "
        "the fact only says that a memory is wrong; give its id. none: a memory says all of it already, or the fact is "
        "older than what is known. A fact about somebody else, or another side of the same person, is new."
    ),
    user="New fact:\n{fact}\n\nMemories:\n{memories}",
    default=lambda inputs: Decision(action="add"),
    max_tokens=512,
)

EDGES = Prompt(
    name="edges",
    output=Edges,
    system=(
        "You turn a text into the edges of a graph. An edge is one fact: subject and object by their full names (never "
        "a pronoun), the relation as a short verb phrase, the date from which it holds (empty if the text tells none; "
        "words such as yesterday count from the time given), and a sentence that states the fact alone. Give no fact "
        "that the text does not state."
    ),
    user="Time: {time}\n\nText:\n{text}",
    default=lambda inputs: Edges(edges=[]),
    max_tokens=2048,
)

INVALIDATE = Prompt(
    name="invalidate",
    output=Invalidated,
    system=(
        "A new fact is known. Below it are older facts, each behind its id in square brackets. Which of them cannot "
        "hold any more once the new one holds? Only a fact about the same subject and the same relation can be "
        "replaced; facts that may be true side by side stay. Give the ids; often there is none."
    ),
    user="New fact:\n{fact}\n\nOlder facts:\n{memories}",
    default=lambda inputs: Invalidated(ids=[]),
    max_tokens=256,
)
