"""The folder of a training run as a report reads it: its recipe, its metrics by step, and the rows of its comparison.

The training wing writes these files and documents their names (docs/training.md); nothing of it is imported.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

RECIPE, METRICS, TABLE = "recipe.yaml", "metrics.jsonl", "test/table.json"
VALIDATION = "val-core/"
_UNLIKE = ("seed", "folder", "name")
"""What may differ between runs that are drawn as one curve with a band."""


@dataclass(frozen=True, slots=True)
class TrainingRun:
    """A training run that was read. ``metrics`` are numbers by step; ``table`` is empty until training is over."""

    name: str
    path: Path
    recipe: Mapping[str, Any]
    metrics: Mapping[int, Mapping[str, float]]
    table: Sequence[Mapping[str, Any]]

    @property
    def seed(self) -> int:
        return int(self.recipe.get("seed", 0))

    @property
    def likeness(self) -> str:
        """What runs of several seeds have in common, as text."""
        return json.dumps({key: value for key, value in self.recipe.items() if key not in _UNLIKE}, sort_keys=True)

    @property
    def validation(self) -> dict[int, float]:
        """The mean reward of held-out samples by step."""
        found = {}
        for step, data in self.metrics.items():
            values = [value for name, value in data.items() if name.startswith(VALIDATION) and "/reward/mean" in name]
            if values:
                found[step] = values[0]
        return found


def is_training(path: Path) -> bool:
    """Return whether a folder is one of training, not of ``memgym bench``."""
    return (path / RECIPE).is_file() and not (path / "config.yaml").exists()


def read_training(path: Path) -> TrainingRun:
    """Read the folder of a training run; without one step of metrics it is a FileNotFoundError."""
    file = path / METRICS
    if not is_training(path):
        raise FileNotFoundError(f"{path} holds no {RECIPE}: it is not the folder of a training run.")
    metrics = dict(_steps(file)) if file.is_file() else {}
    if not metrics:
        raise FileNotFoundError(f"{file} holds no step yet: there is nothing to draw.")
    recipe = yaml.safe_load((path / RECIPE).read_text("utf-8"))
    table = json.loads((path / TABLE).read_text("utf-8")) if (path / TABLE).is_file() else []
    return TrainingRun(path.resolve().name, path, recipe, dict(sorted(metrics.items())), table)


def _steps(file: Path) -> Iterator[tuple[int, dict[str, float]]]:
    """Yield step and numbers of each line; a broken last one is left out, any other is a ValueError."""
    lines = file.read_text("utf-8").splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        try:
            said = json.loads(line)
            yield int(said["step"]), _numbers(said["data"])
        except (ValueError, LookupError, TypeError, AttributeError) as broken:
            if number == len(lines) and not line.endswith("\n"):
                return
            raise ValueError(f"{file}, line {number} is no step of training: {broken}") from broken


def _numbers(data: Mapping[str, Any]) -> dict[str, float]:
    return {name: float(value) for name, value in data.items() if isinstance(value, (int, float))}
