"""From what an agent wrote to which entry it meant: ids as they are, "#2" as the second entry shown last.

Everything in one action is resolved against the memory as it was shown before the step, so that an update cannot land
on whatever took its rank meanwhile. (In AtomMem's released code rank 0 is the last entry, and the second use of a rank
finds nothing.)
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import replace

from memgym.memory.memory import Memory
from memgym.operations import Create, Delete, Evolve, Link, Operation, Result, Status, Update


def resolve(operation: Operation, memory: Memory, shown: Sequence[str]) -> Operation | Result:
    """Return the operation with ids in place of ranks, or a Result that says which address means nothing."""
    match operation:
        case Update() | Delete() | Evolve():
            (id,), reason = _ids((operation.id,), memory, shown)
            return replace(operation, id=id) if not reason else _refused(operation, reason)
        case Link():
            ids, reason = _ids((operation.id, *operation.to), memory, shown)
            return replace(operation, id=ids[0], to=ids[1:]) if not reason else _refused(operation, reason)
        case Create() if operation.links:
            ids, reason = _ids(operation.links, memory, shown)
            return replace(operation, links=ids) if not reason else _refused(operation, reason)
    return operation


def _ids(addresses: tuple[str, ...], memory: Memory, shown: Sequence[str]) -> tuple[tuple[str, ...], str]:
    ids, reasons = [], []
    for address in addresses:
        id, reason = _id(address, memory, shown)
        ids.append(id)
        reasons += [reason] if reason else []
    return tuple(ids), "; ".join(reasons)


def _id(address: str, memory: Memory, shown: Sequence[str]) -> tuple[str, str]:
    if address.startswith("#"):
        digits = address[1:]
        rank = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else 0
        if 1 <= rank <= len(shown):
            address = shown[rank - 1]
        else:
            return address, f"{_short(address)} is no rank of the {len(shown)} entries shown last"
    if memory.get(address) is None:
        return address, f"no entry has the id {_short(address)}{_near(address, memory)}"
    return address, ""


def _short(address: str) -> str:
    return repr(address if len(address) <= 40 else address[:40] + "...")


def _near(address: str, memory: Memory) -> str:
    if len(address) > 20:
        return ""
    known = [entry.id for entry in memory.entries()[-200:]]
    near = difflib.get_close_matches(f"m{address}" if address.isdigit() else address.lower(), known, n=1, cutoff=0.6)
    return f"; did you mean {near[0]}?" if near else ""


def _refused(operation: Operation, reason: str) -> Result:
    return Result(operation.kind, Status.UNKNOWN_ID, reason=reason)
