"""Several memory systems in one environment: each with stores, a part of the scratchpad and ids of its own.

Their steps are taken together: all run until each asks for a step or is through, then one step carries the operations
of all. A system works as if it were alone; its stores are named "label.store" in the environment.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import Any

from memgym.agent import Observation, World, until_asked
from memgym.memory.entry import Hit
from memgym.operations import Action, Create, Delete, Evolve, Link, Operation, Read, Result, Scratchpad, Update

from ..sections import read, write

MISSING = "Missing"
"""The heading in the scratchpad under which stands which systems failed."""


class Tenant:
    """What one system has of a shared environment. An id that it was never shown is one that no entry has."""

    def __init__(self, label: str, stores: Sequence[str]) -> None:
        self.label = label
        self.stores = {name: f"{label}.{name}" for name in stores}
        self._default = self.stores[stores[0]]
        self._names = {given: name for name, given in self.stores.items()}
        self._known: set[str] = set()

    def outward(self, operation: Operation) -> Operation:
        """Return an operation as the environment takes it."""
        match operation:
            case Create():
                return replace(operation, store=self._store(operation.store), links=self._ids(operation.links))
            case Read():
                return replace(operation, store=self._store(operation.store))
            case Link():
                return replace(operation, id=self._id(operation.id), to=self._ids(operation.to))
            case Update() | Delete() | Evolve():
                return replace(operation, id=self._id(operation.id))
        return operation

    def inward(self, seen: Observation, results: tuple[Result, ...], scratchpad: str) -> Observation:
        """Return what this system sees of a step: the answers to its own operations, and what its own reads found."""
        found = {id for result in results if result.operation == "read" for id in result.ids}
        self._known.update(id for result in results if result.ok or result.operation == "create" for id in result.ids)
        hits = tuple(self._local(hit) for hit in seen.memories if hit.entry.id in found)
        return seen._replace(scratchpad=scratchpad, memories=hits, results=results)

    def _store(self, name: str | None) -> str:
        return self._default if name is None else self.stores.get(name, f"{self.label}.{name}")

    def _id(self, id: str) -> str:
        return id if id in self._known else f"{self.label}.{id}"

    def _ids(self, ids: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self._id(id) for id in ids)

    def _local(self, hit: Hit) -> Hit:
        return replace(hit, entry=replace(hit.entry, store=self._names[hit.entry.store]))


class Shared:
    """One environment for several tenants. ``worlds`` are what each of them sees of it."""

    def __init__(self, world: World, tenants: Sequence[Tenant]) -> None:
        self._world = world
        self._tenants = {tenant.label: tenant for tenant in tenants}
        self._headings = [*self._tenants, MISSING]
        self.worlds = {label: World(world.observation) for label in self._tenants}
        self.look()

    def look(self) -> None:
        """Show every tenant the present view; what was read before is not shown again."""
        seen = self._world.observation
        pads = read(seen.scratchpad, self._headings)
        for label, tenant in self._tenants.items():
            self.worlds[label].observation = tenant.inward(seen, (), pads[label])

    async def note(self, failure: str) -> None:
        """Write into the scratchpad, and so into the record, that a system failed."""
        pads = read(self._world.observation.scratchpad, self._headings)
        missing = f"{pads[MISSING]}\n{failure}".strip()
        await self._world.step(Action((Scratchpad(write({**pads, MISSING: missing})),)))
        self.look()

    async def together(self, jobs: Mapping[str, Coroutine[Any, Any, Any]], seconds: float | None) -> dict[str, Any]:
        """Run the job of each label to its end and return what came of each: its value, or the exception that it met.

        ``seconds`` is how long a job may take from one step to the next (None: as long as it takes).
        """
        ended: dict[str, Any] = {}
        running = {label: _kept(label, job, ended) for label, job in jobs.items()}
        shown: dict[str, Observation | None] = dict.fromkeys(running)
        while running:
            asked = await asyncio.gather(*(_asked(job, shown[label], seconds) for label, job in running.items()))
            actions: dict[str, Action] = {}
            for label, said in zip(list(running), asked, strict=True):
                if isinstance(said, Action):
                    actions[label] = said
                else:
                    del running[label]
                    ended.setdefault(label, said)
            if actions:
                shown = dict(await self._step(actions))
        return {label: ended[label] for label in jobs}

    async def _step(self, actions: Mapping[str, Action]) -> dict[str, Observation]:
        """Take one step with the operations of all, and return what each sees of it."""
        pads = read(self._world.observation.scratchpad, self._headings)
        operations: list[Operation] = []
        for label, action in actions.items():
            for one in action.operations:
                if isinstance(one, Scratchpad):
                    pads[label] = one.text
                    operations.append(Scratchpad(write(pads)))
                else:
                    operations.append(self._tenants[label].outward(one))
        seen = await self._world.step(Action(tuple(operations)))
        return self._split(seen, actions)

    def _split(self, seen: Observation, actions: Mapping[str, Action]) -> dict[str, Observation]:
        pads = read(seen.scratchpad, self._headings)
        views, at = {}, 0
        for label, action in actions.items():
            results = seen.results[at : at + len(action.operations)]
            at += len(action.operations)
            views[label] = self._tenants[label].inward(seen, results, pads[label])
        return views


async def _kept(label: str, job: Coroutine[Any, Any, Any], ended: dict[str, Any]) -> None:
    ended[label] = await job


async def _asked(
    job: Coroutine[Any, Any, None], shown: Observation | None, seconds: float | None
) -> Action | Exception | None:
    """Run a job until it asks for a step; None: it is through, an Exception: it is broken.

    A command is refused: what the task does next is for all systems to decide, not for one.
    """
    try:
        async with asyncio.timeout(seconds):
            action = await until_asked(job, shown)
    except Exception as failure:  # one system's failure is an answer; the others go on
        return failure
    if action is not None and action.command is not None:
        job.close()
        return ValueError(f"a system on its own gave the command {action.command.kind!r}")
    return action
