"""The folder of a training run: what is in it, and under which name.

A run that was killed is gone on with from here: what stands whole in the folder is not made again.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from memgym.files import next_free, write_whole

from .recipe import Recipe
from .recipe_files import load_recipe, save_recipe

RECIPE, METRICS = "recipe.yaml", "metrics.jsonl"
CHECKPOINTS, VALIDATION, TEST, VERL = "checkpoints", "validation", "test", "verl"


class TrainingFolder:
    """The files of one run.

    ``recipe.yaml`` is the resolved recipe, ``metrics.jsonl`` one line a step of training ({"step": 1, "data": {...}}),
    ``policy/start``, ``policy/warm`` and ``policy/final`` Hugging Face folders of the policy before anything, after the
    warm start and after GRPO; ``test`` the comparisons; ``checkpoints``, ``validation`` and ``verl`` are verl's.
    """

    def __init__(self, path: Path, recipe: Recipe) -> None:
        self.path = path
        self.recipe = recipe

    @classmethod
    def create(cls, path: Path | None, recipe: Recipe) -> TrainingFolder:
        """Make a new folder: ``path``, the recipe's own, or the next free ``runs/<name>-<number>``.

        A used one is a FileExistsError.
        """
        path = path or (Path(recipe.folder) if recipe.folder else next_free(Path("runs"), recipe.name))
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise FileExistsError(
                f"{path} is in use. Give another --out, or go on with it: memgym train --resume {path}"
            )
        path.mkdir(parents=True, exist_ok=True)
        save_recipe(recipe, path / RECIPE)
        return cls(path, recipe)

    @classmethod
    def resume(cls, path: Path) -> TrainingFolder:
        """Open the folder of a run; one without a recipe is a FileNotFoundError."""
        if not (path / RECIPE).is_file():
            raise FileNotFoundError(f"{path} holds no {RECIPE}: it is not the folder of a training run.")
        return cls(path, load_recipe(path / RECIPE))

    def policy(self, name: str) -> Path:
        """Return where a policy is kept: "start", "warm" or "final"."""
        return self.path / "policy" / name

    def made(self, name: str, make: Callable[[Path], None], *, goes_on: bool = False) -> Path:
        """Return the folder of a policy, made by ``make`` if it is not there whole: a killed ``make`` leaves none.

        ``goes_on``: ``make`` uses what a killed one has left; else it begins with an empty folder.
        """
        place = self.policy(name)
        if not place.is_dir():
            part = place.with_name(f"{name}.part")
            if not goes_on:
                shutil.rmtree(part, ignore_errors=True)
            part.mkdir(parents=True, exist_ok=True)
            make(part)
            os.replace(part, place)
        return place

    @property
    def last_checkpoint(self) -> tuple[int, Path] | None:
        """The step and the folder of the newest whole checkpoint: the one that verl wrote down as the last."""
        told = self.path / CHECKPOINTS / "latest_checkpointed_iteration.txt"
        if not told.is_file():
            return None
        step = int(told.read_text("utf-8"))
        return step, self.path / CHECKPOINTS / f"global_step_{step}"

    def save_metrics(self, steps: Mapping[int, Mapping[str, float]]) -> None:
        """Write the metrics of all steps, whole."""
        write_whole(self.path / METRICS, "".join(_line(step, steps[step]) for step in sorted(steps)))

    def add_metrics(self, step: int, data: Mapping[str, float]) -> None:
        """Add the metrics of a step at once, so that a report can be made while training goes on."""
        with open(self.path / METRICS, "a", encoding="utf-8") as file:
            file.write(_line(step, data))


def _line(step: int, data: Mapping[str, float]) -> str:
    return json.dumps({"step": step, "data": dict(data)}) + "\n"
