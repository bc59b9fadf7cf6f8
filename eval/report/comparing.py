"""Which runs may stand in one table: those that differ in nothing but agents, protocol and samples."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..metrics.rows import row_of
from .runs import Run

PLACES = ("data", "path", "folder")
"""Where data lies on a machine: it identifies nothing, its checksum does."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs between runs: the value by run, and whether rows across it must not be compared."""

    what: str
    values: Mapping[str, str]
    forbids: bool


def facts(run: Run) -> dict[str, Any]:
    """Return what must be equal for two runs' rows to be compared, as JSON values."""
    config, settings = run.config, run.settings
    return {
        "environment": config.env,
        "options": _placeless(config.env_options),
        "model": {"model": config.model, **config.model_options},
        "data": _one(_distinct(_placeless(one.get("benchmark", {})) for one in settings)),
        "judge": _one(_distinct(one["judge"] for one in settings if one.get("judge"))),
        "memgym version": _one(_distinct(one.get("memgym") for one in settings)),
    }


def samples(run: Run) -> str:
    """Return what was sampled, as text: two runs that differ in it cannot be compared pair by pair."""
    return f"{run.config.episodes} episodes an agent, seed {run.config.seed}"


def groups(runs: Sequence[Run]) -> list[list[Run]]:
    """Return the runs in groups whose rows can be compared, in the order given."""
    found: dict[str, list[Run]] = {}
    for run in runs:
        found.setdefault(_told(facts(run)), []).append(run)
    return list(found.values())


def differences(runs: Sequence[Run]) -> list[Difference]:
    """Return everything in which runs differ beyond their agents; another protocol or other samples forbid nothing."""
    made = {run.name: facts(run) for run in runs}
    names = list(next(iter(made.values()), {}))
    found = [Difference(name, _differing({run: one[name] for run, one in made.items()}), True) for name in names]
    found.append(Difference("protocol", _differing({run.name: run.config.protocol for run in runs}), False))
    found.append(Difference("samples", _differing({run.name: samples(run) for run in runs}), False))
    return [one for one in found if one.values]


def _differing(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the values by run as texts, of mappings only the parts that are not equal; empty if nothing differs."""
    if len(_distinct(values.values())) < 2:
        return {}
    if not all(isinstance(value, Mapping) for value in values.values()):
        return {run: _told(value) for run, value in values.items()}
    names = dict.fromkeys(name for value in values.values() for name in value)
    parts = {name: _differing({run: value.get(name) for run, value in values.items()}) for name in names}
    return {run: ", ".join(f"{name}: {part[run]}" for name, part in parts.items() if part) for run in values}


def unlike(runs: Sequence[Run]) -> list[str]:
    """Return a warning for each agent that several runs have, if it did not run with the same options and encoder."""
    found: dict[str, dict[str, Any]] = {}
    for run in runs:
        for record in run.records:
            made = {"encoder": record.setting.get("encoder"), "options": _placeless(record.setting.get("options", {})),
                    "its own options": dict(record.episode.agent_options)}  # fmt: skip
            found.setdefault(row_of(record), {}).setdefault(run.name, made)
    told = {agent: _differing(made) for agent, made in found.items()}
    return [
        f"{agent} is not the same in all runs: " + "; ".join(f"{run} has {said}" for run, said in values.items()) + "."
        for agent, values in told.items()
        if values
    ]


def within(run: Run) -> list[str]:
    """Return what differs between the records of one run that should be the same (it was resumed elsewhere)."""
    found = []
    for what, kept in (("data", "benchmark"), ("version of memgym", "memgym")):
        if len(_distinct(_placeless(one.get(kept, {})) for one in run.settings)) > 1:
            found.append(f"{run.name}: its episodes were not all played with the same {what}; see the settings below.")
    return found


def _placeless(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _placeless(one) for name, one in value.items() if name not in PLACES}
    return value


def _distinct(values: Any) -> list[Any]:
    return list({json.dumps(value, sort_keys=True, default=str): value for value in values}.values())


def _one(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values


def _told(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
