"""Sentences that say nothing that is ever asked: openings, small talk, and mentions of other entities.

{s} is the document's entity, {x} another of its kind, {a} an adjective, {t} a trade. ``similarity`` decides how often
a document mentions others: such a sentence shares names with a question and still does not help.
"""

from __future__ import annotations

TRADES = (
    "archivist", "bookbinder", "botanist", "cartographer", "chemist", "conductor", "critic", "dramatist", "engraver",
    "essayist", "geologist", "historian", "illustrator", "inventor", "journalist", "lawyer", "librarian", "linguist",
    "mathematician", "meteorologist", "philologist", "physician", "publisher", "sculptor", "surveyor", "teacher",
    "translator", "watchmaker", "weaver", "zoologist",
)  # fmt: skip
ADJECTIVES = (
    "bright", "busy", "careful", "cheerful", "colourful", "curious", "daring", "faded",
    "famous", "generous", "gloomy", "lively", "modest", "noisy", "patient", "peaceful",
    "plain", "polished", "proud", "quiet", "reserved", "sober", "splendid", "stubborn", "sunny",
)  # fmt: skip

OPENINGS: dict[str, tuple[str, ...]] = {
    "person": (
        "{s} is a {a} {t}.",
        "{s} is best known as a {t} of the {a} kind.",
        "{s} made a name as a {t} with a {a} style.",
    ),
    "organisation": (
        "{s} is a {a} house with a long waiting list.",
        "{s} is an institution that likes to be called {a}.",
        "{s} is run on {a} lines and keeps its own archive.",
    ),
    "city": (
        "{s} is a {a} place with two railway stations.",
        "{s} is thought of as a {a} town by those who pass through.",
        "{s} has a {a} old quarter and a newer one across the water.",
    ),
    "country": (
        "{s} is a {a} country with a short coast.",
        "{s} is a republic of {a} valleys and one long river.",
    ),
    "book": ("{s} is a {a} novel in three parts.", "{s} is a {a} book of some four hundred pages."),
    "film": ("{s} is a {a} film of just under two hours.", "{s} is a {a} motion picture in black and white."),
}

SMALL_TALK: dict[str, tuple[str, ...]] = {
    "person": (
        "{s} keeps a {a} garden and rarely speaks of it.",
        "Friends describe {s} as {a} and good company.",
        "{s} collects old maps of the more {a} sort.",
        "Several letters by {s} survive in private hands.",
        "{s} prefers trains to any other way of travelling.",
        "{s} has little patience with {a} speeches.",
        "A {a} portrait of {s} hangs in a private house.",
    ),
    "organisation": (
        "{s} publishes a {a} yearbook that few people read.",
        "The archive of {s} is open to visitors on request.",
        "{s} is known for a {a} reading room.",
        "{s} awards a small prize for {a} work every second year.",
        "The main hall of {s} has a {a} ceiling.",
        "{s} closes its gates for two weeks each summer.",
    ),
    "city": (
        "The market of {s} is {a} in winter.",
        "{s} has a {a} promenade along the water.",
        "Travellers praise the {a} bridges of {s}.",
        "{s} holds a {a} lantern parade every spring.",
        "The trams of {s} are painted in {a} colours.",
        "{s} is said to have the most {a} bakeries of the region.",
    ),
    "country": (
        "The coast of {s} is {a} even in summer.",
        "{s} holds a {a} festival each autumn.",
        "{s} exports timber and {a} pottery.",
        "The stamps of {s} show {a} birds.",
        "{s} has a {a} national museum.",
    ),
    "book": (
        "Critics called {s} {a} and a little too long.",
        "{s} has a {a} cover in most editions.",
        "The second chapter of {s} is often read aloud at schools.",
        "{s} has been translated into nine languages.",
        "A {a} stage version of {s} failed after a week.",
    ),
    "film": (
        "Critics called {s} {a} and a little too loud.",
        "The costumes of {s} are {a} throughout.",
        "{s} won a prize for its {a} photography.",
        "The music of {s} is still played at weddings.",
        "A {a} poster of {s} is sought after by collectors.",
    ),
}

MENTIONS: dict[str, tuple[str, ...]] = {
    "person": (
        "{s} corresponded with {x} for some years.",
        "{s} is often confused with {x}.",
        "{s} once shared a train compartment with {x}.",
        "{s} gave a {a} review to a lecture by {x}.",
    ),
    "organisation": (
        "{s} has a standing agreement with {x}.",
        "{s} competes with {x} for the attention of the public.",
        "{s} once borrowed a {a} collection from {x}.",
    ),
    "city": (
        "{s} is twinned with {x}.",
        "A slow train connects {s} with {x}.",
        "{s} plays a {a} football match against {x} every year.",
    ),
    "country": ("{s} has signed a fishing treaty with {x}.", "Mail from {s} to {x} takes a {a} detour by sea."),
    "book": ("{s} is sometimes compared with {x}.", "{s} borrows a {a} joke from {x}."),
    "film": ("{s} is sometimes shown together with {x}.", "{s} quotes a {a} scene of {x}."),
}
