"""What can be said in the world: kinds of entities, and typed relations that are functional at any date."""

from __future__ import annotations

from dataclasses import dataclass

KINDS = ("person", "organisation", "city", "country", "book", "film")

INVERSE = "~"
"""Put before a relation's name for its inverse: ``~author`` leads from a person to the book."""


@dataclass(frozen=True, slots=True)
class Relation:
    """``object`` is a kind of entity or of literal (date, year, count, length, instrument, currency).

    ``dated`` facts may be revised, and carry a month unless no fact of the world does; ``invertible`` ones have at most
    one subject per object in a world, so that the inverse may be asked; ``symmetric`` ones hold both ways.
    """

    name: str
    subject: str
    object: str
    dated: bool = False
    invertible: bool = False
    symmetric: bool = False


RELATIONS: dict[str, Relation] = {
    one.name: one
    for one in (
        Relation("born_in", "person", "city"),
        Relation("born_on", "person", "date"),
        Relation("works_at", "person", "organisation", dated=True),
        Relation("lives_in", "person", "city", dated=True),
        Relation("spouse", "person", "person", symmetric=True),
        Relation("mentor", "person", "person", invertible=True),
        Relation("plays", "person", "instrument"),
        Relation("height", "person", "length"),
        Relation("based_in", "organisation", "city", dated=True),
        Relation("founder", "organisation", "person", invertible=True),
        Relation("founded", "organisation", "year"),
        Relation("head", "organisation", "person", dated=True),
        Relation("lies_in", "city", "country"),
        Relation("population", "city", "count", dated=True),
        Relation("mayor", "city", "person", dated=True),
        Relation("capital", "country", "city"),
        Relation("currency", "country", "currency"),
        Relation("president", "country", "person", dated=True),
        Relation("author", "book", "person", invertible=True),
        Relation("published", "book", "year"),
        Relation("director", "film", "person", invertible=True),
        Relation("released", "film", "year"),
        Relation("set_in", "film", "city"),
    )
}

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
INSTRUMENTS = (
    "accordion", "bagpipes", "bassoon", "bouzouki", "celesta", "cello", "clarinet", "cornet", "dulcimer", "erhu",
    "flute", "glockenspiel", "guitar", "guzheng", "harp", "harpsichord", "hurdy-gurdy", "kalimba", "koto", "lute",
    "lyre", "mandolin", "marimba", "nyckelharpa", "oboe", "ocarina", "oud", "pan flute", "piano", "piccolo", "qanun",
    "recorder", "santur", "saxophone", "shamisen", "sitar", "tabla", "theremin", "timpani", "trombone", "trumpet",
    "tuba", "ukulele", "veena", "vibraphone", "viola", "violin", "xylophone", "zither",
)  # fmt: skip


def month(date: int) -> str:
    """Write a date (12 times the year plus the month, counted from 0) as "May 2016"."""
    return f"{MONTHS[date % 12]} {date // 12}"


def order(literal: str) -> tuple[int, ...]:
    """Return what a date, year, count or length is compared by; () for any other text."""
    words = literal.replace(",", "").split()
    if len(words) == 3 and words[1] in MONTHS and words[0].isdecimal() and words[2].isdecimal():
        return (int(words[2]), MONTHS.index(words[1]), int(words[0]))
    return (int(words[0]),) if words and words[0].isdecimal() else ()


def aliases(literal: str, kind: str) -> tuple[str, ...]:
    """Return every accepted writing of an answer of this kind, the one of the documents first."""
    if kind == "date":
        day, name, year = literal.split()
        return (literal, f"{name} {day}, {year}")
    if kind == "count":
        return (literal, literal.replace(",", ""))
    if kind == "length":
        return (literal, literal.removesuffix(" cm"))
    return (literal,)
