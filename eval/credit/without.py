"""What stands between an agent and its memory where a part is left out: the operation is answered, and has no effect.

It is a write that got lost on its way: the agent is told what it was told when the episode was recorded, so that what
changes is memory and not what is said of it. Ids stay what they were: that of a lost entry is given to no other one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import takewhile

from memgym.memory.entry import Write
from memgym.memory.memory import Memory, key_of
from memgym.operations import (
    Action,
    Create,
    Delete,
    Evolve,
    Link,
    Operation,
    Result,
    Scratchpad,
    Status,
    Update,
)  # fmt: skip
from memgym.records import EpisodeRecord

from .parts import SCRATCHPAD, Part, Place


@dataclass(frozen=True, slots=True)
class Held:
    """For recorded actions: what was not left out is carried out, under the ids that the record gives.

    A Create that was a duplicate of what is gone takes its id, since what came later means it by that; one that was
    refused for another reason gets an id beyond all recorded ones. Time goes on as it was recorded.
    """

    record: EpisodeRecord
    part: Part | None

    def write(self, memory: Memory, operation: Operation, source: Write, number: int) -> Result:
        recorded = self._recorded(source.step, number)
        if self.part is not None and (source.step, number) in self.part.at:
            self._pass_by(memory, recorded)
            return recorded
        if isinstance(operation, Create):
            return self._create(memory, operation, source, number, recorded)
        return memory.apply(operation, source)

    def reads(self, step: int, number: int) -> bool:
        return self.part is None or (step, number) not in self.part.at

    def counts(self, step: int, number: int, result: Result) -> bool:
        return self._recorded(step, number).ok

    def _recorded(self, step: int, number: int) -> Result:
        return self.record.steps[step - 1].results[number]

    def _create(self, memory: Memory, create: Create, source: Write, number: int, recorded: Result) -> Result:
        free = bool(recorded.ids) and memory.get(recorded.ids[0]) is None
        next_id = memory.count_from(key_of(recorded.ids[0]) if free else self._beyond(source.step, number))
        result = memory.apply(create, source)
        memory.count_from(next_id)
        self._pass_by(memory, recorded)
        return result

    def _pass_by(self, memory: Memory, recorded: Result) -> None:
        """Count on past an id that the record gives out here, whether or not it was given out again."""
        if recorded.operation == "create" and recorded.ok:
            memory.count_from(key_of(recorded.ids[0]) + 1)

    def _beyond(self, step: int, number: int) -> int:
        results = [one for step in self.record.steps for one in step.results]
        last = max((key_of(id) for one in results for id in one.ids), default=0)
        widest = max(len(step.results) for step in self.record.steps)
        return last + (step - 1) * widest + number + 1


@dataclass(frozen=True, slots=True)
class Free:
    """For an agent that plays: the part is lost when it comes, and what the agent then does is its own affair.

    An entry stays away: a Create of its text is answered as the duplicate that it would have been. So does the
    scratchpad: every note is lost.
    """

    record: EpisodeRecord
    part: Part | None
    by: str

    def write(self, memory: Memory, operation: Operation, source: Write, number: int) -> Result:
        if self.part is None:
            return memory.apply(operation, source)
        if (source.step, number) == next(iter(self.part.at), None):
            recorded = self.record.steps[source.step - 1].results[number]
            if isinstance(operation, Create):
                memory.take_id()
            return recorded
        if self.by == "entry" and self._is_the_entry(operation, memory, (source.step, number)):
            id = self.part.name
            if isinstance(operation, Scratchpad):
                return Result(operation.kind, Status.OK)
            return Result("create", Status.DUPLICATE, (id,), f"{id} holds exactly this text")
        return memory.apply(operation, source)

    def reads(self, step: int, number: int) -> bool:
        return self.part is None or (step, number) not in self.part.at

    def counts(self, step: int, number: int, result: Result) -> bool:
        return result.ok

    def _is_the_entry(self, operation: Operation, memory: Memory, at: Place) -> bool:
        part = self.part
        if part is None or at < (part.at or ((0, 0),))[0] or (part.until is not None and at[0] >= part.until):
            return False
        if isinstance(operation, Scratchpad):
            return part.kind == SCRATCHPAD
        if not isinstance(operation, Create) or part.birth is None or not memory.unique:
            return False
        text, store = part.birth
        return operation.text == text and (operation.store or memory.default) == (store or memory.default)


def addressed(action: Action, record: EpisodeRecord, step: int) -> Action:
    """Return the action with ids in place of ranks ("#2"), as they were meant when it was recorded."""
    shown = record.steps[step - 2].shown if step > 1 else ()
    return replace(action, operations=tuple(_addressed(one, shown) for one in action.operations))


def _addressed(operation: Operation, shown: tuple[str, ...]) -> Operation:
    match operation:
        case Update() | Delete() | Evolve():
            return replace(operation, id=_id(operation.id, shown))
        case Link():
            return replace(operation, id=_id(operation.id, shown), to=tuple(_id(one, shown) for one in operation.to))
        case Create() if operation.links:
            return replace(operation, links=tuple(_id(one, shown) for one in operation.links))
    return operation


def _id(address: str, shown: tuple[str, ...]) -> str:
    digits = "".join(takewhile(str.isdecimal, address[1:])) if address.isascii() else ""
    rank = int(digits) if address == f"#{digits}" and digits and len(digits) < 10 else 0
    return shown[rank - 1] if 1 <= rank <= len(shown) else address
