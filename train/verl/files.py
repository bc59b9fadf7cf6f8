"""The files that verl reads for a run: rows of episodes, and the options of the agent loop."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from ..recipe import Recipe
from ..schedule import training_episodes, validation_episodes
from .config import AGENT_LOOP, Places
from .rows import write_rows

_TARGET = "memgym.train.verl.agent_loop.MemGymAgentLoop"


def write_files(recipe: Recipe, places: Places) -> None:
    """Write what ``places`` names; the same recipe gives the same rows, so that a resumed run goes on in its order."""
    write_rows(training_episodes(recipe), Path(places.train_rows))
    write_rows(validation_episodes(recipe), Path(places.validation_rows))
    # The entry alone names the class: verl's decorator would make it forget these options.
    Path(places.agent_loops).write_text(yaml.safe_dump([agent_loop(recipe)], sort_keys=False), encoding="utf-8")


def agent_loop(recipe: Recipe) -> dict[str, Any]:
    """Return our agent loop's entry: the reward, and a seed for each call where the engine takes one for free."""
    reward = recipe.reward
    said = {"name": reward.name, **reward.shaping.model_dump(), "model": reward.model}
    return {
        "name": AGENT_LOOP,
        "_target_": _TARGET,
        "reward": {**said, "model_options": dict(reward.model_options)},
        "seeded": recipe.hardware.device == "cpu",
    }
