"""What the installed alfworld package ships: the domain, the grammar, the goals of the tasks, what fits where.

Its files are read without importing the package, which would create a folder in the user's home and set ALFWORLD_DATA.
"""

from __future__ import annotations

import importlib.util
import runpy
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from memgym.extras import require


@dataclass(frozen=True, slots=True)
class Package:
    """Texts and tables. ``holds`` maps a kind of receptacle to the kinds of object it may hold, sorted.

    ``goals`` maps a task type to its goal in PDDL and its sentences; ``can`` an ability ("Heatable") to kinds.
    """

    domain: str
    grammar: str
    goals: Mapping[str, Mapping[str, Any]]
    holds: Mapping[str, tuple[str, ...]]
    can: Mapping[str, frozenset[str]]
    openable: frozenset[str]


@cache
def package() -> Package:
    """Read the installed package; without it an ImportError that names the extra."""
    folder = _folder()
    constants = runpy.run_path(str(folder / "gen" / "constants.py"))
    return Package(
        (folder / "data" / "alfred.pddl").read_text("utf-8"),
        (folder / "data" / "alfred.twl2").read_text("utf-8"),
        runpy.run_path(str(folder / "gen" / "goal_library.py"))["gdict"],
        {kind: tuple(sorted(held)) for kind, held in constants["VAL_RECEPTACLE_OBJECTS"].items()},
        {ability: frozenset(kinds) for ability, kinds in constants["VAL_ACTION_OBJECTS"].items()},
        frozenset(constants["OPENABLE_CLASS_SET"]),
    )


def _folder() -> Path:
    found = importlib.util.find_spec("alfworld")
    if found is None or not found.submodule_search_locations:
        require("alfworld", "alfworld", "ALFWorld")
        raise ImportError("The package 'alfworld' has no files.")
    return Path(next(iter(found.submodule_search_locations)))
