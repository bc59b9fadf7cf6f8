"""The benchmarks: four kinds of TextWorld's games, each game named by its seed.

Deviations from TextWorld, all on purpose: the reward is winning, not the game's score; only a player's verbs reach the
interpreter (``engine.VERBS``); a command that is neither listed nor does anything is reported as malformed.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from numpy.random import Generator

from memgym.registry import unknown
from memgym.task import Benchmark, Sample, Task

from ..engines import Play
from ..game import GameTask

SPLITS = {"train": range(100_000), "validation": range(100_000, 110_000), "test": range(110_000, 120_000)}
GOALS = ("detailed", "brief", "none")
_ID = re.compile(r"game-(\d{6})")
_GUIDE = (
    "You play a text adventure by one command at a time. Commands: look; inventory; go north (south, east, west); "
    "examine T; open T; close T; take T; take T from P; put T on P; insert T into P; drop T; lock P with T; "
    "unlock P with T; eat T; cook T with P; slice, chop or dice T with T; prepare meal.\n\nYour task: {task}"
)
_UNTOLD = "the game does not say. Find out what is worth doing, and win."


class StoryGames(Benchmark):
    """Games of one kind, made from a seed when they are first played. A subclass gives the settings of its maker.

    Args:
        split: "train", "validation" or "test"; they have no seed in common.
        game_steps: The number of commands after which a game is over.
        show_admissible: Whether the observation lists the commands that would do something now.
    """

    synthetic = True
    provides: ClassVar[frozenset[str]] = frozenset({"sample_id", "raw_text", "task_spec", "steps", "success", "world"})
    challenge: ClassVar[str]

    def __init__(self, split: str, game_steps: int, show_admissible: bool) -> None:
        if split not in SPLITS:
            raise unknown(f"split of {self.name}", split, SPLITS)
        if game_steps < 1:
            raise ValueError(f"game_steps={game_steps}: a game takes at least one command.")
        self.split, self.game_steps, self.show_admissible = split, game_steps, show_admissible

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """Return what TextWorld's maker of these games takes."""

    def draw(self, rng: Generator) -> Sample:
        seeds = SPLITS[self.split]
        return self.sample(_name(seeds[int(rng.integers(len(seeds)))]))

    def sample(self, id: str) -> Sample:
        match = _ID.fullmatch(id)
        seeds = SPLITS[self.split]
        if match is None or int(match[1]) not in seeds:
            raise unknown(f"game of {self.name} ({self.split})", id, [_name(seeds[0]), _name(seeds[-1])])
        return Sample(id, data={"seed": int(match[1])})

    def schedule(self, rng: Generator, count: int) -> Sequence[str]:
        """Return ``count`` ids; each pass over the seeds of the split is shuffled anew."""
        seeds, order = SPLITS[self.split], list[str]()
        while len(order) < count:
            order += [_name(seeds[int(at)]) for at in rng.permutation(len(seeds))[: count - len(order)]]
        return order

    def task(self, sample: Sample, rng: Generator) -> Task:
        """Start a game; nothing in it is random, so ``rng`` is not used."""
        from .engine import POOL
        from .making import game_of

        game = game_of(sample.id, self.challenge, self.settings(), sample.data["seed"])
        guide = _GUIDE.format(task=game.objective or _UNTOLD)
        return GameTask(
            POOL, Play(game), name=game.id, guide=guide, limit=self.game_steps, show_admissible=self.show_admissible
        )

    def describe(self) -> dict[str, Any]:
        """Return options, the maker's settings, and the version of TextWorld that makes the games."""
        from importlib.metadata import version

        return {
            **super().describe(),
            "split": self.split,
            "game_steps": self.game_steps,
            "show_admissible": self.show_admissible,
            "settings": self.settings(),
            "textworld": version("textworld"),
        }


class SimpleGames(StoryGames):
    """A house with locked doors and a meal to make. ``goal``: how much the game tells of it."""

    name = "TextWorld-simple"
    challenge = "tw-simple"

    def __init__(
        self, *, goal: str = "detailed", split: str = "validation", game_steps: int = 100, show_admissible: bool = False
    ) -> None:
        super().__init__(split, game_steps, show_admissible)
        if goal not in GOALS:
            raise unknown("goal of TextWorld-simple", goal, GOALS)
        self.goal = goal

    def settings(self) -> dict[str, Any]:
        return {"rewards": "sparse", "goal": self.goal, "test": self.split == "test"}


class CoinCollector(StoryGames):
    """A maze with a coin in it. ``level`` 1 to 100 is the length of the way; from 101 on there are side rooms."""

    name = "TextWorld-coin_collector"
    challenge = "tw-coin_collector"

    def __init__(
        self, *, level: int = 10, split: str = "validation", game_steps: int = 100, show_admissible: bool = False
    ) -> None:
        super().__init__(split, game_steps, show_admissible)
        if not 1 <= level <= 300 or ((level - 1) // 100 + 1) * ((level - 1) % 100 + 1) > 100:
            raise ValueError(f"level={level}: 1 to 300 was expected, with at most 100 rooms (up to 100, 150 or 233).")
        self.level = level

    def settings(self) -> dict[str, Any]:
        return {"level": self.level}


class TreasureHunter(StoryGames):
    """Rooms, doors and containers, one object to find among others. ``level`` is 1 to 30."""

    name = "TextWorld-treasure_hunter"
    challenge = "tw-treasure_hunter"

    def __init__(
        self, *, level: int = 10, split: str = "validation", game_steps: int = 100, show_admissible: bool = False
    ) -> None:
        super().__init__(split, game_steps, show_admissible)
        if not 1 <= level <= 30:
            raise ValueError(f"level={level}: 1 to 30 was expected.")
        self.level = level

    def settings(self) -> dict[str, Any]:
        return {"level": self.level}


class CookingGames(StoryGames):
    """A recipe to read and cook, as in the First TextWorld Problems competition.

    Args:
        recipe: How many ingredients it has; take: how many of them must be found.
        go: The number of rooms, 1, 6, 9 or 12.
        open, cook, cut, drop: Whether doors are closed, things are cooked, cut, and hands are full.
        split, game_steps, show_admissible: as for ``StoryGames``; TextWorld keeps foods apart by split.
    """

    name = "TextWorld-cooking"
    challenge = "tw-cooking"

    def __init__(
        self,
        *,
        recipe: int = 2,
        take: int = 1,
        go: int = 6,
        open: bool = True,
        cook: bool = True,
        cut: bool = True,
        drop: bool = False,
        split: str = "validation",
        game_steps: int = 100,
        show_admissible: bool = False,
    ) -> None:
        super().__init__(split, game_steps, show_admissible)
        if go not in (1, 6, 9, 12):
            raise ValueError(f"go={go}: 1, 6, 9 or 12 rooms were expected.")
        if not 1 <= recipe <= 5 or not 0 <= take <= recipe:
            raise ValueError(f"recipe={recipe}, take={take}: 1 to 5 ingredients, and no more to take, were expected.")
        self.recipe, self.take, self.go = recipe, take, go
        self.open, self.cook, self.cut, self.drop = open, cook, cut, drop

    def settings(self) -> dict[str, Any]:
        flags = {"open": self.open, "cook": self.cook, "cut": self.cut, "drop": self.drop}
        split = "valid" if self.split == "validation" else self.split
        return {"recipe": self.recipe, "take": self.take, "go": self.go, **flags, "recipe_seed": 0, "split": split}


def _name(seed: int) -> str:
    return f"game-{seed:06d}"
