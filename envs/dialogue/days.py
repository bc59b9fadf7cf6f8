"""Days as people say them: "yesterday", "last Tuesday", "on 9 May 2023"; ``phrase`` says one, ``resolve`` reads it."""

from __future__ import annotations

import re
from datetime import date, timedelta

from ..synthetic.dice import Dice
from ..synthetic.relations import MONTHS

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NUMBERS = ("two", "three", "four", "five", "six")
_FIXED = {"today": 0, "yesterday": 1, "a week ago": 7, "two weeks ago": 14}
_FIXED |= {f"{word} days ago": number for number, word in enumerate(_NUMBERS, 2)}
_DATE = rf"\d{{1,2}} (?:{'|'.join(MONTHS)}) \d{{4}}"
PATTERN = "|".join((*_FIXED, *(f"last {day}" for day in WEEKDAYS), f"on {_DATE}"))
"""A regular expression of every phrase, in lower case but for the names of days and months."""

DATE = re.compile(_DATE)
FARTHEST = 14


def plain(day: date) -> str:
    """Return a day as answers give it: "9 May 2023"."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def full(day: date) -> str:
    """Return a day as headers give it: "Tuesday, 9 May 2023"."""
    return f"{WEEKDAYS[day.weekday()]}, {plain(day)}"


def accepted(day: date) -> tuple[str, ...]:
    """Return the spellings of a day that count as right."""
    return plain(day), f"{MONTHS[day.month - 1]} {day.day}, {day.year}", day.isoformat(), full(day)


def read_date(text: str) -> date | None:
    """Return the first full date in a text; None where there is none, or none that exists."""
    found = DATE.search(text)
    if found is None:
        return None
    number, month, year = found[0].split()
    try:
        return date(int(year), MONTHS.index(month) + 1, int(number))
    except ValueError:
        return None


def phrase(day: date, now: date, dice: Dice) -> str:
    """Say a day, at most ``FARTHEST`` days before ``now``, in one of the ways that fit."""
    ago = (now - day).days
    ways = [words for words, days in _FIXED.items() if days == ago]
    if 1 <= ago <= 7:
        ways.append(f"last {WEEKDAYS[day.weekday()]}")
    if ago:
        ways.append(f"on {plain(day)}")
    return dice.pick(ways)


def resolve(words: str, now: date | None) -> date | None:
    """Return the day that a phrase means when it is said on ``now``; None if that cannot be told."""
    if words.startswith("on "):
        return read_date(words)
    if now is None:
        return None
    if words in _FIXED:
        return now - timedelta(days=_FIXED[words])
    back = (now.weekday() - WEEKDAYS.index(words.removeprefix("last "))) % 7 or 7
    return now - timedelta(days=back)
