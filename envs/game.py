"""The task of playing a text game: commands go in, the game's replies come out, winning it in time is the reward."""

from __future__ import annotations

from typing import Any

from memgym.operations import Act, Command, Result, Status
from memgym.task import Outcome, Task, TaskView

from .engines import Play, Pool, Shown

STEPS_PER_COMMAND = 2
"""Steps that the horizon grants for each command, so that a memory may be asked or written in a step of its own."""


class GameTask(Task):
    """One play of a game, over when it is won or lost or after ``limit`` commands.

    ``Act`` is a command to the game, and each counts, also one that the game refuses: that one's result is malformed,
    with a reason, and the game's own reply is shown. A step without a command costs none. Other commands are masked.
    ``guide`` says what is asked and how; ``name`` is the game's in ``state``. The reward is 1 for winning, else 0.
    """

    def __init__(self, pool: Pool, play: Play, *, name: str, guide: str, limit: int, show_admissible: bool) -> None:
        if limit < 1:
            raise ValueError(f"game_steps={limit}: a game takes at least one command.")
        self._pool, self._play, self._name = pool, play, name
        self._guide, self._limit, self._show_admissible = guide, limit, show_admissible
        self._taken = self._refused = 0
        with pool.standing(play):
            self._reply = self._shown.text

    @property
    def view(self) -> TaskView:
        guide = f"{self._guide}\n\nCommands used: {self._taken} of {self._limit}."
        if self.done:
            return TaskView(guide, self._reply, "done", ())
        text, admissible = self._reply, self._shown.admissible
        if self._show_admissible:
            text = f"{text}\n\nAdmissible commands: {', '.join(admissible)}"
        return TaskView(guide, text, "act", ("act",), (), admissible)

    @property
    def done(self) -> bool:
        return self._shown.won or self._shown.lost or self._taken >= self._limit

    @property
    def horizon(self) -> int:
        """Two steps for each command."""
        return STEPS_PER_COMMAND * self._limit

    def take(self, command: Command) -> Result:
        if self.done:
            return Result(command.kind, Status.MASKED, reason="The game is over.")
        if not isinstance(command, Act):
            return Result(command.kind, Status.MASKED, reason="This is a game: it takes commands by act only.")
        return self._act(command.text)

    def _act(self, text: str) -> Result:
        play = self._play
        with self._pool.standing(play) as engine:
            play.shown = shown = engine.step(text)
        self._taken += 1
        self._reply = shown.text
        if self.done:
            self._pool.end(play)
        if shown.accepted:
            play.commands.append(text)
            return Result("act", Status.OK)
        self._refused += 1
        return Result(
            "act", Status.MALFORMED, reason=f"{_short(text)} is no command that the game takes now; it counts."
        )

    def outcome(self) -> Outcome:
        won = float(self._shown.won)
        counts = {"game_steps": float(self._taken), "inadmissible": float(self._refused)}
        return Outcome(won, {"success": won, **counts})

    def cheat(self) -> Command:
        if self.done:
            raise RuntimeError("There is no winning command: the game is over.")
        with self._pool.standing(self._play) as engine:
            return Act(engine.winning())

    def fork(self) -> GameTask:
        """Return a copy that borrows an engine of its own when it is played on: a start and all commands once more."""
        twin = GameTask.__new__(GameTask)
        twin.__dict__.update(self.__dict__)
        twin._play = self._play.fork()
        return twin

    def state(self) -> dict[str, Any]:
        """Return what was played and shown, and the game's hidden state. Refused commands are only counted."""
        with self._pool.standing(self._play) as engine:
            world = engine.facts()
        if self.done:
            self._pool.end(self._play)
        return {
            "game": self._name,
            "commands": self._play.commands.copy(),
            "taken": self._taken,
            "inadmissible": self._refused,
            "text": self._reply,
            "admissible": list(self._shown.admissible),
            "won": self._shown.won,
            "lost": self._shown.lost,
            "world": world,
        }

    @property
    def _shown(self) -> Shown:
        assert self._play.shown is not None
        return self._play.shown


def _short(text: str) -> str:
    return repr(text) if len(text) <= 80 else f"{text[:60]!r}... ({len(text)} characters)"
