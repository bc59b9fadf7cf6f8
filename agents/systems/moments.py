"""Times as texts, compared: dates of any precision as data sets write them, and steps where no date is known.

Separate from the systems, because a memory's time is free text ("1:56 pm on 8 May, 2023", "2023/05/20 (Sat) 02:21",
"May 2016", "202305081356") and two of them must be ordered without a clock.
"""

from __future__ import annotations

import re

Moment = tuple[int, ...]
"""Year, month, day, hour, minute, as far as they are known; or (0, n) for step n."""

_NAMES = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTHS = {name[:3]: number for number, name in enumerate(_NAMES, 1)}
_STEP = re.compile(r"\s*step (\d{1,12})\s*", re.IGNORECASE)
_COMPACT = re.compile(r"\s*(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(?:\d{2})?)?\s*")
_NUMBERS = re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?!\d)")
_YEAR = re.compile(r"(?<![\d:])([12]\d{3})(?![\d:])")
_WRITTEN = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in _NAMES)
_MONTH = re.compile(rf"(?<![^\W\d_])({_WRITTEN}|sept)(?![^\W\d_])", re.IGNORECASE)
_DAY = re.compile(r"(?<![\d:.])(\d{1,2})(?:st|nd|rd|th)?(?![\d:.]|\s*[ap]\.?m\b)", re.IGNORECASE)
_CLOCK = re.compile(r"(?<!\d)(\d{1,2}):(\d{2})(?::\d{2})?(?:\s*([ap])\.?m\b)?", re.IGNORECASE)
_LONGEST = 200


def step(number: int) -> str:
    """Return the text that stands for a time of which only the step is known."""
    return f"step {number}"


def moment(text: str) -> Moment | None:
    """Read a time; None where there is none in it. Never raises."""
    text = text[:_LONGEST]
    if found := _STEP.fullmatch(text):
        return (0, int(found[1]))
    date = _compact(text) or _date(text)
    if date is None:
        return None
    clock = _clock(text) if len(date) == 3 else ()
    return _checked((*date, *clock))


def _compact(text: str) -> Moment | None:
    found = _COMPACT.fullmatch(text)
    return None if found is None else tuple(int(part) for part in found.groups() if part is not None)


def _date(text: str) -> Moment | None:
    if found := _NUMBERS.search(text):
        return tuple(int(part) for part in found.groups() if part is not None)
    year, named = _YEAR.search(text), _MONTH.search(text)
    if year is None:
        return None
    if named is None:
        return (int(year[1]),)
    day = _DAY.search(text)
    month = _MONTHS[named[1][:3].lower()]
    return (int(year[1]), month) if day is None else (int(year[1]), month, int(day[1]))


def _clock(text: str) -> Moment:
    found = _CLOCK.search(text)
    if found is None:
        return ()
    hour, half = int(found[1]), (found[3] or "").lower()
    hour = hour % 12 + 12 * (half == "p") if half else hour
    return (hour, int(found[2]))


def _checked(date: Moment) -> Moment:
    """Return the date up to the first part that cannot be ("2023-13" is 2023)."""
    bounds = ((1, 9999), (1, 12), (1, 31), (0, 23), (0, 59))
    kept = 0
    for part, (low, high) in zip(date, bounds, strict=False):
        if not low <= part <= high:
            break
        kept += 1
    return date[:kept]


def earlier(one: Moment | None, other: Moment | None) -> bool:
    """Whether one time is known to lie before another; a date and a step, or nothing known, cannot be compared.

    Of two that agree as far as both are known ("May 2016", "3 May 2016") neither is earlier.
    """
    if not one or not other or (one[0] == 0) != (other[0] == 0):
        return False
    known = min(len(one), len(other))
    return one[:known] < other[:known]
