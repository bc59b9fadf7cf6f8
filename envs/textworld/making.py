"""Makes a game from its settings and a seed, once: compiled games are kept in a folder, whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from memgym.extras import require

from ..engines import LOCK

VARIABLE = "MEMGYM_CACHE"
_FILE = "game.z8"


@dataclass(frozen=True, slots=True)
class StoryGame:
    """A compiled game: its id, its file, and what the player is told to do ("" where the game tells nothing)."""

    id: str
    path: Path
    objective: str


def folder() -> Path:
    """Return where compiled games are kept: in MEMGYM_CACHE, else in a folder of this user's in the system's own."""
    given = os.environ.get(VARIABLE)
    base = Path(given).expanduser() if given else Path(tempfile.gettempdir()) / f"memgym-{_user()}"
    return base / "textworld" / version("textworld")


def game_of(id: str, challenge: str, settings: Mapping[str, Any], seed: int) -> StoryGame:
    """Return a game of a challenge ("tw-cooking"); the first time it is made, which takes some seconds."""
    require("textworld", "alfworld", "TextWorld")
    asked = json.dumps([challenge, dict(settings), seed], sort_keys=True)
    place = folder() / f"{challenge}-{hashlib.sha256(asked.encode()).hexdigest()[:24]}"
    if not (place / _FILE).is_file():
        _make(place, challenge, settings, seed)
    return StoryGame(id, place / _FILE, _objective(place))


@lru_cache(maxsize=1024)
def _objective(place: Path) -> str:
    return str(json.loads((place / "game.json").read_text("utf-8")).get("objective") or "")


def _make(place: Path, challenge: str, settings: Mapping[str, Any], seed: int) -> None:
    """Make a game beside its place and move it there; whoever else made it meanwhile made the same."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".making-", dir=place.parent) as made:
        part = Path(made) / "game"
        part.mkdir()
        _compile(part, challenge, settings, seed)
        try:
            part.rename(place)
        except OSError:
            if not (place / _FILE).is_file():
                shutil.rmtree(place, ignore_errors=True)
                part.rename(place)


def _compile(part: Path, challenge: str, settings: Mapping[str, Any], seed: int) -> None:
    textworld = require("textworld", "alfworld", "TextWorld")
    _, make, _ = require("textworld.challenges", "alfworld", "TextWorld").CHALLENGES[challenge]
    options = textworld.GameOptions()
    options.seeds = seed
    options.path = str(part / _FILE)
    with LOCK, warnings.catch_warnings():
        # Making a game plays it, and the interpreter warns of every game that it does not know.
        warnings.simplefilter("ignore")
        game = make(dict(settings), options)
        require("textworld.generator", "alfworld", "TextWorld").compile_game(game, options)


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else "user"
