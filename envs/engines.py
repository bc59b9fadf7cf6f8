"""Engines that play text games, lent to tasks: few engines, any number of tasks, many of them in one process.

Engines are slow to make, leak when dropped and are unsafe under threads, so a process keeps a bounded pool of them. A
task that has lost its engine to another one gets it back by playing its commands again.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

MOST_ENGINES = 64
LOCK = threading.RLock()
"""Held while any engine of the process works: what they share (parsers, ``sys.argv``) knows no threads."""

_keys = itertools.count()


@dataclass(frozen=True, slots=True)
class Shown:
    """What a game shows: its reply, the commands that it would take now, and whether it is over.

    ``accepted`` tells whether it understood the last command; a refused command has changed nothing.
    """

    text: str
    admissible: tuple[str, ...] = ()
    won: bool = False
    lost: bool = False
    accepted: bool = True


class Engine(Protocol):
    """Plays one game at a time. The same game and commands give the same texts, in any engine of the kind."""

    def start(self, game: Any) -> Shown:
        """Begin a game from its start, whatever was played before."""
        ...

    def step(self, command: str) -> Shown:
        """Take one command; never raises on any text."""
        ...

    def facts(self) -> list[str]:
        """Return the whole hidden state of the game, sorted."""
        ...

    def winning(self) -> str:
        """Return the next command of a play that wins from here; raises RuntimeError when there is none."""
        ...


@dataclass(eq=False, slots=True, weakref_slot=True)
class Play:
    """How far one play of a game has come: its commands, and what was shown last (None: it has not begun)."""

    game: Any
    commands: list[str] = field(default_factory=list)
    shown: Shown | None = None
    key: int = field(default_factory=lambda: next(_keys))

    def fork(self) -> Play:
        return Play(self.game, self.commands.copy(), self.shown)


class Pool:
    """At most ``most`` engines of one kind, made when needed, never dropped.

    A play keeps its engine between commands. When all are lent, the engine whose play has rested longest is taken, and
    that play, when its turn comes, costs a start and all its commands once more. So more than ``most`` plays that take
    turns are slow, but right, and memory stays bounded.
    """

    def __init__(self, make: Callable[[], Engine], most: int = MOST_ENGINES) -> None:
        if most < 1:
            raise ValueError(f"most is {most}; a pool holds at least 1 engine.")
        self._make, self._most, self._made = make, most, 0
        self._free: list[Engine] = []
        self._lent: OrderedDict[int, Engine] = OrderedDict()
        self._ended: deque[int] = deque()

    @property
    def made(self) -> int:
        """How many engines there are."""
        return self._made

    @contextmanager
    def standing(self, play: Play) -> Iterator[Engine]:
        """Lend the engine that stands where the play stands; what fails inside ends the loan, not the engine."""
        with LOCK:
            engine = self._lent.pop(play.key, None)
            try:
                if engine is None:
                    engine = self._any()
                    _replay(engine, play)
                    weakref.finalize(play, self._ended.append, play.key)
                yield engine
            except BaseException:
                if engine is not None:
                    self._free.append(engine)
                raise
            self._lent[play.key] = engine

    def end(self, play: Play) -> None:
        """Take the engine of a play back."""
        with LOCK:
            self._take_back(play.key)

    def _any(self) -> Engine:
        while self._ended:
            # A finalizer runs at any moment, so it only leaves a note.
            self._take_back(self._ended.popleft())
        if self._free:
            return self._free.pop()
        if self._made < self._most or not self._lent:
            self._made += 1
            return self._make()
        return self._lent.popitem(last=False)[1]

    def _take_back(self, key: int) -> None:
        engine = self._lent.pop(key, None)
        if engine is not None:
            self._free.append(engine)


def _replay(engine: Engine, play: Play) -> None:
    shown = engine.start(play.game)
    for command in play.commands:
        shown = engine.step(command)
    if play.shown is None:
        play.shown = shown
