"""Which episodes a recipe plays: those of training in the order of their schedule, and those that are held out.

The schedulers are the eval wing's protocols, found by name. What a group of rollouts shares is made and checked here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from memgym import registry
from memgym.records import Episode, EpisodeRecord

from .recipe import Recipe

POLICY = "policy"
"""The name under which an episode asks for the model that is trained."""
_VALIDATION, _TEST = 1, 2
"""Added to a recipe's seed, so that the order of held-out samples is another one."""


class UnsharedGroup(ValueError):
    """Rollouts that were to be a group, and differ in more than what was sampled."""


def training_episodes(recipe: Recipe) -> list[Episode]:
    """Return the episodes of one epoch in their order, one for each group; ``member_of`` makes the group.

    A schedule whose episodes start with the memory of others is a ValueError: rows must be known before training.
    """
    return _scheduled(recipe, recipe.data.schedule, "train", recipe.data.split, recipe.samples, recipe.seed, {})


def validation_episodes(recipe: Recipe) -> list[Episode]:
    """Return the episodes that are played while training and never trained on, each by itself."""
    held = recipe.validation
    seed = recipe.seed + _VALIDATION
    return _scheduled(recipe, {"name": "isolated"}, "validation", held.split, held.samples, seed, held.options)


def held_out_settings(recipe: Recipe) -> dict[str, dict[str, Any]]:
    """Return the environment options of each table of the test by its name; "" is the recipe's own setting."""
    own = _options(recipe, recipe.test.split, {})
    return {"": own, **{name: {**own, **more} for name, more in recipe.test.settings.items()}}


def held_out_seed(recipe: Recipe) -> int:
    """Return the seed of the test: its order of samples is that of no other part."""
    return recipe.seed + _TEST


def member_of(episode: Episode, member: int) -> Episode:
    """Return one member of an episode's group: its own sampling, and everything else the same."""
    return replace(episode, id=f"{episode.id}/{member}", member=member)


def check_group(records: Sequence[EpisodeRecord]) -> None:
    """Raise UnsharedGroup unless these rollouts share sample, stream order, starting memory, world and first sight.

    ``EpisodeRecord.group`` names the first three; ``start`` is the digest of the first observation.
    """
    for name, of in _SHARED.items():
        values = {repr(of(record)): record.episode.id for record in records}
        if len(values) > 1:
            told = ", ".join(f"{id}: {value}" for value, id in sorted(values.items()))
            raise UnsharedGroup(f"A group shares its {name}, and these do not: {told}.")
    members = [record.episode.member for record in records]
    if len(set(members)) < len(members):
        raise UnsharedGroup(f"The members of a group sample for themselves; these numbers are not distinct: {members}.")


_SHARED: Mapping[str, Callable[[EpisodeRecord], object]] = {
    "sample, order and starting memory": lambda record: record.group,
    "seed": lambda record: record.episode.seed,
    "world": lambda record: (record.episode.env, dict(sorted(record.episode.options.items()))),
    "first observation": lambda record: record.start,
    "agent": lambda record: (record.episode.agent, dict(sorted(record.episode.agent_options.items()))),
}


def _scheduled(
    recipe: Recipe,
    schedule: Mapping[str, Any],
    phase: str,
    split: str | None,
    count: int,
    seed: int,
    options: Mapping[str, Any],
) -> list[Episode]:
    protocol = _protocol(schedule)
    player = {
        "name": phase,
        "agent": recipe.agent.name,
        "env_options": _options(recipe, split, options),
        "agent_options": recipe.agent.options,
        "model": POLICY,
    }
    plan = protocol.plan(recipe.env.id, count, seed, player)
    protocol.check(plan)
    return [episode for lane in protocol.lanes(plan) for batch in lane for episode in batch]


def _protocol(schedule: Mapping[str, Any]) -> Any:
    knobs = dict(schedule)
    name = knobs.pop("name", "isolated")
    made = registry.load("protocol", name)
    if made.keeps:
        free = [one for one in registry.names("protocol") if not registry.load("protocol", one).keeps]
        raise ValueError(
            f"The schedule {name!r} starts episodes with the memory of others, which is not known before training; "
            f"{' or '.join(free)} was expected."
        )
    for knob in knobs:
        if knob not in made.model_fields:
            raise registry.unknown(f"knob of the schedule {name!r} named", knob, made.model_fields)
    return made(**knobs)


def _options(recipe: Recipe, split: str | None, more: Mapping[str, Any]) -> dict[str, Any]:
    return {**recipe.env.settings, **({} if split is None else {"split": split}), **more}
