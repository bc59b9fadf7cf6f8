"""MultiSystem: several memory systems over one input, searched at once; what each found is shown one after the other.

Rules from MemTools' MultiSystem (search goes to all, results are merged, utilization is a chain); what it leaves open
is fixed here: the chain is in the order given, each system keeps its own number of entries, and one that fails or takes
too long is flagged and the others answer.
"""

from __future__ import annotations

from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from memgym import registry
from memgym.agent import Briefing, World
from memgym.memory.entry import Hit
from memgym.model import ChatModel, Usage

from ..asking import needed
from .sharing import MISSING, Shared, Tenant
from .system import MemorySystem, Pipeline

System = str | Mapping[str, Any] | MemorySystem
_LONGEST = 200


class MultiSystem(Pipeline):
    """Memory systems side by side in one environment, each with stores and a part of the scratchpad of its own.

    systems: in the order in which their findings are shown; each the name of an agent, {"agent": name, "label": ...,
    "options": {...}}, or a MemorySystem. A label (else the agent's name) is the prefix of its stores.
    timeout: seconds that a system may take from one step to the next (None: no bound; with one, what is recorded can
    depend on how fast a model answers).

    A text that an earlier system found is not shown twice. A system that fails while the input is read is out for
    the episode, one that fails at a question is out for it; either is noted in the scratchpad, counted as a failure
    and named in what the model is shown. If all fail, the error of the last is raised.
    """

    name: ClassVar[str] = "multi-system"

    def __init__(
        self, model: ChatModel | None = None, *, systems: Sequence[System] = (), timeout: float | None = None
    ) -> None:
        self.model = needed(model, self.name)
        self.systems = _labelled(systems, self.model)
        if timeout is not None and timeout <= 0:
            raise ValueError(f"timeout is {timeout}; a number of seconds above 0 (or None) was expected.")
        self.timeout = timeout
        self.needs: Mapping[str, Any] = _merged({label: system.needs for label, system in self.systems.items()})

    async def reset(self, briefing: Briefing) -> None:
        await super().reset(briefing)
        children = briefing.rng.spawn(len(self.systems))
        for system, rng in zip(self.systems.values(), children, strict=True):
            await system.reset(replace(briefing, rng=rng))
        self._out: dict[str, str] = {}
        self._shared: Shared | None = None

    async def take_in(self, world: World) -> None:
        shared = self._share(world)
        await self._for_good({one: self.systems[one].take_in(shared.worlds[one]) for one in self._present()}, shared)

    async def settle(self, world: World) -> None:
        shared = self._share(world)
        await self._for_good({one: self.systems[one].settle(shared.worlds[one]) for one in self._present()}, shared)

    async def recall(self, asked: str, world: World) -> str:
        """Return what all systems together say to a question, in the order given, and which of them are missing."""
        shared, missing = self._share(world), dict(self._out)
        searches = {one: self.systems[one].search(asked, shared.worlds[one]) for one in self._present()}
        found = await self._all(searches, shared, missing)
        shared.look()
        shows = {
            one: self.systems[one].show(asked, hits, shared.worlds[one].observation)
            for one, hits in _merge(found).items()
        }
        texts = await self._all(shows, shared, missing)
        flag = f"({MISSING} here, since they failed: {', '.join(missing)}.)" if missing else ""
        return "\n\n".join(part for part in (flag, *texts.values()) if part)

    def _present(self) -> list[str]:
        return [label for label in self.systems if label not in self._out]

    def _share(self, world: World) -> Shared:
        """Return the shared environment, showing what the world shows now."""
        if self._shared is None:
            self._shared = Shared(world, [_tenant(label, system.needs) for label, system in self.systems.items()])
        self._shared.look()
        return self._shared

    async def _for_good(self, jobs: Mapping[str, Coroutine[Any, Any, None]], shared: Shared) -> None:
        await self._all(jobs, shared, self._out)

    async def _all(
        self, jobs: Mapping[str, Coroutine[Any, Any, Any]], shared: Shared, missing: dict[str, str]
    ) -> dict[str, Any]:
        """Run jobs together and return the values of those that came to their end; the others go to ``missing``."""
        came = await shared.together(jobs, self.timeout)
        failed = {label: one for label, one in came.items() if isinstance(one, Exception)}
        for label, failure in failed.items():
            missing[label] = _told(failure)
            _count_failure(self.model)
            await shared.note(f"{label}: {missing[label]}")
        if len(missing) == len(self.systems):
            last = list(failed.values())[-1:]
            raise RuntimeError(f"All systems failed: {missing}.") from (last[0] if last else None)
        return {label: value for label, value in came.items() if label not in failed}


def _labelled(systems: Sequence[System], model: ChatModel) -> dict[str, MemorySystem]:
    found: dict[str, MemorySystem] = {}
    for given in systems:
        label, system = _built(given, model)
        if label in found:
            raise ValueError(f'Two systems are called {label!r}; give one of them a "label".')
        found[label] = system
    if not found:
        raise ValueError('A multi-system needs systems, for instance systems=["a-mem", "awm"].')
    return found


def _built(given: System, model: ChatModel) -> tuple[str, MemorySystem]:
    if isinstance(given, MemorySystem):
        return given.name, given
    row: dict[str, Any] = {"agent": given} if isinstance(given, str) else dict(given)
    for key in row:
        if key not in ("agent", "label", "options"):
            raise registry.unknown("field of a system", key, ["agent", "label", "options"])
    if "agent" not in row:
        raise ValueError(f'{row!r} names no agent; {{"agent": "a-mem"}} was expected.')
    made = registry.make_agent(row["agent"], model=model, **row.get("options", {}))
    if not isinstance(made, MemorySystem):
        raise ValueError(f"The agent {row['agent']!r} is no memory system of five stages and cannot be one of several.")
    return row.get("label") or row["agent"], made


def _tenant(label: str, needs: Mapping[str, Any]) -> Tenant:
    stores = needs.get("stores", "main")
    return Tenant(label, [stores] if isinstance(stores, str) else list(stores))


def _merged(needs: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the environment options that all systems play under; the stores of each get its label."""
    merged: dict[str, Any] = {"stores": []}
    whose: dict[str, str] = {}
    for label, wanted in needs.items():
        merged["stores"] += _tenant(label, wanted).stores.values()
        for name, value in wanted.items():
            if name == "stores":
                continue
            if merged.setdefault(name, value) != value:
                raise ValueError(
                    f"{whose[name]!r} needs {name}={merged[name]!r} and {label!r} {name}={value!r}: they cannot share "
                    "an environment."
                )
            whose.setdefault(name, label)
    return merged


def _merge(found: Mapping[str, Sequence[Hit]]) -> dict[str, list[Hit]]:
    """Return what each system found, without the texts that one before it found."""
    merged: dict[str, list[Hit]] = {}
    seen: set[str] = set()
    for label, hits in found.items():
        merged[label] = [hit for hit in hits if hit.entry.text not in seen]
        seen.update(hit.entry.text for hit in hits)
    return merged


def _told(failure: Exception) -> str:
    return " ".join(f"{type(failure).__name__}: {failure}".split())[:_LONGEST]


def _count_failure(model: ChatModel) -> None:
    count = getattr(model, "count", None)
    if callable(count):
        count(Usage(failures=1))
