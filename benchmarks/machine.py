"""What a figure was measured on: without it no figure means anything."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import time
from pathlib import Path
from typing import Any

import numpy as np

PACKAGES = (
    "memgym", "numpy", "gymnasium", "faiss-cpu", "splintr-rs", "gem-llm", "textarena", "chromadb", "mem0ai",
    "qdrant-client", "hnswlib", "bm25s", "numba", "rank-bm25",
)  # fmt: skip


def describe() -> dict[str, Any]:
    """Return processor, cores, memory, Python, BLAS, versions of the packages that are compared, and the load now."""
    return {
        "date": time.strftime("%Y-%m-%d"),
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_gb": _memory(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "blas": _blas(),
        "threads": os.environ.get("OMP_NUM_THREADS", "not set"),
        "versions": {name: version for name in PACKAGES if (version := _version(name))},
        "load": [round(one, 1) for one in os.getloadavg()] if hasattr(os, "getloadavg") else [],
    }


def line(machine: dict[str, Any]) -> str:
    """Return the description in one line."""
    load = "/".join(map(str, machine["load"])) or "unknown"
    return (
        f"{machine['cpu']}, {machine['cores']} cores, Python {machine['python']}, "
        f"numpy {machine['versions'].get('numpy')} ({machine['blas']}), load {load}, {machine['date']}"
    )


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    for row in info.read_text(encoding="utf-8").splitlines() if info.exists() else ():
        if row.startswith("model name"):
            return row.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (AttributeError, ValueError, OSError):
        return None


def _blas() -> str:
    told: Any = np.show_config(mode="dicts")
    blas = told.get("Build Dependencies", {}).get("blas", {})
    return f"{blas.get('name', 'unknown BLAS')} {blas.get('version', '')}".strip()


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
