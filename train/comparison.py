"""The table after training: the policy before and after GRPO, beside agents that read and answer with the same model.

It is the eval wing's ``bench`` command, found by name, so that records, intervals and reports are those of any run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from memgym.cli import command

from .folder import TEST, TrainingFolder
from .recipe import Recipe
from .schedule import held_out_seed, held_out_settings

BEFORE, AFTER = "before GRPO", "after GRPO"
TABLE = "table.json"
_RUN_METRICS, _RUN_CONFIG = "metrics.json", "config.yaml"
_CONCURRENCY = 64


@dataclass(frozen=True, slots=True)
class Bout:
    """One run of ``bench``: under which setting, with which policy, who plays."""

    setting: str
    policy: str
    agents: tuple[Mapping[str, Any], ...]
    options: Mapping[str, Any]

    @property
    def place(self) -> str:
        """The folder of the run, below that of the training run."""
        return f"{TEST}/{_plain(self.setting) or 'own'}-{_plain(self.policy)}"


def compare(folder: TrainingFolder, policies: Mapping[str, Path]) -> list[dict[str, Any]]:
    """Play every bout that is not played yet and return the rows of the table, each with its setting.

    ``policies`` are folders or hub names by label, BEFORE and AFTER.
    """
    rows = []
    for bout in bouts(folder.recipe):
        place = folder.path / bout.place
        if not (place / _RUN_METRICS).is_file():
            _play(folder, bout, policies[bout.policy], place)
        told = json.loads((place / _RUN_METRICS).read_text("utf-8"))
        rows += [{"setting": bout.setting, "policy": bout.policy, **row} for row in told["rows"]]
    (folder.path / TEST / TABLE).write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return rows


def bouts(recipe: Recipe) -> Iterator[Bout]:
    """Yield what is compared: in each setting both policies and the agents, under each mask the trained policy."""
    bounds = ({"agent": name, "label": f"{name} (bound)"} for name in recipe.test.bounds)
    agents = (*({"agent": name} for name in recipe.test.agents), *bounds)
    for name, options in held_out_settings(recipe).items():
        yield Bout(name, BEFORE, (_policy(recipe, BEFORE), *agents), options)
        yield Bout(name, AFTER, (_policy(recipe, AFTER),), options)
    own = held_out_settings(recipe)[""]
    for mask in recipe.test.masks:
        yield Bout(mask, AFTER, (_policy(recipe, AFTER),), {**own, "operations": mask})


def _policy(recipe: Recipe, label: str) -> dict[str, Any]:
    return {"agent": recipe.agent.name, "label": f"policy, {label}", "options": dict(recipe.agent.options)}


def _play(folder: TrainingFolder, bout: Bout, policy: Path, place: Path) -> None:
    """Play a bout, or go on with it where it was killed."""
    bench, asked = command("bench"), place.with_suffix(".yaml")
    if (place / _RUN_CONFIG).is_file():
        bench.main(["--resume", str(place)], standalone_mode=False)
        asked.unlink(missing_ok=True)
        return
    recipe = folder.recipe
    name, options = model_of(recipe, policy)
    config = {
        "env": recipe.env.id,
        "env_options": dict(bout.options),
        "agents": [dict(agent) for agent in bout.agents],
        "model": name,
        "model_options": options,
        "episodes": recipe.test.samples,
        "seed": held_out_seed(recipe),
        "concurrency": _CONCURRENCY,
        "bounds": False,
    }
    place.parent.mkdir(parents=True, exist_ok=True)
    asked.write_text(yaml.safe_dump(config, sort_keys=False, allow_unicode=True), encoding="utf-8")
    bench.main(["--config", str(asked), "--out", str(place)], standalone_mode=False)
    asked.unlink()


def model_of(recipe: Recipe, policy: Path) -> tuple[str, dict[str, Any]]:
    """Return the chat model that plays a policy, with its options: batched on a CPU, transformers' own on a GPU."""
    template = {"template": dict(recipe.model.template)} if recipe.model.template else {}
    if recipe.hardware.device == "cuda":
        return f"transformers:{policy}", {"device": "cuda", "dtype": recipe.model.dtype, **template}
    rollout = recipe.rollout
    budget = {"prompt_limit": rollout.prompt_tokens, "response_limit": rollout.response_tokens}
    return f"policy:{policy}", {**budget, "threads": recipe.hardware.threads, **template}


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
