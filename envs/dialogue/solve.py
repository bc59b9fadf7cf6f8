"""Answers a query from what was told, and says what it took for that; nothing is guessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from .asking import Before, Between, Deed, First, Now, Query, Role, When, Who, bare
from .days import accepted


@dataclass(frozen=True, slots=True)
class Told:
    """One fact as it was told on a day (``said``): an attribute, a role or an event of ``subject``.

    ``relation`` is a key of ATTRIBUTES, one of ROLES, or a verb of EVENTS; ``day`` is when an event took place.
    """

    subject: str
    relation: str
    object: str
    said: date
    day: date | None = None


@dataclass(frozen=True, slots=True)
class Solved:
    """The accepted answers, the best first, and all that had to be known."""

    answers: tuple[str, ...]
    used: tuple[Told, ...]


class Knowledge:
    """What was told, by whom it is about; the latest telling of an attribute or a role is true now."""

    def __init__(self, told: Sequence[Told]) -> None:
        self._told: dict[tuple[str, str], list[Told]] = {}
        for one in sorted(told, key=lambda one: one.said):
            known = self._told.setdefault((one.subject, one.relation), [])
            if not known or known[-1].object != one.object or one.day != known[-1].day:
                known.append(one)

    def versions(self, subject: str, relation: str) -> list[Told]:
        return self._told.get((subject, relation), [])

    def solve(self, query: Query) -> Solved | None:
        """Return the answer to a query; None where something that it needs was not told."""
        match query:
            case Role(Who(name, role)):
                known = self.versions(name, role)
                return Solved((known[-1].object,), (known[-1],)) if known else None
            case Now(who, attribute):
                return self._attribute(who, attribute, None)
            case Before(who, attribute, object):
                return self._attribute(who, attribute, object)
            case When(name, deed):
                done = self._done(name, deed)
                return Solved(accepted(done.day), (done,)) if done and done.day else None
            case Between(name, first, second) | First(name, first, second):
                return self._compared(query, self._done(name, first), self._done(name, second))

    def _attribute(self, who: Who, attribute: str, before: str | None) -> Solved | None:
        used: tuple[Told, ...] = ()
        name = who.name
        if who.role:
            known = self.versions(name, who.role)
            if not known:
                return None
            used, name = (known[-1],), known[-1].object
        versions = self.versions(name, attribute)
        if before is None:
            return Solved((versions[-1].object,), (*used, versions[-1])) if versions else None
        later = [at for at, one in enumerate(versions) if one.object == before and at]
        if not later:
            return None
        earlier, one = versions[later[-1] - 1], versions[later[-1]]
        return Solved((earlier.object,), (*used, earlier, one))

    def _done(self, name: str, deed: Deed) -> Told | None:
        return next((one for one in self.versions(name, deed[0]) if one.object == deed[1]), None)

    def _compared(self, query: Between | First, first: Told | None, second: Told | None) -> Solved | None:
        if first is None or second is None or first.day is None or second.day is None or first.day == second.day:
            return None
        days = abs((second.day - first.day).days)
        if isinstance(query, Between):
            number = str(days)
            return Solved((number, f"{number} day{'s' if days > 1 else ''}"), (first, second))
        won = query.first if first.day < second.day else query.second
        return Solved((bare(won), won[1]), (first, second))
