"""Requests about linked notes: describe a new one, find what it belongs to, and bring its neighbours up to date."""

from __future__ import annotations

from pydantic import BaseModel

from ..prompts import Prompt
from .fields import Id, Ids, Text, Words


class Analysis(BaseModel):
    """What a text is about: keywords from it, most telling first; one sentence of context; tags to group it by."""

    keywords: Words
    context: Text
    tags: Words


class Related(BaseModel):
    """The ids of the notes that belong with the new one."""

    ids: Ids


class Change(BaseModel):
    """The new context and the new tags of one note; both replace what was there."""

    id: Id
    context: Text
    tags: Words


class Evolved(BaseModel):
    """The notes that are described differently now; a note that stays as it is does not appear."""

    changes: list[Change]


ANALYSE = Prompt(
    name="analyse",
    output=Analysis,
    system=(
        "You describe a text so that it can be found again. Give keywords: names and the words that carry the meaning, "
        "taken from the text, most telling first, no speaker or time. Give its context: one sentence that says what it "
        "is about, who is concerned, and what its point is. Give tags: a few broad words for its subject and kind."
    ),
    user="Text:\n{text}",
    default=lambda inputs: Analysis(keywords=[], context="", tags=[]),
    max_tokens=512,
)

RELATE = Prompt(
    name="relate",
    output=Related,
    system=(
        "A new note joins a memory. Below it are the notes nearest to it, each behind its id in square brackets. "
        "Which of them should it be linked to, because they are about the same person, thing or matter, or because one "
        "leads on to the other? Give their ids, and none where likeness is only in the words."
    ),
    user="New note:\n{note}\n\nNearest notes:\n{neighbours}",
    default=lambda inputs: Related(ids=[]),
    max_tokens=256,
)

EVOLVE = Prompt(
    name="evolve",
    output=Evolved,
    system=(
        "A new note can change what older notes mean. Below it are notes near to it, each behind its id in square "
        "brackets. For every one that is better understood now, give its id with a new context (one sentence) and new "
        "tags; both replace the old ones, so keep in them what still holds. Leave out notes that stay as they are."
    ),
    user="New note:\n{note}\n\nOlder notes:\n{neighbours}",
    default=lambda inputs: Evolved(changes=[]),
)
