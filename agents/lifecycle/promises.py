"""Contracts at run time: the first real entries must hold what their formation promised."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from memgym.contracts import Contract, ContractError, Violation
from memgym.operations import Create, Operation


class BrokenPromise(ContractError):
    """A component declares a key and does not deliver it."""

    def __init__(self, component: str, stage: str, key: str) -> None:
        super().__init__([Violation(stage, component, (key,))])
        self.args = (f"The {stage} {component!r} promises {key!r}, and none of its first entries has it.",)


_HELD: Mapping[str, Callable[[Create], object]] = {
    "text_content": lambda create: create.text.strip(),
    "keywords": lambda create: create.keywords,
    "tags": lambda create: create.tags,
    "context": lambda create: create.context.strip(),
    "importance": lambda create: dict(create.attributes).get("importance"),
    "strength": lambda create: dict(create.attributes).get("strength"),
    "validity": lambda create: dict(create.attributes).get("valid_at"),
    "task_type": lambda create: dict(create.attributes).get("task_type"),
}


class Promises:
    """Looks at the first batch of entries of an episode, once."""

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self._checked = False

    def check(self, formed: Sequence[Operation]) -> None:
        """Raise BrokenPromise if none of the first entries has a key that was promised."""
        creates = [one for one in formed if isinstance(one, Create)]
        if self._checked or not creates:
            return
        self._checked = True
        for key in sorted(self._contract.provides & _HELD.keys()):
            if not any(_HELD[key](create) for create in creates):
                raise BrokenPromise(self._contract.name, self._contract.stage, key)
