"""How the fields of replies are read: what small models write in the place of an id, a list or a word is mended here.

What is mended keeps its meaning; everything else stays an error that the model is told of.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator

_AROUND_AN_ID = " \t\r\n[](){}<>\"'`.,:;#"
_BREAK = re.compile(r"[,;\n]")


def one_id(value: Any) -> Any:
    """Return an id without the brackets, quotes and text around it: "[m3] Mia is in Oslo" is "m3"."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return value
    text = str(value).strip()
    if text.startswith("[") and "]" in text:
        text = text[1 : text.index("]")]
    return text.strip(_AROUND_AN_ID)


def _listed(value: Any) -> Any:
    """Return a list; null is none, and one text is its parts between commas, semicolons or line ends."""
    if value is None:
        return []
    return _BREAK.split(value) if isinstance(value, str) else value


def _whole(value: Any) -> Any:
    """Return a list; null is none, and one text is a list of that text."""
    if value is None:
        return []
    return [value] if isinstance(value, str) else value


def _said(texts: Iterable[str]) -> list[str]:
    """Return the texts that say something, without white space around them, each once."""
    return list(dict.fromkeys(text.strip() for text in texts if text.strip()))


def _textual(value: Any) -> Any:
    return "" if value is None else value


Id = Annotated[str, BeforeValidator(one_id)]
Ids = Annotated[list[Id], BeforeValidator(_listed), AfterValidator(_said)]
Words = Annotated[list[str], BeforeValidator(_listed), AfterValidator(_said)]
Texts = Annotated[list[str], BeforeValidator(_whole), AfterValidator(_said)]
Text = Annotated[str, BeforeValidator(_textual), AfterValidator(str.strip)]


def lowered(value: Any) -> Any:
    """Return a word in lower case without white space around it; other values as they are."""
    return value.strip().lower() if isinstance(value, str) else value
