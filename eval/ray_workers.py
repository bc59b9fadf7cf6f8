"""Workers on any number of machines, by Ray (extra ``ray``). One actor is one worker, and plays many jobs at once.

Only this module knows Ray. The machines must be able to import the same memgym and what it plays with.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import memgym
from memgym.extras import require
from memgym.registry import read_catalogs
from memgym.rollout import Cast, Played

from .crew import WorkerLost
from .interrupts import on_interrupt
from .jobs import Job, play_job

ADDRESS = "RAY_ADDRESS"
FORWARDED = ("MEMGYM_", "OPENAI_")
"""What the names of the environment variables begin with that a worker gets from here."""
LOCAL = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_raylet_start_wait_time_s": "120",
    "RAY_agent_register_timeout_ms": "120000",
}
"""Settings of a Ray of our own, unless the environment has others: it sends no reports, and a busy machine has time."""

STARTS = 3

_log = logging.getLogger(__name__)


class Service:
    """What runs in a Ray actor; nothing of a run is in it but models and environments that are used again."""

    def __init__(self) -> None:
        self._cast: Cast | None = None

    async def begin(self, version: str, variables: Mapping[str, str], folder: str, path: Sequence[str]) -> None:
        """Take over the environment variables, the working directory and the import path of who started the run."""
        if memgym.__version__ != version:
            raise RuntimeError(f"memgym is {memgym.__version__} on a Ray worker and {version} here; records would mix.")
        os.environ.update(variables)
        if os.path.isdir(folder):  # on another machine it need not be there
            os.chdir(folder)
        if more := [one for one in path if one not in sys.path]:
            sys.path.extend(more)
            read_catalogs()  # packages beside memgym may be there
        self._cast = Cast()

    async def play(self, job: Job) -> Played:
        assert self._cast is not None
        return await play_job(job, self._cast)


class RayWorker:
    """One actor, which was told to begin."""

    def __init__(self, ray: Any, actor: Any) -> None:
        self._ray, self._actor = ray, actor

    async def begin(self) -> None:
        """Wait until the actor is placed and can play. A WorkerLost if it died, a RuntimeError if it cannot start."""
        # As the argument of a call they are in no list of jobs and on no dashboard, as those of a runtime_env are.
        variables = {name: value for name, value in os.environ.items() if name.startswith(FORWARDED)}
        await self._answer(self._actor.begin.remote(memgym.__version__, variables, os.getcwd(), sys.path))

    async def play(self, job: Job) -> Played:
        """Play one job there; see ``Worker``."""
        played: Played = await self._answer(self._actor.play.remote(job))
        return played

    def stop(self) -> None:
        self._ray.kill(self._actor)

    async def _answer(self, reference: Any) -> Any:
        errors = self._ray.exceptions
        try:
            return await reference
        except errors.RayTaskError as error:
            raise error.cause from None
        except errors.RayError as error:
            if "creation task" in str(error) or "failed to import" in str(error):
                raise RuntimeError(
                    f"A Ray worker cannot start: {error}. Every machine needs memgym {memgym.__version__} and what the "
                    "run uses, in the environment that Ray was started in."
                ) from None
            raise WorkerLost(f"{type(error).__name__}: {' '.join(str(error).split())}") from None


class RayCluster:
    """A connection to the cluster at RAY_ADDRESS, or a local Ray of our own that ends with the run.

    ``size`` is the number of workers: as many as there are CPUs if ``workers`` is None. A worker takes one CPU.
    """

    def __init__(self, workers: int | None) -> None:
        self._ray = require("ray", "ray", "Playing on Ray workers")
        self._ours = not self._ray.is_initialized()
        if self._ours:
            try:
                self._connect(workers)
            except BaseException:
                self._ray.shutdown()  # half a start leaves processes
                raise
        cpus = int(self._ray.cluster_resources().get("CPU", 0))
        self.size = workers or max(1, cpus)
        if self.size > cpus:
            _log.warning("%d Ray workers were asked for; there are %d CPUs, the rest waits for more.", self.size, cpus)
        self._actors = self._ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(Service)

    async def hire(self) -> RayWorker:
        """Place an actor and wait until it is ready."""
        worker = RayWorker(self._ray, self._actors.remote())
        try:
            await worker.begin()
        except BaseException:
            worker.stop()
            raise
        return worker

    def close(self) -> None:
        """End the local Ray, or leave the cluster; actors were stopped one by one."""
        if self._ours:
            self._ray.shutdown()

    def _connect(self, workers: int | None) -> None:
        if os.environ.get(ADDRESS):
            with on_interrupt(signal.default_int_handler):  # in an event loop it would wait for the call's end
                self._ray.init(logging_level=logging.WARNING)
            return
        # Without an address Ray would join any cluster that was started on this machine.
        start_local(self._ray, workers)


def start_local(ray: Any, cpus: int | None) -> None:
    """Start a Ray of this process; it gives itself 30 seconds, which a busy machine may not have: so several times."""
    for name, value in LOCAL.items():
        os.environ.setdefault(name, value)
    for left in reversed(range(STARTS)):
        try:
            with on_interrupt(signal.default_int_handler):
                ray.init(address="local", num_cpus=cpus, include_dashboard=False, logging_level=logging.WARNING)
            return
        except Exception as failed:  # its own word for a start that took too long
            ray.shutdown()
            if not left:
                raise RuntimeError(f"Ray could not be started on this machine: {failed}") from failed
            _log.warning("Ray did not start (%s); trying again.", failed)
