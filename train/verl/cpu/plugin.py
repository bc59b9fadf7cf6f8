"""The entry point of the CPU room: imported by verl in each of its processes, it registers the room where it is wanted.

verl swallows what goes wrong in a plug-in, so a run begins with ``assert_registered``.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import PackageNotFoundError, version

PLATFORM = "cpu"
ROLLOUT = "hf_cpu"
VARIABLE = "VERL_PLATFORM"
_ROOM = "memgym.train.verl.cpu"


class PluginMissing(RuntimeError):
    """verl runs in a process in which the CPU room did not register; the message says what to do."""


def wanted() -> bool:
    """Whether this process is to run without an accelerator."""
    return os.environ.get(VARIABLE, "").strip().lower() == PLATFORM


def register() -> None:
    """Make the platform, the rollout server and a working process group known to verl."""
    from verl.plugin.platform import PlatformRegistry
    from verl.workers.rollout import base
    from verl.workers.rollout.replica import RolloutReplicaRegistry

    from .platform import PlatformCPU

    PlatformRegistry.register(platform=PLATFORM)(PlatformCPU)
    RolloutReplicaRegistry.register(ROLLOUT, _replica)
    # verl has no function to register the worker's side of a rollout.
    base._ROLLOUT_REGISTRY[ROLLOUT, "async"] = f"{_ROOM}.rollout.WeightSender"
    _gloo()


def pass_over_new_trl() -> None:
    """Have verl do without trl where that is 1.x: it would import what trl no longer has, and fail on any device."""
    from verl.utils import import_utils

    try:
        new = int(version("trl").partition(".")[0]) >= 1
    except PackageNotFoundError:
        return
    if new:
        import_utils.is_trl_available = lambda: False


def assert_registered() -> None:
    """Raise PluginMissing unless verl knows this room."""
    from verl.plugin.platform import PlatformRegistry
    from verl.workers.rollout.replica import RolloutReplicaRegistry

    if PlatformRegistry.get(PLATFORM) is None or ROLLOUT not in RolloutReplicaRegistry._registry:
        raise PluginMissing(
            "verl does not know memgym's CPU room: its plug-in was not loaded, or failed while it was. Reinstall "
            f"memgym so that its entry point 'verl.plugins' is there, start with {VARIABLE}={PLATFORM}, and see "
            f"`python -c 'import {_ROOM}.plugin as p; p.register()'` for what fails."
        )


def _replica() -> type:
    from .rollout import Replica

    return Replica


def _gloo() -> None:
    """Give process groups a legal backend: verl writes "cpu:gloo,cpu:gloo" for the device "cpu"."""
    from verl.utils import distributed

    begin = distributed.initialize_global_process_group_ray

    def initialize(timeout_second: int | None = None, backend: str | None = None) -> None:
        begin(timeout_second=timeout_second, backend=backend or "cpu:gloo")

    distributed.initialize_global_process_group_ray = initialize


if "verl" in sys.modules:
    pass_over_new_trl()
if wanted():
    register()
