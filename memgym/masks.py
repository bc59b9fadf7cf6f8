"""Which operations an environment allows. Ablations are masks in the environment, never edited prompts.

The presets are the rows of AtomMem's Table 2, whose own code silences other tags than the table says.
"""

from __future__ import annotations

from collections.abc import Iterable

from memgym.operations import OPERATIONS
from memgym.registry import unknown

ALL = frozenset(OPERATIONS)
_STORE = frozenset({"create", "read", "update", "delete", "link", "evolve"})

PRESETS = {
    "all": ALL,
    "w/o update": ALL - {"update"},
    "w/o delete": ALL - {"delete"},
    "w/o scratchpad": ALL - {"scratchpad"},
    "w/o store": ALL - _STORE,
    "w/o both": frozenset[str](),
}


def allowed(operations: str | Iterable[str]) -> frozenset[str]:
    """Return the allowed kinds of operation: a preset's name, or kinds as an iterable or comma-separated text.

    An unknown preset or kind is an UnknownName with the nearest valid one.
    """
    if isinstance(operations, str):
        if operations in PRESETS:
            return PRESETS[operations]
        operations = [part.strip() for part in operations.split(",") if part.strip()]
    kinds = frozenset(operations)
    for kind in sorted(kinds - ALL):
        raise unknown("operation or preset", kind, [*OPERATIONS, *PRESETS])
    return kinds
