"""The request that every system makes in a world: which command comes next."""

from __future__ import annotations

from pydantic import BaseModel

from ..prompts import Prompt


class Move(BaseModel):
    """The one command to carry out next, word for word as the world takes it."""

    command: str


ACT = Prompt(
    name="act",
    output=Move,
    system=(
        "You act in a text world, one command at a time, until the task is done. Choose the next command. Where a list "
        "of possible commands is given, use one of them exactly. What memory says comes from earlier episodes."
    ),
    user=(
        "Task:\n{task}\n\nMemory:\n{memory}\n\nSo far:\n{history}\n\nNow:\n{observation}\n\n"
        "Possible commands:\n{admissible}"
    ),
    default=lambda inputs: Move(command=next(iter(inputs["admissible"]), "look")),
    max_tokens=256,
)
