"""Requests that learn from lived episodes: what worked again and again, and which rules tell success from failure."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator

from ..prompts import Prompt
from .fields import Text, lowered


class Workflow(BaseModel):
    """A way to do one kind of task: its name, and its steps with the things of one episode left open."""

    name: Text
    text: Text


class Workflows(BaseModel):
    """What several episodes have in common."""

    workflows: list[Workflow]


class RuleEdit(BaseModel):
    """One change to the list of rules. ``number`` counts from 1; a new rule has none (0).

    add: ``text`` is a new rule. edit: ``text`` replaces the rule ``number``. remove: the rule ``number`` misleads.
    agree: the rule ``number`` is confirmed.
    """

    action: Annotated[Literal["add", "edit", "remove", "agree"], BeforeValidator(lowered)]
    number: int = 0
    text: Text = ""


class RuleEdits(BaseModel):
    """The changes to the list of rules, in the order in which they are made."""

    edits: list[RuleEdit]


INDUCE = Prompt(
    name="induce",
    output=Workflows,
    system=(
        "Below are episodes: a task, and the commands that were given with what came of them. Find the ways of working "
        "that would help with other tasks of the same kind. Write each as a workflow: a name that says what it is for, "
        "and its steps in order. Put a word in angle brackets, such as <object> or <place>, where episodes differ. "
        "Leave out detours, and write no workflow twice."
    ),
    user="Episodes:\n{experiences}",
    default=lambda inputs: Workflows(workflows=[]),
    max_tokens=2048,
)

COMPARE = Prompt(
    name="compare",
    output=RuleEdits,
    system=(
        "Two episodes had a like task; one succeeded and one failed (either may be missing). What made the difference? "
        "Change the list of rules by it: add a rule that would have helped, edit one that is nearly right, agree with "
        "one that was confirmed, remove one that misleads. A rule is one general sentence about how to act, without "
        "the things of a single episode. Make few changes, at most four."
    ),
    user="Success:\n{success}\n\nFailure:\n{failure}\n\nRules:\n{rules}",
    default=lambda inputs: RuleEdits(edits=[]),
)
