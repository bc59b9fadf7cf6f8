"""Where the episodes of an agent-loop worker are played: an event loop of its own in one thread.

verl's workers are asynchronous actors. A step of an environment may take long (a game engine, an encoder), and in
their loop it would stop every other request; here it stops only other steps. One thread also means that environments,
which are lent from episode to episode, are never used by two at once.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from functools import cache
from typing import Any, TypeVar

from memgym.rollout import Cast

T = TypeVar("T")


class Stage:
    """A thread with an event loop, and the environments and models that episodes played there share."""

    def __init__(self) -> None:
        self.cast = Cast()
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="memgym-stage", daemon=True).start()

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the stage and return what it returns; called from any other loop."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))


async def in_loop(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in another loop, from the stage."""
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, loop))


@cache
def stage() -> Stage:
    """Return the stage of this process."""
    return Stage()
