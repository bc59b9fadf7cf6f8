"""Plays a compiled game on TextWorld's Z-machine interpreter, and keeps away from it what is no command of a player."""

from __future__ import annotations

import re
import warnings
from typing import Any

from memgym.extras import require

from ..engines import Pool, Shown
from .making import StoryGame

UNKNOWN = "That's not a verb I recognise."
"""What Inform itself answers to a verb that it does not know."""
_VERBS = (
    "go north south east west n s e w take get pick put insert drop open close lock unlock eat drink cook slice chop "
    "dice prepare examine x look l inventory i read"
)
VERBS = frozenset(_VERBS.split())
"""A player's verbs. Others are not passed on: the interpreter would save, quit, undo or show the game's insides."""
_COMMAND = re.compile(r"[a-z][a-z0-9' -]{0,99}")
_BANNER = re.compile(r"^[ $\\/_|]{20,}\n", re.M)
_PROMPT = re.compile(r"\n*^>[^\n]*\Z", re.M)
_SEED = 1


class StoryEngine:
    """One interpreter with TextWorld's tracking of the game's true state."""

    def __init__(self) -> None:
        core = require("textworld", "alfworld", "TextWorld")
        infos = core.EnvInfos(admissible_commands=True, policy_commands=True, facts=True, moves=True)
        interpreter = require("textworld.envs", "alfworld", "TextWorld").JerichoEnv(infos)
        interpreter.seed(_SEED)
        self._env = require("textworld.envs.wrappers.tw_inform7", "alfworld", "TextWorld").TWInform7(interpreter)
        self._path = ""

    def start(self, game: StoryGame) -> Shown:
        if str(game.path) != self._path:
            self._path = ""
            with warnings.catch_warnings():
                # The interpreter says of every game that is none of the old commercial ones that it does not know it.
                warnings.simplefilter("ignore")
                self._env.load(str(game.path))
            self._path = str(game.path)
        self._state = self._env.reset()
        return self._shown(accepted=True)

    def step(self, command: str) -> Shown:
        """Take a command, in any case. What is neither listed nor changes anything is not accepted."""
        words = " ".join(command.lower().split()) if len(command) <= 200 else ""
        if not _COMMAND.fullmatch(words) or words.partition(" ")[0] not in VERBS:
            return self._again(UNKNOWN)
        listed = words in self._state["admissible_commands"]
        moves = self._state["moves"]
        self._state, _, _ = self._env.step(words)
        return self._shown(accepted=listed or self._state["moves"] != moves)

    def facts(self) -> list[str]:
        return sorted(str(fact) for fact in self._state["facts"])

    def winning(self) -> str:
        policy = self._state["policy_commands"]
        if not policy:
            raise RuntimeError("There is no winning command: the game cannot be won any more.")
        return str(policy[0])

    def _shown(self, accepted: bool) -> Shown:
        state: Any = self._state
        return Shown(
            _clean(str(state["feedback"])),
            tuple(state["admissible_commands"]),
            bool(state["won"]),
            bool(state["lost"]),
            accepted,
        )

    def _again(self, text: str) -> Shown:
        return Shown(text, tuple(self._state["admissible_commands"]), accepted=False)


def _clean(text: str) -> str:
    """Leave out what is drawn for a terminal: the banner of the first reply, the prompt with its status line."""
    return _PROMPT.sub("", _BANNER.sub("", text)).strip()


POOL = Pool(StoryEngine)
"""The interpreters of this process, lent to tasks."""
