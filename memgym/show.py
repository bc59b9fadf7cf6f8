"""``memgym show``: what one agent or component is made of, from its source to the words that it asks a model in."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer

from memgym import registry
from memgym.asked import kinds_of, prompts_of
from memgym.contracts import STAGES

KINDS = ("agent", "component")


def show(
    kind: Annotated[str, typer.Argument(help="agent or component.")],
    name: Annotated[str, typer.Argument(help="Its name, as `memgym list` shows it.")],
    prompts: Annotated[bool, typer.Option("--prompts", help="Print the text of each prompt too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show an agent: source and deviations, what it needs, its stages with contracts, options and prompts."""
    if kind not in KINDS:
        raise registry.unknown("kind to show", kind, KINDS)
    told = agent(name) if kind == "agent" else component(name)
    if as_json:
        typer.echo(json.dumps(told, indent=1, ensure_ascii=False))
        return
    typer.echo("\n".join(_agent_lines(told) if kind == "agent" else _component_lines(told)))
    if prompts:
        typer.echo("".join(_texts(told)))


def agent(name: str) -> dict[str, Any]:
    """Return what is known of an agent: name, doc, source, about, needs, options, asks, prompts, stages.

    ``about`` is the text of its module, ``source`` the paragraph of it that says where the system is from; ``needs``
    are the environment options that it plays under, by its defaults, ``stages`` its parts as ``component`` gives them.
    """
    made = registry.load("agent", name)
    built: Any = registry.make_agent(name, model=registry.make_model("none")) if getattr(made, "system", {}) else None
    return {
        "name": name,
        **_common(made),
        "needs": {} if built is None else dict(built.needs),
        "stages": {} if built is None else {stage: component(built.parts[stage].name) for stage in STAGES},
    }


def component(name: str) -> dict[str, Any]:
    """Return what is known of a component: as ``agent`` does, and its stage, requires and provides."""
    made = registry.load("component", name)
    contract = made.contract()
    return {
        "name": name,
        "stage": contract.stage,
        **_common(made),
        "requires": sorted(contract.requires),
        "provides": sorted(contract.provides),
    }


def _common(made: Any) -> dict[str, Any]:
    about = inspect.getdoc(inspect.getmodule(made)) or ""
    return {
        "doc": inspect.getdoc(made) or "",
        "source": next((part for part in about.split("\n\n") if part.startswith(("Source:", "Sources:"))), ""),
        "about": about,
        "options": defaults(made),
        "asks": kinds_of(made),
        "prompts": {one.name: {"system": one.system, "user": one.user} for one in prompts_of(made)},
    }


def defaults(made: Any) -> dict[str, Any]:
    """Return the options of a class with their defaults, the model aside; what has no JSON form is given as text."""
    chosen = {
        one.name: one.default
        for one in inspect.signature(made).parameters.values()
        if one.name != "model" and one.default is not one.empty
    }
    return {name: value if isinstance(value, _PLAIN) else repr(value) for name, value in chosen.items()}


_PLAIN = (str, int, float, list, tuple, dict, type(None))


def _agent_lines(told: Mapping[str, Any]) -> Iterator[str]:
    yield f"{told['name']}: {told['doc']}\n\n{told['about']}\n"
    if told["needs"]:
        yield f"needs: {_pairs(told['needs'])}"
    yield from _asking(told)
    for stage, part in told["stages"].items():
        first, _, _ = part["doc"].partition("\n")
        yield f"\n{stage}: {part['name']}"
        yield from (f"  {line}" for line in (first, *_contract(part), *_asking(part)))


def _component_lines(told: Mapping[str, Any]) -> Iterator[str]:
    yield f"{told['name']}: {told['doc']}\n\n{told['about']}\n"
    yield from _contract(told)
    yield from _asking(told)


def _contract(told: Mapping[str, Any]) -> Iterator[str]:
    yield f"requires: {', '.join(told['requires']) or 'nothing'}"
    yield f"provides: {', '.join(told['provides']) or 'nothing'}"


def _asking(told: Mapping[str, Any]) -> Iterator[str]:
    yield f"options: {_pairs(told['options']) or 'none'}"
    yield f"asks: {', '.join(told['asks']) or 'no model'}"


def _pairs(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in values.items())


def _texts(told: Mapping[str, Any]) -> Iterator[str]:
    """Yield every prompt once, with what the system says and what the user says; places are in braces."""
    parts = (told, *told.get("stages", {}).values())
    known = {name: prompt for part in parts for name, prompt in part["prompts"].items()}
    for name, prompt in known.items():
        yield f"\n=== {name} ===\n--- system ---\n{prompt['system']}\n--- user ---\n{prompt['user']}\n"
