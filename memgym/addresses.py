"""From what an agent wrote to which entry it meant: ids as they are, "#2" as the second entry shown last.

Everything in one action is resolved against the memory as it was shown before the step, so that an update cannot land
on whatever took its rank meanwhile. (In AtomMem's released code rank 0 is the last entry, and the second use of a rank
finds nothing.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from memgym.memory.memory import Memory
from memgym.operations import Create, Delete, Evolve, Link, Operation, Result, Status, Update

_ADDRESSED = (Update, Delete, Evolve)


def resolve(operation: Operation, memory: Memory, shown: Sequence[str]) -> Operation | Result:
    """Return the operation with ids in place of ranks, or a Result that says which address means nothing."""
    if isinstance(operation, _ADDRESSED) and memory.get(operation.id) is not None:
        return operation
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
    """Name the live entry whose number is the one given, or one digit away from it.

    At most some hundred look-ups, however many entries there are: a policy that guesses ids does so at every step.
    """
    digits = "".join(one for one in address if one.isascii() and one.isdigit()).lstrip("0")
    if not digits or len(address) > 20 or len(digits) > 9:
        return ""
    for number in (digits, *_one_digit_away(digits)):
        if memory.get(f"m{number}") is not None:
            return f"; did you mean m{number}?"
    return ""


def _one_digit_away(digits: str) -> Iterator[str]:
    for at in range(len(digits)):
        yield digits[:at] + digits[at + 1 :]
    for at in range(len(digits)):
        yield from (digits[:at] + one + digits[at + 1 :] for one in "0123456789")
    for at in range(len(digits) + 1):
        yield from (digits[:at] + one + digits[at:] for one in "0123456789")


def _refused(operation: Operation, reason: str) -> Result:
    return Result(operation.kind, Status.UNKNOWN_ID, reason=reason)
