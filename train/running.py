"""A training run from its recipe to its table: the policy is made, warmed up, optimised, exported and compared.

Every part leaves its result in the run folder and is passed over where that is there, so that a killed run goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .comparison import AFTER, BEFORE, compare
from .folder import TrainingFolder
from .policy.makers import MAKERS, make_first
from .recipe import Recipe

Say = Callable[[str], None]


def train(folder: TrainingFolder, say: Say) -> list[dict[str, Any]]:
    """Train as the folder's recipe says, from wherever it stopped; return the rows of the table (see ``compare``).

    ``say`` is told in words what is done. Ctrl-C passes through, and leaves a folder to go on with.
    """
    before = first_policy(folder, say)
    optimise(folder, before, say)
    after = exported(folder, say)
    say("comparing on held-out samples")
    return compare(folder, {BEFORE: before, AFTER: after})


def first_policy(folder: TrainingFolder, say: Say) -> Path:
    """Return the policy with which GRPO starts: made where MAKERS has it, warmed up where the recipe says so."""
    recipe = folder.recipe
    start = Path(recipe.model.path)
    if recipe.model.path in MAKERS:
        say(f"making the policy {recipe.model.path}")
        start = folder.made("start", lambda place: make_first(recipe, place))
    if recipe.sft is None:
        return start
    say(f"warm start on {recipe.sft.episodes} episodes of {recipe.sft.teacher}")
    return folder.made("warm", lambda place: _warm_up(recipe, start, place), goes_on=True)


def _warm_up(recipe: Recipe, start: Path, place: Path) -> None:
    from .sft import warm_start

    warm_start(recipe, start, place)


def optimise(folder: TrainingFolder, policy: Path, say: Say) -> None:
    """Run GRPO by verl up to the recipe's last step, from the last checkpoint where there is one."""
    from .verl.config import Places, overrides, settings
    from .verl.files import write_files
    from .verl.launch import launch, read_metrics

    recipe, done = folder.recipe, folder.last_checkpoint
    if done is not None and done[0] >= recipe.steps:
        say(f"GRPO is done: {done[0]} steps")
        return
    places = Places.within(folder.path.resolve(), _absolute(policy))
    write_files(recipe, places)
    folder.save_metrics(read_metrics(folder.path))
    say(f"GRPO, {recipe.steps} steps" + ("" if done is None else f", from step {done[0]}"))
    launch(
        overrides(settings(recipe, places)),
        folder.path,
        device=recipe.hardware.device,
        threads=recipe.hardware.threads,
        step=lambda number, data: _stepped(folder, number, data, say),
    )
    folder.save_metrics(read_metrics(folder.path))


def _absolute(policy: Path) -> str:
    """Return where verl's processes find a policy; what is no folder is a hub's id."""
    return str(policy.resolve()) if policy.is_dir() else str(policy)


def _stepped(folder: TrainingFolder, number: int, data: Mapping[str, float], say: Say) -> None:
    folder.add_metrics(number, data)
    say(told(number, folder.recipe.steps, data))


def told(number: int, steps: int, data: Mapping[str, float]) -> str:
    """Return one line about a step: reward, validation, operations a step, seconds."""
    parts = [f"step {number}/{steps}"]
    for name, key, form in _TOLD:
        if key in data:
            parts.append(f"{name} {data[key]:{form}}")
    checked = [value for key, value in data.items() if key.startswith("val-core/")]
    return ", ".join([*parts, *(f"validation {value:.3f}" for value in checked[:1])])


_TOLD = (
    ("reward", "episode/reward", ".3f"),
    ("creates", "episode/operations/create", ".2f"),
    ("reads", "episode/operations/read", ".2f"),
    ("malformed", "episode/malformed_share", ".2f"),
    ("seconds", "timing_s/step", ".1f"),
)


def exported(folder: TrainingFolder, say: Say) -> Path:
    """Return the trained policy as a Hugging Face folder, of the last checkpoint."""
    from .verl.export import export

    last = folder.last_checkpoint
    if last is None:
        raise FileNotFoundError(f"{folder.path} has no checkpoint: there is no trained policy to export.")
    step, checkpoint = last
    if not folder.policy("final").is_dir():
        say(f"exporting step {step}")
    trusted = folder.recipe.model.trust_remote_code
    return folder.made("final", lambda place: export(checkpoint, place, trust_remote_code=trusted))
