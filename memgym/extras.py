"""Optional packages: imported where they are used, and a missing one says which extra brings it."""

from __future__ import annotations

import importlib
from types import ModuleType


def require(module: str, extra: str, what: str) -> ModuleType:
    """Import an optional module for ``what``; if it is missing, raise an ImportError that names the extra."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as missing:
        if missing.name is None or not module.startswith(missing.name):
            raise
        raise ImportError(
            f'{what} needs the package {missing.name!r}. Install it with: pip install "memgym[{extra}]"'
        ) from None
