"""The benchmarks: ALFWorld's published games, and games in households of our own making.

Rules from ALFWorld (arXiv 2010.03768): text commands, 50 of them, reward on winning only. Deviations, all on purpose:
- A step of an agent may be a memory operation alone; only commands count towards the 50.
- A command that is not admissible is reported as such, beside the engine's own "Nothing happens.".
- The engine's work is cached (``caching``, ``grammar``); its texts are the same byte for byte.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

from numpy.random import Generator

from memgym.registry import unknown
from memgym.task import Benchmark, Sample, Task

from ..engines import Play
from ..game import GameTask
from .caching import PddlGame
from .games import FOLDERS, OFFICIAL, Collection, check_task_types, collect, find

VERSIONS = ("file", "2.1.2")
_GUIDE = (
    "You are in a home and can act in it by one command at a time. R stands for a place such as 'shelf 1', O for an "
    "object such as 'mug 2'. Commands: go to R; open R; close R; take O from R; {put}; use O; heat O with R; cool O "
    "with R; clean O with R; examine O; look; inventory. You can carry one object.\n\nYour task is to: {task}."
)


class HomeGames(Benchmark):
    """Games by id, played in ALFWorld's engine. A subclass knows which there are and reads them.

    Args:
        task_types: Only tasks of these types, by name or by ALFWorld's numbers 1 to 6; none given: all.
        game_steps: The number of commands after which a game is over.
        show_admissible: Whether the observation lists the commands that would do something now.
    """

    provides: ClassVar[frozenset[str]] = frozenset(
        {"sample_id", "raw_text", "task_spec", "task_type", "steps", "success", "world"}
    )

    def __init__(self, task_types: Sequence[str | int], game_steps: int, show_admissible: bool) -> None:
        if game_steps < 1:
            raise ValueError(f"game_steps={game_steps}: a game takes at least one command.")
        self.task_types = check_task_types(task_types)
        self.game_steps, self.show_admissible = game_steps, show_admissible

    @abstractmethod
    def game(self, id: str) -> PddlGame:
        """Return the game of an id; an unknown one is an UnknownName error."""

    def task(self, sample: Sample, rng: Generator) -> Task:
        """Start a game; nothing in it is random, so ``rng`` is not used."""
        from .engine import POOL

        game = self.game(sample.id)
        put = "put O in/on R" if "put {o} in/on {r}" in game.grammar else "move O to R"
        guide = _GUIDE.format(put=put, task=game.task)
        return GameTask(
            POOL, Play(game), name=game.id, guide=guide, limit=self.game_steps, show_admissible=self.show_admissible
        )

    def describe(self) -> dict[str, Any]:
        options = {"task_types": list(self.task_types), "game_steps": self.game_steps}
        return {**super().describe(), **options, "show_admissible": self.show_admissible}


class ALFWorld(HomeGames):
    """The published games. What the alfworld package leaves out is left out and counted in ``describe``.

    Args:
        split: "seen" (140 games are published), "unseen" (134) or "train" (3553); see ``games.FOLDERS``.
        data: A folder with the games; else ALFWORLD_DATA, else MEMGYM_DATA.
        version: "file" plays each game as its file says; "2.1.2" puts in the domain and grammar of the installed
            package and keeps the task sentence: the commands of today ("move O to R") on games of 2.1.1.
        task_types, game_steps, show_admissible: as for ``HomeGames``.

    Raises:
        DataNotFound: No games, at first use.
        UnknownName: A split, version, task type or sample that does not exist.
    """

    name = "ALFWorld"

    def __init__(
        self,
        *,
        split: str = "seen",
        data: str | None = None,
        version: str = "file",
        task_types: Sequence[str | int] = (),
        game_steps: int = 50,
        show_admissible: bool = False,
    ) -> None:
        super().__init__(task_types, game_steps, show_admissible)
        if split not in FOLDERS:
            raise unknown("split of ALFWorld", split, FOLDERS)
        if version not in VERSIONS:
            raise unknown("version of ALFWorld", version, VERSIONS)
        self.split, self.data, self.version = split, data, version

    @property
    def collection(self) -> Collection:
        """The games of the split."""
        return collect(find(self.split, self.data), self.task_types)

    def draw(self, rng: Generator) -> Sample:
        ids = self._ids()
        return self.sample(ids[int(rng.integers(len(ids)))])

    def sample(self, id: str) -> Sample:
        games = self.collection.games
        if id not in games:
            raise unknown(f"game of ALFWorld-{self.split}", id, games)
        return Sample(id, data={"task_type": games[id]})

    def schedule(self, rng: Generator, count: int) -> Sequence[str]:
        """Return ``count`` ids; each pass over the games is shuffled anew."""
        ids, order = self._ids(), list[str]()
        while len(order) < count:
            order += [ids[at] for at in rng.permutation(len(ids))[: count - len(order)]]
        return order

    def game(self, id: str) -> PddlGame:
        game = self.collection.read(self.sample(id).id)
        if self.version == "file":
            return game
        from .package import package

        grammar = package().grammar.replace("UNKNOWN GOAL", game.task)
        return replace(game, domain=package().domain, grammar=grammar)

    def describe(self) -> dict[str, Any]:
        """Return options, how many games there are of how many published, what was left out, and a checksum."""
        found = self.collection
        return {
            **super().describe(),
            "split": self.split,
            "version": self.version,
            "games": len(found.games),
            "published": OFFICIAL[self.split],
            "skipped": dict(found.skipped),
            "checksum": found.checksum,
        }

    def _ids(self) -> list[str]:
        ids = list(self.collection.games)
        if not ids:
            raise ValueError(f"{self.collection.folder} has no game of these task types: {', '.join(self.task_types)}.")
        return ids
