"""Policies that are made, not found, by name: what ``model.path`` of a recipe and ``memgym new model --from`` may say.

Separate from how each is made, so that a name costs no import.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from memgym import registry

from ..recipe import Recipe


@dataclass(frozen=True, slots=True)
class Maker:
    """How a policy is made: the "module:function" that writes its folder, and a recipe that trains it."""

    target: str
    recipe: str


MAKERS: Mapping[str, Maker] = {
    "tiny": Maker("memgym.train.policy.making:make_policy", "synthetic-cpu"),
    "smollm2": Maker("memgym.train.policy.smollm2:make_smollm2", "smollm2-cpu"),
}


def make(name: str, folder: Path, **options: Any) -> None:
    """Write the policy ``name`` into ``folder``; an unknown name or option is an UnknownName with the nearest."""
    if name not in MAKERS:
        raise registry.unknown("policy to make", name, MAKERS, "docs/policies.md tells of them.")
    registry.call(partial(_function(name), folder), f"policy {name!r}", options)


def make_first(recipe: Recipe, folder: Path) -> None:
    """Write the policy that a recipe names in ``model.path``; its seed goes to makers that draw something."""
    seeded = "seed" in registry.parameters(_function(recipe.model.path))
    make(recipe.model.path, folder, **({"seed": recipe.seed} if seeded else {}), **recipe.model.options)


def _function(name: str) -> Any:
    module, _, function = MAKERS[name].target.partition(":")
    return getattr(import_module(module), function)
