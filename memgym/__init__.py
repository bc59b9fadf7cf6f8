"""memgym: Gymnasium environments in which an agent's memory is part of the state.

``import memgym`` registers every ``MemGym/...`` id and loads nothing heavy; the nouns below come when they are used.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

# A checkout keeps the wings beside this folder; an installed package has them inside it (see setup.py).
_checkout = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if os.path.isfile(os.path.join(_checkout, "pyproject.toml")) and os.path.isdir(os.path.join(_checkout, "envs")):
    __path__.append(_checkout)

from memgym.registry import make_agent, make_benchmark, make_model, names, read_catalogs  # noqa: E402

if TYPE_CHECKING:
    from memgym.agent import Agent, Briefing, Observation, ScriptedAgent
    from memgym.env import MemoryEnv
    from memgym.memory import Entry, Hit, Memory
    from memgym.operations import (
        Act,
        Action,
        Advance,
        Answer,
        Create,
        Delete,
        Evolve,
        Link,
        Read,
        Result,
        Scratchpad,
        Update,
    )
    from memgym.records import Episode, EpisodeRecord
    from memgym.rollout import play, rollout, run
    from memgym.task import Benchmark, Document, Outcome, Question, Sample, Task, TaskView

__version__ = "0.1.0"

_HOMES = {
    "memgym.agent": ("Agent", "Briefing", "Observation", "ScriptedAgent"),
    "memgym.env": ("MemoryEnv",),
    "memgym.memory": ("Entry", "Hit", "Memory"),
    "memgym.operations": (
        "Act", "Action", "Advance", "Answer", "Create", "Delete", "Evolve", "Link", "Read", "Result", "Scratchpad",
        "Update",
    ),
    "memgym.records": ("Episode", "EpisodeRecord"),
    "memgym.rollout": ("play", "rollout", "run"),
    "memgym.task": ("Benchmark", "Document", "Outcome", "Question", "Sample", "Task", "TaskView"),
}  # fmt: skip
_HOME = {noun: module for module, nouns in _HOMES.items() for noun in nouns}

__all__ = ["__version__", "make_agent", "make_benchmark", "make_model", "names", *_HOME]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'memgym' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


read_catalogs()
