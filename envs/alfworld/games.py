"""The published games: where they are, and which of them count, by the same filter as the alfworld package.

A game is a folder ``TASK-OBJECT-MRECEP-RECEPTACLE-SCENE/TRIAL`` with ``traj_data.json`` and ``game.tw-pddl``.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from memgym.registry import unknown

from ..files import DataNotFound, root
from .caching import BrokenGame, PddlGame

VARIABLE = "ALFWORLD_DATA"
FOLDERS = {"train": "train", "seen": "valid_seen", "unseen": "valid_unseen"}
OFFICIAL = {"train": 3553, "seen": 140, "unseen": 134}
"""How many games the published splits have."""
TASK_TYPES = (
    "pick_and_place_simple",
    "look_at_obj_in_light",
    "pick_clean_then_place_in_recep",
    "pick_heat_then_place_in_recep",
    "pick_cool_then_place_in_recep",
    "pick_two_obj_and_place",
)
"""In the order of ALFWorld's numbers 1 to 6."""
_GAME, _TRAJECTORY = "game.tw-pddl", "traj_data.json"


@dataclass(frozen=True, slots=True)
class Collection:
    """The games of a split: their folders and task types by id, what was left out and why, a checksum of the games."""

    folder: Path
    games: Mapping[str, str]
    skipped: Mapping[str, int]
    checksum: str

    def read(self, id: str) -> PddlGame:
        """Read one game; raises BrokenGame for a file that is none."""
        path = self.folder / id / _GAME
        data = _json(path)
        try:
            return PddlGame(id, data["pddl_domain"], data["grammar"], data["pddl_problem"])
        except (KeyError, TypeError) as error:
            raise BrokenGame(f"{path} is no game: it lacks {error}.") from error


def check_task_types(given: Sequence[str | int]) -> tuple[str, ...]:
    """Return task types by name, given by name or by ALFWorld's number, in its order; () stands for all."""
    for one in given:
        if one not in TASK_TYPES and one not in range(1, len(TASK_TYPES) + 1):
            raise unknown("task type of ALFWorld", one, TASK_TYPES, "The numbers 1 to 6 are taken too.")
    return tuple(one for number, one in enumerate(TASK_TYPES, 1) if not given or one in given or number in given)


def find(split: str, data: str | None) -> Path:
    """Return the folder of a split: in ``data``, else ALFWORLD_DATA, else MEMGYM_DATA. Raises DataNotFound.

    Each may be the folder of the split, one above it ("json_2.1.1"), or one above that. A given place is never passed
    over for another one.
    """
    places = [Path(data).expanduser()] if data else _usual_places()
    for place in places:
        for folder in _candidates(place, FOLDERS[split]):
            if folder.is_dir():
                return folder
    tried = "\n".join(f"  - {place}" for place in places)
    raise DataNotFound(
        f"There are no games for ALFWorld's {FOLDERS[split]}. Looked for json_2.1.1/{FOLDERS[split]} in:\n{tried}\n"
        f"Give data=FOLDER or set {VARIABLE}; `alfworld-download` (of the package alfworld) fetches the games. "
        "MemGym/ALFWorld-generated needs no data: it plays households of our own making."
    )


@lru_cache(maxsize=8)
def collect(folder: Path, task_types: tuple[str, ...]) -> Collection:
    """Return the games of a folder that count; once a process for each folder."""
    games: dict[str, str] = {}
    skipped: Counter[str] = Counter()
    checksum = hashlib.sha256()
    for path in _trials(folder):
        id = path.relative_to(folder).as_posix()
        kind, reason = _judge(path, id, task_types)
        if reason:
            skipped[reason] += 1
            continue
        games[id] = kind
        checksum.update(f"{id}\0".encode() + hashlib.sha256((path / _GAME).read_bytes()).digest())
    return Collection(folder, games, dict(sorted(skipped.items())), f"sha256:{checksum.hexdigest()}")


def _judge(path: Path, id: str, task_types: tuple[str, ...]) -> tuple[str, str]:
    """Return a game's task type, and why it does not count ("": it does), in the order in which the package asks."""
    if "movable" in id or "Sliced" in id:
        return "", "movable receptacle or sliced object"
    kind = str(_json(path / _TRAJECTORY).get("task_type"))
    if kind not in task_types:
        return kind, "another task type"
    if not (path / _GAME).is_file():
        return kind, "no game file"
    solvable = _json(path / _GAME).get("solvable")
    if solvable is None:
        return kind, "not known to be solvable"
    return kind, "" if solvable else "unsolvable"


def _trials(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        folders.sort()
        if _TRAJECTORY in files:
            yield Path(place)


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise BrokenGame(f"{path} is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise BrokenGame(f"{path} holds a {type(found).__name__}; an object was expected.")
    return found


def _usual_places() -> list[Path]:
    given = os.environ.get(VARIABLE)
    return [*([Path(given).expanduser()] if given else []), root() / "alfworld", root()]


def _candidates(place: Path, name: str) -> list[Path]:
    inner = sorted(place.glob("json_*"), reverse=True)
    below = sorted(place.glob("alfworld/json_*"), reverse=True)
    return [*([place] if place.name == name else []), place / name, *(one / name for one in [*inner, *below])]
