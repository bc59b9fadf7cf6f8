"""An apprentice of the levers that takes its worker with it: on chosen doors, a chosen number of times.

What it is to do stands in environment variables and not in its options, so that the records of a run in which workers
died can be compared with those of one in which none did.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from pathlib import Path

from levers import Apprentice, levers_registered, plug_in

from memgym import registry
from memgym.agent import Observation
from memgym.operations import Action

FOLDER, DOOR, DEATHS = (f"MEMGYM_TEST_MORTAL_{name}" for name in ("FOLDER", "DOOR", "DEATHS"))


class Mortal(Apprentice):
    """Notes in ``FOLDER`` each episode that it begins, and kills its process ``DEATHS`` times when it sees ``DOOR``."""

    name = "mortal"

    async def episode(self, observation: Observation) -> AsyncGenerator[Action, Observation]:
        inner = super().episode(observation)
        action = await anext(inner)
        folder = os.environ.get(FOLDER)
        if folder is not None:
            with open(Path(folder) / "begun", "a") as file:
                file.write(f"{os.getpid()}\n")
            await asyncio.sleep(0)  # so that others of this worker begin too
            if f"{os.environ[DOOR]} door" in observation.view.instruction:
                _die(Path(folder), int(os.environ[DEATHS]))
        while True:
            observation = yield action
            await asyncio.sleep(0)
            try:
                action = await inner.asend(observation)
            except StopAsyncIteration:
                return


def _die(folder: Path, deaths: int) -> None:
    for number in range(deaths):
        try:
            (folder / f"death-{number}").touch(exist_ok=False)
        except FileExistsError:
            continue
        os.kill(os.getpid(), signal.SIGKILL)


@contextmanager
def mortals_registered() -> Iterator[None]:
    """Make the world of levers and its mortal agent known to this process."""
    with levers_registered():
        registry.add("agent", Mortal.name, f"{__name__}:Mortal")
        try:
            yield
        finally:
            del registry._rows["agent"][Mortal.name]


def plug_in_mortals(folder: Path) -> Path:
    """Write the entry points of both into a folder; see ``levers.plug_in``."""
    plug_in(folder)
    with open(folder / "levers-1.0.dist-info" / "entry_points.txt", "a") as file:
        file.write("mortal = mortal_agents:Mortal\n")
    return folder


def begun(folder: Path) -> int:
    """Return how many episodes were begun, over all processes."""
    return len((folder / "begun").read_text().splitlines())


def deaths(folder: Path) -> int:
    return len(list(folder.glob("death-*")))
