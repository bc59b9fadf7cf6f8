"""The platform "cpu" of verl: a device module that has what verl asks of one, and answers that nothing is there."""

from __future__ import annotations

import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from verl.plugin.platform import PlatformBase

_NUMBERS = (
    "max_memory_allocated", "max_memory_reserved", "memory_allocated", "memory_reserved"
)  # fmt: skip
_CALLS = (
    "empty_cache", "ipc_collect", "reset_peak_memory_stats", "synchronize", "set_device", "manual_seed",
    "manual_seed_all", "reset_max_memory_allocated",
)  # fmt: skip
_MEMORY = 1 << 34


def _nothing(*_: Any, **__: Any) -> None:
    return None


def _zero(*_: Any, **__: Any) -> int:
    return 0


def _device_module() -> types.ModuleType:
    """Return ``torch.cpu`` with the functions that only accelerators have."""
    module = types.ModuleType("memgym_cpu_device")
    module.__dict__.update({name: one for name, one in vars(torch.cpu).items() if not name.startswith("__")})
    module.__dict__.update(dict.fromkeys(_NUMBERS, _zero) | dict.fromkeys(_CALLS, _nothing))
    module.__dict__.update(
        mem_get_info=lambda *_: (_MEMORY, _MEMORY),
        is_available=lambda: False,  # then verl's reports of device memory return early
        device_count=lambda: 1,
        get_rng_state=lambda *_: torch.get_rng_state(),
        set_rng_state=lambda state, *_: torch.set_rng_state(state),
        current_device=lambda: torch.device("cpu"),
        get_device_name=lambda *_: "CPU",
    )
    return module


_DEVICE = _device_module()


class PlatformCPU(PlatformBase):
    """A process is one device. Ray counts them under "GPU", the only resource that verl looks for."""

    @property
    def device_name(self) -> str:
        return "cpu"

    @property
    def vendor_name(self) -> str:
        return "cpu"

    @property
    def device_module(self) -> types.ModuleType:
        return _DEVICE

    def is_available(self) -> bool:
        return True

    def is_platform_available(self, use_smi_check: bool = False) -> bool:
        return False  # never chosen by itself, only by VERL_PLATFORM

    def current_device(self) -> Any:
        return torch.device("cpu")

    def device_count(self) -> int:
        return 1

    def set_device(self, device_index: int) -> None:
        return None

    def synchronize(self, device_index: int | None = None) -> None:
        return None

    def manual_seed(self, seed: int) -> None:
        torch.manual_seed(seed)

    def manual_seed_all(self, seed: int) -> None:
        torch.manual_seed(seed)

    def set_allocator_settings(self, settings: str) -> None:
        return None

    def empty_cache(self) -> None:
        return None

    def get_device_capability(self, device_index: int = 0) -> tuple[int | None, int | None]:
        return None, None

    def communication_backend_name(self) -> str:
        return "gloo"

    def visible_devices_envvar(self) -> str:
        return "MEMGYM_VISIBLE_CPUS"

    @contextmanager
    def nvtx_range(self, msg: str) -> Iterator[None]:
        yield

    def profiler_start(self) -> None:
        return None

    def profiler_stop(self) -> None:
        return None

    def ray_resource_name(self) -> str:
        return "GPU"

    def ray_noset_envvars(self) -> list[str]:
        return []

    def is_ipc_supported(self) -> bool:
        return False

    def cudart(self) -> Any:
        return None
