"""Writes a world down as sessions of turns: each fact in one turn of its speaker, among talk that tells nothing."""

from __future__ import annotations

from ..sessions import Session, line
from ..synthetic.dice import Dice
from .days import full, phrase
from .phrases import ATTRIBUTES, CLOSINGS, DONE, EVENTS, GREETINGS, MENTIONS, OPENINGS, ROLE_TOLD, ROLES, TALK
from .solve import Told
from .world import World

_MENTION = 0.3


class Writer:
    """Writes the sessions of one world; ``turns`` has the rendered turn of each fact afterwards."""

    def __init__(self, dice: Dice, world: World, turns: int) -> None:
        self._dice, self._world, self._count = dice, world, turns
        self._names = [told.object for _, _, told in world.told if told.object[:1].isupper()] or world.people
        self._known: set[tuple[str, str]] = set()
        self.turns: dict[Told, str] = {}

    def write(self) -> tuple[Session, ...]:
        return tuple(self._session(number) for number in range(1, len(self._world.dates) + 1))

    def _session(self, number: int) -> Session:
        people = self._dice.shuffled(self._world.people)
        speakers = [people[at % len(people)] for at in range(max(self._count, 2 * len(people)))]
        facts: dict[int, Told] = {}
        for name in people:
            own = [told for at, speaker, told in self._world.told if at == number and speaker == name]
            free = [at for at, speaker in enumerate(speakers) if speaker == name]
            places = sorted(self._dice.shuffled(free)[: len(own)])
            facts.update(zip(places, own, strict=True))
        turns = [(speaker, self._turn(at, speaker, facts.get(at))) for at, speaker in enumerate(speakers)]
        self.turns.update((told, line(*turns[at])) for at, told in facts.items())
        return Session(number, full(self._world.dates[number - 1]), tuple(turns))

    def _turn(self, at: int, speaker: str, told: Told | None) -> str:
        dice = self._dice
        if told is None:
            if at < len(self._world.people):
                return dice.pick(GREETINGS)
            mention = dice.pick(MENTIONS).format(x=dice.pick(self._names))
            return f"{dice.pick(TALK)} {mention}" if dice.chance(_MENTION) else dice.pick(TALK)
        opening = f"{dice.pick(OPENINGS)} " if dice.chance(0.5) else ""
        closing = f" {dice.pick(CLOSINGS)}" if dice.chance(0.5) else ""
        return f"{opening}{self._statement(speaker, told)}{closing}"

    def _statement(self, speaker: str, told: Told) -> str:
        dice = self._dice
        if told.day is not None:
            words = phrase(told.day, told.said, dice)
            upper = words[0].upper() + words[1:]
            return dice.pick(DONE).format(past=EVENTS[told.relation].past, o=told.object, d=words, D=upper)
        if told.relation in ROLES:
            return dice.pick(ROLE_TOLD).format(k=told.relation, o=told.object)
        attribute, key = ATTRIBUTES[told.relation], (told.subject, told.relation)
        anew = key in self._known
        self._known.add(key)
        if told.subject == speaker:
            return dice.pick(attribute.anew if anew else attribute.told).format(o=told.object)
        return dice.pick(attribute.anew_of if anew else attribute.told_of).format(s=told.subject, o=told.object)
