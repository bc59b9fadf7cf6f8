"""The driver of a training run: ``python -m memgym.train.verl.main KEY=VALUE ...`` with verl's keys.

It is ``python -m verl.trainer.main_ppo`` with our trainer known where verl looks for it, and with a check that the
plug-ins are there: verl passes over one that fails to load.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from importlib import import_module
from typing import Any

import hydra
import ray
from verl.trainer.main_ppo import TaskRunnerV1, run_ppo
from verl.trainer.ppo.utils import need_critic, need_reference_policy
from verl.utils.config import validate_config
from verl.utils.device import auto_set_device

from .cpu import plugin
from .launch import NOT_STARTED

_SLOW = "timed out during startup"
_PDEATHSIG = 1  # of prctl(2)
TRAINERS = "memgym.train.verl.trainer"
"""Registers our trainers where verl looks for them; only the task runner needs them."""
CONFIG = "verl.trainer.config"
_Runner: Any = TaskRunnerV1.__ray_metadata__.modified_class


@ray.remote
class TaskRunner(_Runner):
    """verl's task runner, in a process that has our trainer registered."""

    def run(self, config: Any) -> None:
        import_module(TRAINERS)
        if config.trainer.device == "cpu":
            plugin.assert_registered()
        super().run(config)


def compose(overrides: list[str]) -> Any:
    """Return verl's config with overrides in Hydra's grammar, checked by verl."""
    with hydra.initialize_config_module(CONFIG, version_base=None):
        config = hydra.compose("ppo_trainer", overrides)
    auto_set_device(config)
    validate_config(
        config, use_reference_policy=need_reference_policy(config), use_critic=need_critic(config)
    )  # fmt: skip
    return config


def die_with_parent() -> None:
    """On Linux, have this process interrupted when the one that started it ends, so that none trains on unseen."""
    parent = os.environ.get("MEMGYM_PARENT")
    if parent is None or sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_PDEATHSIG, signal.SIGINT)
    if os.getppid() != int(parent):
        raise KeyboardInterrupt


def main(overrides: list[str]) -> None:
    die_with_parent()
    config = compose(overrides)
    if config.trainer.device == "cpu":
        plugin.assert_registered()
    try:
        run_ppo(config, task_runner_class=TaskRunner)
    except Exception as error:
        if ray.is_initialized() or _SLOW not in str(error):
            raise
        print(f"Ray did not start: {error}", flush=True)
        os._exit(NOT_STARTED)  # what Ray did start ends with this process only


if __name__ == "__main__":
    main(sys.argv[1:])
