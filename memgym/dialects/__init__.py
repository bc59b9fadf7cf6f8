"""How an agent writes: a Dialect turns text into an Action and back, and renders what was read."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from memgym.memory.entry import Hit
from memgym.operations import Action, Result


class Dialect(Protocol):
    """A text form of actions. ``parse`` never raises; ``parse(format(a)) == a`` for every action it can express.

    ``defaults`` are environment options that go with the dialect (the released AtomMem code reads persistently,
    for instance); an option that the user gives always wins.
    """

    name: str
    defaults: Mapping[str, Any]

    def parse(self, text: str) -> Action:
        """Read an action. What cannot be read becomes ``Malformed`` at its place; the rest stands."""
        ...

    def format(self, action: Action) -> str:
        """Write an action."""
        ...

    def render(self, hits: Sequence[Hit]) -> str:
        """Show the entries that were read, with the addresses that this dialect uses for them; "" for none."""
        ...

    def feedback(self, results: Sequence[Result]) -> str:
        """Show how the previous action went: one line a result that an agent can act on."""
        ...

    def instructions(self, operations: Collection[str], commands: Collection[str]) -> str:
        """Explain the grammar to a model, for the operations and commands that are allowed."""
        ...
