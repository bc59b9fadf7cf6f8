"""What is lived in an episode, noted while it is played or replayed: a record holds digests in place of the texts."""

from __future__ import annotations

import re

from memgym.env import MemoryEnv
from memgym.operations import Act
from memgym.task import Experience, Outcome

_TASK = re.compile(r"Your task(?: is to)?:\s*(.+?)\s*(?:\n\n|\Z)", re.DOTALL)


class Diary:
    """Notes each command of an episode with what was observed when it was given; steps on memory alone are left out."""

    def __init__(self, env: MemoryEnv) -> None:
        self._env = env
        self._task = env.pomdp.seen.view.instruction
        self._kind = str(env.pomdp.sample.data.get("task_type", ""))
        self._steps: list[tuple[str, str]] = []

    def note(self, action: str) -> None:
        """Note an action, before it is taken."""
        view = self._env.pomdp.seen.view
        command = self._env.dialect.parse(action).command if view.phase == "act" else None
        if isinstance(command, Act):
            self._steps.append((view.text, command.text))

    def close(self, outcome: Outcome | None) -> Experience | None:
        """Return what was lived: success is a reward of 1. None where no command was given, or it failed to play."""
        if outcome is None or not self._steps:
            return None
        return Experience(_asked(self._task), tuple(self._steps), outcome.reward >= 1, self._kind)


def _asked(instruction: str) -> str:
    """Return what is asked for in an instruction, without how the world works."""
    found = _TASK.search(instruction)
    return found[1] if found else instruction.strip()
