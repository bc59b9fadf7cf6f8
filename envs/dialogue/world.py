"""The lives of one sample: who talks, what each tells on which day, and in which session it is said.

Everything is decided here as symbols; the turns and the questions are written from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta

from ..synthetic.dice import Dice
from ..synthetic.names import Namer
from ..synthetic.relations import INSTRUMENTS
from .days import FARTHEST
from .phrases import ATTRIBUTES, DISHES, EVENTS, ROLES, SPORTS, THINGS
from .solve import Told

_START, _SPAN = date(2021, 1, 4), 900
_ATTRIBUTE, _OF_OTHERS = 0.7, 0.6
_PEOPLE_WITH_ROLES = 3


@dataclass(slots=True)
class World:
    """``told`` holds (session, speaker, fact) in the order of sessions; ``dates`` are those of the sessions."""

    people: list[str]
    dates: list[date]
    told: list[tuple[int, str, Told]] = field(default_factory=list)

    def upto(self, session: int) -> list[Told]:
        """Return what was told in the first sessions, this one included (they count from 1)."""
        return [told for at, _, told in self.told if at <= session]


def build(dice: Dice, namer: Namer, people: int, sessions: int, turns: int, changes: float) -> World:
    """Build the lives of some people over ``sessions`` of ``turns`` turns each."""
    day = _START + timedelta(days=dice.below(_SPAN))
    dates = [day := day + timedelta(days=dice.between(3, 24)) for _ in range(sessions)]
    world = World([namer.name("person") for _ in range(people)], dates)
    maker = _Maker(dice, namer, world, turns, changes)
    for name in world.people:
        maker.attributes(name, name, _ATTRIBUTE)
    for name in world.people:
        maker.roles(name)
    maker.events(sessions)
    world.told.sort(key=lambda one: one[0])
    return world


class _Maker:
    """Puts facts into sessions as long as their speakers have turns left."""

    def __init__(self, dice: Dice, namer: Namer, world: World, turns: int, changes: float) -> None:
        self._dice, self._namer, self._world, self._changes = dice, namer, world, changes
        count = len(world.people)
        self._room = {
            (session, name): max(1, len(range(at, turns, count)) - 1)
            for session in range(1, len(world.dates) + 1)
            for at, name in enumerate(world.people)
        }

    def attributes(self, speaker: str, subject: str, chance: float) -> None:
        for name, attribute in ATTRIBUTES.items():
            if self._dice.chance(chance):
                self._life(speaker, subject, name, attribute.kind)

    def _life(self, speaker: str, subject: str, name: str, kind: str) -> None:
        """Tell an attribute once, or anew in later sessions, each time with another object."""
        objects = [self._object(kind)]
        for chance in (self._changes, self._changes / 3):
            if not self._dice.chance(chance):
                break
            objects.append(self._object(kind))
        objects = list(dict.fromkeys(objects))
        for session, one in zip(self._sessions(speaker, len(objects)), objects, strict=False):
            self._tell(session, speaker, Told(subject, name, one, self._date(session)))

    def roles(self, speaker: str) -> None:
        for role in self._dice.shuffled(ROLES)[:_PEOPLE_WITH_ROLES]:
            other = self._namer.name("person")
            for session in self._sessions(speaker, 1):
                self._tell(session, speaker, Told(speaker, role, other, self._date(session)))
                self.attributes(speaker, other, _OF_OTHERS / 2)

    def events(self, count: int) -> None:
        seen: set[tuple[str, str, str]] = set()
        for _ in range(count + 2):
            for speaker in self._world.people:
                verb = self._dice.pick(tuple(EVENTS))
                one = self._object(EVENTS[verb].kind)
                ago = self._dice.below(FARTHEST // 2 + 1) if self._dice.chance(0.9) else FARTHEST
                if (speaker, verb, one) in seen:
                    continue
                seen.add((speaker, verb, one))
                for session in self._sessions(speaker, 1):
                    now = self._date(session)
                    self._tell(session, speaker, Told(speaker, verb, one, now, now - timedelta(days=ago)))

    def _object(self, kind: str) -> str:
        fixed = {"instrument": INSTRUMENTS, "dish": DISHES, "sport": SPORTS, "thing": THINGS}
        return self._dice.pick(fixed[kind]) if kind in fixed else self._namer.name(kind)

    def _sessions(self, speaker: str, count: int) -> list[int]:
        """Return different sessions with a turn left, in order; fewer than ``count`` where there are no more."""
        free = [session for (session, name), room in self._room.items() if name == speaker and room]
        return sorted(self._dice.shuffled(free)[:count])

    def _date(self, session: int) -> date:
        return self._world.dates[session - 1]

    def _tell(self, session: int, speaker: str, told: Told) -> None:
        self._room[session, speaker] -= 1
        self._world.told.append((session, speaker, told))
