"""Plays ALFWorld by rules, from its text alone: reads the task, looks for things, takes, treats and places them.

It remembers by memory operations only: what a place held when it was first seen is an entry under the room's name, so a
memory that is kept from one episode in a home spares the search in the next. Its rules are our own; ALFWorld's
handcoded expert, which sees the true state, is something else.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

from memgym.agent import Observation, ScriptedAgent
from memgym.operations import Act, Action, Create, Operation, Read, Update

Play = AsyncGenerator[Action, Observation]

MOST_NOTES = 60
"""How many entries are asked for: more than a home has places."""
APPLIANCES = {"clean": "sinkbasin", "heat": "microwave", "cool": "fridge"}
FAR = ("garbagecan", "microwave", "fridge", "toaster", "coffeemachine", "stoveburner", "sinkbasin", "bathtubbasin",
       "toiletpaperhanger", "handtowelholder", "towelholder")  # fmt: skip
"""Places where few things lie; they are searched after the others of their sort."""
CLOSED = ("drawer", "cabinet", "fridge", "microwave", "safe")
"""Places that have to be opened, so that looking costs two commands."""
_HABITS = {
    "fridge": "apple bowl bread cup egg lettuce mug plate potato tomato winebottle",
    "microwave": "apple bread egg mug cup plate potato tomato",
    "sinkbasin": "fork spoon spatula ladle knife butterknife cup mug plate bowl pan pot dishsponge cloth apple potato "
    "tomato egg lettuce handtowel soapbar",
    "garbagecan": "apple bread egg tomato potato lettuce papertowelroll toiletpaper soapbottle spraybottle dishsponge "
    "newspaper tissuebox cd pen pencil",
    "stoveburner": "pan pot kettle",
    "coffeemachine": "mug",
    "toilet": "toiletpaper soapbar soapbottle spraybottle candle cloth tissuebox handtowel",
    "bathtubbasin": "cloth soapbar handtowel dishsponge",
    "toiletpaperhanger": "toiletpaper",
    "handtowelholder": "handtowel",
    "towelholder": "towel",
    "safe": "cd cellphone creditcard keychain statue vase watch",
    "bed": "baseballbat basketball book cellphone laptop newspaper pillow tennisracket teddybear",
    "sofa": "basketball book cellphone creditcard keychain laptop newspaper pillow remotecontrol",
    "armchair": "basketball book cellphone creditcard keychain laptop newspaper pillow remotecontrol",
}
HABITS = {place: tuple(things.split()) for place, things in _HABITS.items()}
"""What may lie in the places that hold few kinds of things; other kinds are not looked for there until the end."""

_SENTENCES = (
    (r"put a clean (\w+) in (\w+)", "clean"), (r"clean some (\w+) and put it in (\w+)", "clean"),
    (r"put a hot (\w+) in (\w+)", "heat"), (r"heat some (\w+) and put it in (\w+)", "heat"),
    (r"put a cool (\w+) in (\w+)", "cool"), (r"cool some (\w+) and put it in (\w+)", "cool"),
    (r"put two (\w+) in (\w+)", "two"), (r"find two (\w+) and put them in (\w+)", "two"),
    (r"put a (\w+) in (\w+)", "put"), (r"put some (\w+) on (\w+)", "put"),
    (r"look at (?:an? )?(\w+) under the (\w+)", "light"), (r"examine the (\w+) with the (\w+)", "light"),
)  # fmt: skip
_ROOM = re.compile(r"Looking quickly around you, you see (.*)\.")
_CONTENTS = re.compile(r"(?:On the|The) ([a-z]+ \d+)(?: is open\. In it|), you see (.*)\.")
_CLOSED = re.compile(r"The ([a-z]+ \d+) is closed\.")
_NAME = re.compile(r"[a-z]+ \d+")


@dataclass(frozen=True, slots=True)
class Errand:
    """What is asked: how (put, clean, heat, cool, two, light), which kind of thing, and the kind of place or lamp."""

    how: str
    thing: str
    place: str


def read_task(instruction: str) -> Errand:
    """Read the task sentence; raises ValueError for one that is none of ALFWorld's."""
    found = re.search(r"Your task is to: (.*?)\.(?:\s|$)", instruction)
    for pattern, how in _SENTENCES if found else ():
        match = re.fullmatch(pattern, found[1]) if found else None
        if match:
            return Errand(how, match[1], match[2])
    raise ValueError(
        "The agent 'handcoded' plays ALFWorld only, by its task sentences ('put a clean mug in desk'); this is none: "
        f"{(found[1] if found else instruction)[:80]!r}."
    )


def read_room(text: str) -> list[str]:
    """Read the places of a room from a game's first text; raises ValueError where it names none."""
    found = _ROOM.search(text)
    places = _NAME.findall(found[1]) if found else []
    if not places:
        raise ValueError(f"The agent 'handcoded' begins with a look at the room; this is none: {text[:80]!r}.")
    return places


@dataclass(slots=True)
class Knowledge:
    """What the agent believes of the room: its places, what each held when first seen, and what each holds now."""

    places: list[str]
    contents: dict[str, list[str]] = field(default_factory=dict)
    seen: dict[str, list[str]] = field(default_factory=dict)
    moved: set[str] = field(default_factory=set)
    entries: dict[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def room(self) -> str:
        """The room's name in memory: one word made of all its places, the same in every episode there."""
        return "room" + hashlib.sha256(", ".join(sorted(self.places)).encode()).hexdigest()[:10]

    def note(self, place: str) -> str:
        held = ", ".join(self.seen[place]) or "nothing"
        return f"{self.room}: at first {place} held {held}."

    def recall(self, id: str, text: str) -> None:
        """Take over an entry that was read, if it is a note of this room."""
        match = re.fullmatch(rf"{self.room}: at first ([a-z]+ \d+) held (.*)\.", text)
        if match and match[1] in self.places:
            self.entries[match[1]] = (id, text)
            self.contents.setdefault(match[1], _NAME.findall(match[2]))

    def look(self, text: str) -> Operation | None:
        """Take in what the game shows; return the note to write when a place is seen for the first time."""
        match = _CONTENTS.search(text)
        if match is None or match[1] not in self.places:
            return None
        place, held = match[1], _NAME.findall(match[2])
        self.contents[place] = held
        if place in self.seen:
            return None
        self.seen[place] = [thing for thing in held if thing not in self.moved]
        return self._write(place)

    def _write(self, place: str) -> Operation | None:
        text, (id, before) = self.note(place), self.entries.get(place, ("", ""))
        if text == before:
            return None
        return Update(id, text) if id else Create(text, keywords=(self.room, *_kinds(self.seen[place])))

    def where(self, kind: str, but: str = "") -> tuple[str, str] | None:
        """Return a thing of a kind and the place that is believed to hold it."""
        for place, held in self.contents.items():
            for thing in held:
                if _kind(thing) == kind and place != but:
                    return thing, place
        return None


class Handcoded(ScriptedAgent):
    """Wins most of ALFWorld's games by rules, without a model. Uses Read, Create and Update where they are allowed."""

    name = "handcoded"
    plays = frozenset({"world"})

    async def episode(self, observation: Observation) -> Play:
        errand = read_task(observation.view.instruction)
        self._known = known = Knowledge(read_room(observation.view.text))
        self._errand, self._at, self._held, self._treated = errand, "", "", ""
        self._shut, self._wait, self._blind = set[str](), list[Operation](), ""
        self._put = "put {} in/on {}" if "put O in/on R" in observation.view.instruction else "move {} to {}"
        if "read" in self.briefing.operations:
            observation = yield Action((Read(known.room, k=MOST_NOTES, by="text"),))
            for hit in observation.memories:
                known.recall(hit.entry.id, hit.entry.text)
        while observation.view.phase == "act":
            command = self._next()
            notes, self._wait = tuple(self._wait), []
            observation = yield Action(notes, Act(command))
            self._learn(command, observation.view.text)

    # ---------------------------------------------------------------- deciding

    def _next(self) -> str:
        errand = self._errand
        if errand.how == "light":
            return self._light()
        target = self._target()
        if self._held:
            return self._treat() or self._go(target) or self._open(target) or self._put.format(self._held, target)
        spared = target if errand.how in ("two", "put") else ""
        return self._fetch(spared)

    def _light(self) -> str:
        if not self._held:
            return self._fetch("")
        lamp = self._known.where(self._errand.place)
        return self._search(self._errand.place) if lamp is None else self._go(lamp[1]) or f"use {lamp[0]}"

    def _treat(self) -> str:
        """Return the way to treating what is held, or the treatment; "" when nothing is left to do to it."""
        how = self._errand.how
        places = [place for place in self._known.places if _kind(place) == APPLIANCES.get(how)]
        if not places or self._treated == self._held:
            return ""
        return self._go(places[0]) or f"{how} {self._held} with {places[0]}"

    def _target(self) -> str:
        """Return the place to fill: the first of its kind, so that two things come together."""
        fitting = [place for place in self._known.places if _kind(place) == self._errand.place]
        return min(fitting, key=_number) if fitting else self._known.places[0]

    def _fetch(self, but: str) -> str:
        found = self._known.where(self._errand.thing, but)
        if found is None:
            return self._search(self._errand.thing)
        thing, place = found
        return self._go(place) or self._open(place) or f"take {thing} from {place}"

    def _search(self, kind: str) -> str:
        """Look into the next unseen place, likely ones first; when all are seen, look again from the beginning."""
        unseen = [place for place in self._known.places if place not in self._known.contents]
        if not unseen:
            self._known.contents.clear()
            unseen = self._known.places
        if self._at in unseen:
            return self._open(self._at) or f"examine {self._at}"
        return self._go(min(unseen, key=lambda place: _order(place, kind)))

    def _go(self, place: str) -> str:
        return "" if self._at == place else f"go to {place}"

    def _open(self, place: str) -> str:
        if place == self._blind:
            return f"examine {place}"
        return f"open {place}" if place in self._shut else ""

    # ---------------------------------------------------------------- learning

    def _learn(self, command: str, text: str) -> None:
        verb, names = command.partition(" ")[0], _NAME.findall(command)
        refused = text.startswith("Nothing happens.")
        if verb in ("go", "examine"):
            self._blind = ""
        if verb == "take":
            self._taken(names[0], names[1], refused)
        elif refused:
            self._give_up(verb, names)
        elif verb == "go":
            self._at = names[0]
        elif verb in ("put", "move"):
            self._known.contents.setdefault(names[1], []).append(names[0])
            self._held = ""
        elif verb in APPLIANCES:
            self._treated = names[0]
        self._see(text)

    def _see(self, text: str) -> None:
        closed, note = _CLOSED.search(text), self._known.look(text)
        if closed:
            self._shut.add(closed[1])
        elif _CONTENTS.search(text):
            self._shut.discard(self._at)
        if note is not None and note.kind in self.briefing.operations:
            self._wait.append(note)

    def _taken(self, thing: str, place: str, refused: bool) -> None:
        """Note that a thing left its place; one that was not there was moved since the memory was written."""
        held = self._known.contents.get(place, [])
        if thing in held:
            held.remove(thing)
        if not refused:
            self._held = thing
            self._known.moved.add(thing)

    def _give_up(self, verb: str, names: list[str]) -> None:
        """Stop expecting what the game refuses, so that no command is tried for ever."""
        if verb == "go":
            # Some places stand together: who is at one cannot go to the other, and has not looked at it.
            self._at = self._blind = names[0]
        elif verb in APPLIANCES:
            self._treated = names[0]
        elif verb in ("open", "examine"):
            self._shut.discard(names[0])
            self._known.contents.setdefault(names[0], [])
        elif verb in ("put", "move") and len(self._known.places) > 1:
            self._known.places = [place for place in self._known.places if place != names[1]]


def _order(place: str, kind: str) -> tuple[bool, bool, bool, int]:
    """Order places by how likely and how cheap it is to find a kind of thing there."""
    sort = _kind(place)
    likely = kind in HABITS.get(sort, (kind,))
    return not likely, sort in CLOSED, sort in FAR, _number(place)


def _kind(name: str) -> str:
    return name.partition(" ")[0]


def _number(name: str) -> int:
    return int(name.partition(" ")[2])


def _kinds(names: list[str]) -> list[str]:
    return sorted({_kind(name) for name in names})
