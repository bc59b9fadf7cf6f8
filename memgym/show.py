"""``memgym show``: what one agent or component is made of."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import typer

from memgym import registry

KINDS = ("agent", "component")


def show(
    kind: Annotated[str, typer.Argument(help="agent or component.")],
    name: Annotated[str, typer.Argument(help="Its name, as `memgym list` shows it.")],
) -> None:
    """Show an agent's stages with their contracts and defaults, or one component."""
    if kind not in KINDS:
        raise registry.unknown("kind to show", kind, KINDS)
    thing = registry.load(kind, name)
    typer.echo(f"{name}\n\n{inspect.getdoc(inspect.getmodule(thing)) or inspect.getdoc(thing)}\n")
    if kind == "component":
        typer.echo("\n".join(_component(name)))
        return
    typer.echo(f"options: {_defaults(thing)}")
    for stage, part in getattr(thing, "system", {}).items():
        typer.echo("\n" + "\n".join([f"{stage}:", *(f"  {line}" for line in _component(part))]))


def _component(name: str) -> list[str]:
    made = registry.load("component", name)
    contract = made.contract()
    return [
        f"{name}: {(inspect.getdoc(made) or '').partition(chr(10))[0]}",
        f"requires: {', '.join(sorted(contract.requires)) or 'nothing'}",
        f"provides: {', '.join(sorted(contract.provides)) or 'nothing'}",
        f"options: {_defaults(made)}",
        f"asks: {', '.join(_prompts(made)) or 'no model'}",
    ]


def _defaults(made: Any) -> str:
    chosen = [
        f"{one.name}={one.default!r}"
        for one in inspect.signature(made).parameters.values()
        if one.name != "model" and one.default is not one.empty
    ]
    return ", ".join(chosen) or "none"


def _prompts(made: Any) -> list[str]:
    """Return the kinds of request that a component's class names in its code, by the prompts of its module."""
    module = inspect.getmodule(made)
    used = set(made.__dict__.get("asks", ()))
    code = inspect.getsource(made)
    for label, value in vars(module).items():
        if type(value).__name__ == "Prompt" and label in code:
            used.add(value.name)
    return sorted(used)
