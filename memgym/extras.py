"""Optional packages: imported where they are used, and a missing one says which extra brings it."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType


def require(module: str, extra: str, what: str) -> ModuleType:
    """Import an optional module for ``what``; if it is missing, raise an ImportError that names the extra."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as missing:
        if missing.name is None or not module.startswith(missing.name):
            raise
        raise ImportError(
            f'{what} needs the package {missing.name!r}. Install it with: pip install "memgym[{extra}]"{_here(extra)}'
        ) from None


def _here(extra: str) -> str:
    """Return how to install an extra of a checkout, if this is one."""
    checkout = (Path(__file__).resolve().parent.parent / "pyproject.toml").is_file()
    return f' (in your checkout: pip install -e ".[{extra}]")' if checkout else ""
