"""Every sentence in which a fact is told and every question in which it is asked, as templates; strings only.

{s} is who it is about, {o} the object, {k} a role, {d} a day. What is said anew comes first: "I live in {o}." would
read the sentence "I live in Tolm now." as well.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Attribute:
    """Something that is so until it changes; ``kind`` is what its object is."""

    kind: str
    anew: tuple[str, ...]
    told: tuple[str, ...]
    anew_of: tuple[str, ...]
    told_of: tuple[str, ...]
    asked: tuple[str, ...]
    before: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Event:
    """Something done on one day; ``past`` and ``bare`` are the verb, ``kind`` what its object is."""

    kind: str
    past: str
    bare: str


ATTRIBUTES = {
    "home": Attribute(
        "city",
        anew=("I have moved to {o}.", "I live in {o} now."),
        told=("I live in {o}.", "My flat is in {o}."),
        anew_of=("{s} has moved to {o}.", "{s} lives in {o} now."),
        told_of=("{s} lives in {o}.",),
        asked=("Where does {s} live?", "In which city does {s} live?"),
        before=("Where did {s} live before {o}?", "In which city did {s} live before {o}?"),
    ),
    "job": Attribute(
        "organisation",
        anew=("I have started at the {o}.", "I work at the {o} now."),
        told=("I work at the {o}.", "My job is at the {o}."),
        anew_of=("{s} has started at the {o}.", "{s} works at the {o} now."),
        told_of=("{s} works at the {o}.",),
        asked=("Where does {s} work?", "For whom does {s} work?"),
        before=("Where did {s} work before the {o}?",),
    ),
    "instrument": Attribute(
        "instrument",
        anew=("I have switched to the {o}.", "I play the {o} now."),
        told=("I play the {o}.", "I practise the {o} every evening."),
        anew_of=("{s} has switched to the {o}.", "{s} plays the {o} now."),
        told_of=("{s} plays the {o}.",),
        asked=("Which instrument does {s} play?", "What does {s} play?"),
        before=("Which instrument did {s} play before the {o}?",),
    ),
    "dish": Attribute(
        "dish",
        anew=("These days I like {o} best of all dishes.", "My favourite dish is {o} now."),
        told=("I like {o} best of all dishes.", "My favourite dish is {o}."),
        anew_of=("These days {s} likes {o} best of all dishes.",),
        told_of=("{s} likes {o} best of all dishes.",),
        asked=("Which dish does {s} like best?", "What is the favourite dish of {s}?"),
        before=("Which dish did {s} like best before {o}?",),
    ),
    "sport": Attribute(
        "sport",
        anew=("I have changed to {o}.", "My sport is {o} now."),
        told=("My sport is {o}.", "I train {o} twice a week."),
        anew_of=("{s} has changed to {o}.",),
        told_of=("{s} trains {o} twice a week.",),
        asked=("Which sport does {s} do?", "What does {s} train?"),
        before=("Which sport did {s} do before {o}?",),
    ),
}

EVENTS = {
    "visit": Event("city", "visited", "visit"),
    "watch": Event("film", "watched", "watch"),
    "finish": Event("book", "finished reading", "finish reading"),
    "meet": Event("person", "met", "meet"),
    "buy": Event("thing", "bought a", "buy a"),
}
DONE = ("I {past} {o} {d}.", "{D} I {past} {o}.")
WHEN = ("When did {s} {bare} {o}?", "On which day did {s} {bare} {o}?")
BETWEEN = "How many days lie between the day on which {a} and the day on which {b}?"
FIRST = "What did {s} do first, {a} or {b}?"

ROLES = ("sister", "brother", "boss", "neighbour", "coach", "doctor", "cousin", "flatmate")
ROLE_TOLD = ("My {k} is called {o}.", "{o} is my {k}.")
ROLE_ASKED = ("Who is {s}'s {k}?", "What is the name of {s}'s {k}?")
ROLE_NOUNS = ("{s}'s {k}", "the {k} of {s}")

DISHES = (
    "lentil soup", "mushroom risotto", "fish stew", "pumpkin curry", "potato pancakes", "noodle salad", "bean chili",
    "onion tart", "rice pudding", "cabbage rolls", "cheese dumplings", "tomato pie", "lamb tagine", "leek quiche",
)  # fmt: skip
SPORTS = (
    "rowing", "fencing", "climbing", "badminton", "judo", "archery", "handball", "curling", "karate", "cycling",
    "sailing", "squash", "bouldering", "water polo",
)  # fmt: skip
THINGS = (
    "tent", "kettle", "camera", "sewing machine", "telescope", "raincoat", "bookcase", "bread knife", "hammock",
    "lampshade", "typewriter", "wheelbarrow", "chessboard", "suitcase", "mandolin", "fountain pen", "sledge", "carpet",
    "microscope", "bicycle pump", "picnic basket", "radio", "compass", "wardrobe", "guitar stand", "deckchair",
)  # fmt: skip

GREETINGS = ("Good to hear from you!", "Hello again!", "It has been a while!", "How nice that you have time.")
OPENINGS = (
    "Guess what.", "By the way.", "Oh, before I forget.", "You will not believe it.", "Well, some news.", "Listen.",
)  # fmt: skip
CLOSINGS = (
    "It feels good.", "I still have to get used to it.", "I thought you would like to know.", "What do you say?",
    "It was about time.", "I will tell you more soon.",
)  # fmt: skip
TALK = (
    "That sounds lovely.", "How has your week been?", "The weather has been awful here.", "I slept badly again.",
    "Ha, that is so you!", "I can imagine.", "Let us talk about it over coffee.", "Nothing much is new with me.",
    "I have been thinking about that too.", "Tell me more!", "That must have been something.", "Time flies.",
    "I should call you more often.", "My week was quiet.", "Really? I had no idea.",
)  # fmt: skip
MENTIONS = (
    "Somebody at the market talked about {x} for an hour.", "I saw a poster about {x}, no idea why.",
    "Do you ever think of {x}?", "There was a programme about {x} on the radio.",
    "I would not mind knowing more about {x}.",
)  # fmt: skip
