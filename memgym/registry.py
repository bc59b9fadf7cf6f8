"""Names to things. Catalogs hold strings, so a name costs nothing until it is used.

The hall imports no wing: it knows the wings as module names in ``CATALOGS`` and finds outside packages by entry point.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
import os
import sys
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from memgym.agent import Agent
    from memgym.model import ChatModel
    from memgym.task import Benchmark

NAMESPACE = "MemGym"
CATALOGS = (
    "memgym.catalog",
    "memgym.envs.catalog",
    "memgym.agents.catalog",
    "memgym.eval.catalog",
    "memgym.train.catalog",
)
KINDS = (
    "benchmark", "agent", "component", "protocol", "model", "encoder", "dialect", "tokenizer", "metric", "command"
)  # fmt: skip
GROUPS = {
    "memgym.benchmarks": "benchmark",
    "memgym.systems": "agent",
    "memgym.components": "component",
    "memgym.protocols": "protocol",
    "memgym.commands": "command",
}

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_rows: dict[str, dict[str, str]] = {kind: {} for kind in KINDS}
_environments: dict[str, dict[str, Any]] = {}


class UnknownName(LookupError):
    """A name that no catalog has; the message proposes the nearest ones and says where names are listed."""


class UnknownOptionError(UnknownName, TypeError):
    """An option that a benchmark, agent or model does not take; the message proposes the nearest ones."""


def unknown(kind: str, name: object, valid: Iterable[str], hint: str = "") -> UnknownName:
    """Return the error for a name that is not among ``valid``, with the nearest valid names."""
    valid = list(valid)
    near = difflib.get_close_matches(str(name), valid, n=3, cutoff=0.5)
    folded = {one.casefold(): one for one in valid}
    near = near or [folded[one] for one in difflib.get_close_matches(str(name).casefold(), folded, n=3, cutoff=0.5)]
    said = f"Did you mean {' or '.join(repr(one) for one in near)}?" if near else _some(kind, valid)
    return UnknownName(" ".join(part for part in (f"There is no {kind} {name!r}.", said, hint) if part))


def _some(kind: str, valid: list[str]) -> str:
    shown = ", ".join(valid[:8]) + (", ..." if len(valid) > 8 else "")
    return f"Known: {shown or 'none'}."


def add(kind: str, name: str, target: str) -> None:
    """Register one name ("module:object") of a kind; a second target for a name is an error."""
    known = _rows[kind].setdefault(name, target)
    if known != target:
        raise ValueError(f"The {kind} {name!r} is {known} already; {target} needs another name.")


def names(kind: str) -> list[str]:
    """Return the names of a kind, sorted: environments with their namespace, as ``gym.make`` takes them."""
    if kind == "environment":
        return [f"{NAMESPACE}/{name}" for name in sorted(_environments)]
    if kind not in _rows:
        raise unknown("kind of thing", kind, [*KINDS, "environment"])
    return sorted(_rows[kind])


def target(kind: str, name: str) -> str:
    """Return the "module:object" behind a name."""
    if name not in _rows[kind]:
        raise unknown(kind, name, names(kind), f"`memgym list {kind}s` shows all.")
    return _rows[kind][name]


def load(kind: str, name: str) -> Any:
    """Import and return what a name stands for. A missing optional package is an ImportError that names its extra."""
    module, _, attribute = target(kind, name).partition(":")
    return getattr(importlib.import_module(module), attribute)


def make_benchmark(name: str, **options: Any) -> Benchmark:
    """Build a benchmark by name; an option that it does not take is a TypeError that names the nearest one."""
    return cast("Benchmark", call(load("benchmark", name), f"benchmark {name!r}", options))


def make_agent(name: str, *, model: ChatModel | None = None, **options: Any) -> Agent:
    """Build an agent by name. ``model`` answers its requests, if it makes any; ``options`` are its own knobs."""
    made = load("agent", name)
    if model is not None and "model" in parameters(made):
        options["model"] = model
    return cast("Agent", call(made, f"agent {name!r}", options))


def make_model(name: str, **options: Any) -> ChatModel:
    """Build a chat model: "rules", "openai:gpt-4o-mini", "transformers:PATH" (what follows the colon is ``model``)."""
    kind, rest = model_kind(name), name.partition(":")[2]
    if rest:
        options = {"model": rest, **options}
    return cast("ChatModel", call(load("model", kind), f"model {kind!r}", options, f": write {kind}:NAME"))


def model_kind(name: str) -> str:
    """Return the kind of a chat model, "kind" or "kind:NAME"; a folder is a ValueError that says how it is named."""
    kind = name.partition(":")[0]
    if kind not in _rows["model"] and os.path.isdir(name):
        raise ValueError(
            f"{name!r} is a folder. A model in it is named transformers:{name}, or policy:{name}, "
            "which answers many requests in one batch on a CPU."
        )
    target("model", kind)
    return kind


def call(function: Any, what: str, options: Mapping[str, Any], hint: str = "") -> Any:
    """Call with keyword options; an unknown one is a TypeError with the nearest, a missing one a TypeError."""
    valid = parameters(function)
    for option in options:
        if option not in valid:
            raise UnknownOptionError(str(unknown(f"option of {what} named", option, valid)))
    if missing := [name for name in _required(function) if name not in options]:
        raise UnknownOptionError(f"The {what} needs {', '.join(f'{name}=...' for name in missing)}{hint}.")
    return function(**options)


def _required(function: Any) -> list[str]:
    taken = _taken(function)
    return [one.name for one in taken if one.kind in _NAMED and one.default is one.empty]


def parameters(function: Any) -> list[str]:
    """Return the names of the keyword options that a class or function takes."""
    return [one.name for one in _taken(function) if one.kind is not one.VAR_KEYWORD]


@lru_cache(maxsize=512)
def _taken(function: Any) -> tuple[inspect.Parameter, ...]:
    # Every episode asks for its agent's, and a signature takes a third of a millisecond to find.
    return tuple(inspect.signature(function).parameters.values())


def environment(name: str) -> Mapping[str, Any]:
    """Return the keyword arguments that an environment id stands for; the namespace may be left out."""
    short = name.removeprefix("memgym:").removeprefix(f"{NAMESPACE}/")
    if short not in _environments:
        raise unknown("environment", name, names("environment"), "`memgym list envs` shows all.")
    return _environments[short]


def add_environment(name: str, options: Mapping[str, Any]) -> None:
    """Register ``MemGym/<name>`` with Gymnasium; ``options`` are the keyword arguments of ``MemoryEnv``."""
    import gymnasium

    _environments[name] = dict(options)
    if f"{NAMESPACE}/{name}" not in gymnasium.registry:
        gymnasium.register(
            id=f"{NAMESPACE}/{name}",
            entry_point="memgym.env:MemoryEnv",
            vector_entry_point="memgym.vector:MemoryVectorEnv",
            kwargs=dict(options),
        )


def read_catalogs() -> None:
    """Read the names of the hall, the wings and installed packages. Called once by ``import memgym``."""
    for module in CATALOGS:
        catalog = importlib.import_module(module)
        for kind in KINDS:
            for name, where in getattr(catalog, f"{kind.upper()}S", {}).items():
                add(kind, name, where)
        for name, options in getattr(catalog, "ENVIRONMENTS", {}).items():
            add_environment(name, options)
    if _any_plugins():
        _read_plugins()


def _any_plugins() -> bool:
    """Look for our groups in the installed entry points, by bytes: a full scan would cost a tenth of our start-up."""
    for folder in filter(os.path.isdir, sys.path):
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith((".dist-info", ".egg-info")):
                    try:
                        with open(os.path.join(entry.path, "entry_points.txt"), "rb") as file:
                            if b"[memgym." in file.read():
                                return True
                    except OSError:
                        continue
    return False


def _read_plugins() -> None:
    from importlib.metadata import entry_points

    for group, kind in GROUPS.items():
        for point in entry_points(group=group):
            add(kind, point.name, point.value)
            if kind == "benchmark":
                add_environment(point.name, {"benchmark": point.name})
