"""From names to parts: building the components of a system, and saying what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, cast

from memgym import registry
from memgym.contracts import STAGES, Contract, keys
from memgym.model import ChatModel

from .builtin import NoEvolution, PromptInjection
from .components import Component


def build(
    chosen: Mapping[str, Component | str | None],
    own: Mapping[str, str],
    model: ChatModel | None,
    options: Mapping[str, Mapping[str, Any]],
) -> dict[str, Component]:
    """Return a component for every stage: the one chosen, else the system's own, else the plain one.

    Raises:
        UnknownName: an option's stage, a component or an option of one does not exist.
        ValueError: nothing was named for a stage that has no plain part, or a part is of another stage.
    """
    for stage in options:
        if stage not in STAGES:
            raise registry.unknown("stage", stage, STAGES)
    return {stage: _part(stage, chosen.get(stage) or own.get(stage), model, options.get(stage, {})) for stage in STAGES}


def _part(stage: str, chosen: Component | str | None, model: ChatModel | None, options: Mapping[str, Any]) -> Component:
    if chosen is None:
        chosen = _plain(stage)
    if isinstance(chosen, str):
        chosen = named(chosen, model, options)
    elif options:
        raise ValueError(f"The {stage} is built already; its options {sorted(options)} come too late.")
    if not isinstance(chosen, Component):
        raise TypeError(f"The {stage} is {chosen!r}; a component or the name of one was expected.")
    if chosen.stage != stage:
        raise ValueError(f"{chosen.name!r} is a {chosen.stage} and cannot be the {stage}.")
    return chosen


def _plain(stage: str) -> Component:
    if stage == "evolution":
        return NoEvolution()
    if stage == "utilization":
        return PromptInjection()
    raise ValueError(f"A memory system needs a {stage}; `memgym list components` shows all.")


def named(name: str, model: ChatModel | None, options: Mapping[str, Any]) -> Component:
    """Build the component of this name; it is given the model if it takes one."""
    made = registry.load("component", name)
    given = {"model": model} if "model" in registry.parameters(made) else {}
    return cast("Component", registry.call(made, f"component {name!r}", {**given, **options}))


@cache
def contracts() -> tuple[Contract, ...]:
    """Return the contracts of all registered components."""
    return tuple(registry.load("component", name).contract() for name in registry.names("component"))


def given() -> frozenset[str]:
    """Return what a pipeline may count on while its benchmark is not known: all that a sample can have."""
    return frozenset(key.name for role in ("sample", "raw") for key in keys(role)) | {"task_type"}
