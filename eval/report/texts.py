"""What an agent wrote, made safe and visible on a page; numbers as readers want them; the templates' environment.

Separate because every page depends on it: nothing that a model says may become markup, and nothing may vanish.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

_UNSEEN = {code: chr(0x2400 + code) for code in range(32) if chr(code) not in "\t\n\r"} | {0x7F: "\u2421"}
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069]")
NOTHING = "–"


def visible(text: str) -> str:
    """Return the text with what a page cannot show made visible: it can always be written as UTF-8.

    Half a surrogate pair and a character that turns the direction of what follows become U+FFFD, control characters
    their pictures (NUL is U+2400).
    """
    paired = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass") if _pairs(text) else text
    return _DIRECTIONS.sub("\ufffd", _SURROGATE.sub("\ufffd", paired)).translate(_UNSEEN)


def _pairs(text: str) -> bool:
    """Return whether halves of surrogate pairs stand in the text, each of which must be whole or replaced."""
    if not _SURROGATE.search(text):
        return False
    return re.search("[\ud800-\udbff][\udc00-\udfff]", text) is not None


def shortened(text: str, limit: int) -> str:
    """Return the text on one line, at most ``limit`` characters of it, with an ellipsis for the rest."""
    line = " ".join(visible(text).split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def number(value: float | None, digits: int = 3) -> str:
    """Return a number with a fixed count of decimals, a dash for none."""
    return NOTHING if value is None or math.isnan(value) else f"{value:,.{digits}f}".replace("-", "−")


def probability(value: float) -> str:
    """Return a p-value as tables have it; a small one is said to be below what is shown."""
    return "<0.0001" if value < 0.0001 else number(value, 4)


def compact(value: float | None) -> str:
    """Return a count in at most four characters of figures: 950, 1.2k, 33k, 4.1M."""
    if value is None or math.isnan(value):
        return NOTHING
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size * 0.9995:
            scaled = value / size
            return f"{scaled:.1f}".removesuffix(".0") + letter if scaled < 9.95 else f"{scaled:,.0f}{letter}"
    return f"{value:.0f}" if value >= 9.95 or value == int(value) else f"{value:.2f}"


def width_of(text: str, size: float = 12) -> float:
    """Return about how many pixels wide a text is in a sans-serif type of this size; wide scripts count double."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return size * (0.56 * (len(text) - wide) + 1.02 * wide)


def as_script(value: Any) -> Markup:
    """Return JSON that can stand in a script element: no text in it can close the element or open a comment."""
    text = json.dumps(value, separators=(",", ":"))
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))


@cache
def templates() -> Environment:
    """Return the environment of the templates: everything is escaped, an unknown name in one is an error."""
    folder = Path(__file__).parent / "pages"
    made = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters = (number, probability, compact, visible, shortened, as_script)
    made.filters.update({one.__name__: one for one in filters})
    return made


def render(name: str, **values: Any) -> str:
    """Fill a template; what comes out can be written as UTF-8 whatever an agent wrote."""
    return _SURROGATE.sub("\ufffd", templates().get_template(name).render(**values))


def write_page(path: Path, text: str) -> None:
    """Write a page, making its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
