"""How any string is written inside tags, and read back unchanged. Separate because no operation is known here.

A model may write ``a < b & c`` as it is; only what would be read as a tag or as a reference is escaped, so that
transcripts stay readable. References are ``&lt; &gt; &amp; &quot; &apos; &#44; &#x2C;``, and ``&#;`` for no character
at all (an empty item of a list). They are resolved once.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

NAME = r"[^\W\d][\w.:-]*+"
"""The pattern of an attribute's name."""

_REFERENCE = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#([0-9]{0,7})|#[xX]([0-9a-fA-F]{1,6}));")
_MEANING = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_SPELLING = {"&": "&amp;", "<": "&lt;", '"': "&quot;"}
_RISKY = r'<(?=[/\w])|&(?=#|(?:amp|lt|gt|quot|apos);)|"'
_COMMAS = ",，、،"
_SPECIAL = re.compile(_RISKY.removesuffix('|"'))
_SPECIAL_VALUE = re.compile(_RISKY)
_SPECIAL_ITEM = re.compile(f"{_RISKY}|[{_COMMAS}]")
_SPECIAL_ADDRESS = re.compile(rf"{_RISKY}|[{_COMMAS}\s]")
_COMMA = re.compile(f"[{_COMMAS}]")
_BETWEEN = re.compile(rf"[{_COMMAS}\s]+")
_PLAIN = re.compile(NAME)
_CODE = re.compile(r"_x([0-9A-F]{4,6})_")
_NO_NAME = "_xEMPTY_"
_LAST = 0x10FFFF


def write_text(text: str) -> str:
    """Write the body of a tag; bodies are stripped when read, so outer blanks become references."""
    return _guarded(_SPECIAL.sub(_spell, text) if "<" in text or "&" in text else text)


def read_text(text: str) -> str:
    """Read a body or the value of an attribute: outer blanks go, references are resolved once."""
    return _resolved(text.strip())


def write_value(text: str) -> str:
    """Write the value of an attribute, to stand between double quotes."""
    return _guarded(_SPECIAL_VALUE.sub(_spell, text))


def write_items(items: Iterable[str]) -> str:
    """Write a list whose items may contain blanks (keywords, tags), separated by commas."""
    return ", ".join(_guarded(_SPECIAL_ITEM.sub(_spell, item)) or "&#;" for item in items)


def read_items(text: str) -> tuple[str, ...]:
    """Read a list separated by commas of any script; what is empty between two commas is left out."""
    return tuple([_resolved(item) for part in _COMMA.split(text) if (item := part.strip())])


def write_address(address: str) -> str:
    """Write an id or a rank; brackets around it are escaped, because those that models copy are dropped."""
    return _guarded(_SPECIAL_VALUE.sub(_spell, address), "[]")


def read_address(text: str) -> str:
    """Read an id or a rank. Entries are shown as ``[m3]``, so outer brackets are not part of it."""
    return _resolved(text.strip().strip("[]").strip())


def write_addresses(addresses: Iterable[str]) -> str:
    """Write ids separated by blanks."""
    return " ".join(_guarded(_SPECIAL_ADDRESS.sub(_spell, one), "[]") or "&#;" for one in addresses)


def read_addresses(text: str) -> tuple[str, ...]:
    """Read ids separated by blanks or commas."""
    return tuple([_resolved(address) for part in _BETWEEN.split(text) if (address := part.strip("[]"))])


def write_name(name: str, taken: Collection[str]) -> str:
    """Write a free attribute's name; what no tag can hold, and names ``taken`` by the tag, are coded ``_x0020_``."""
    if _PLAIN.fullmatch(name) and name.lower() not in taken and not _CODE.search(name) and name != _NO_NAME:
        return name
    return _NO_NAME if not name else _code(name[0]) + "".join(_coded(one) for one in name[1:])


def read_name(name: str) -> str:
    """Read a free attribute's name."""
    if "_x" not in name:
        return name
    return "" if name == _NO_NAME else _CODE.sub(_decoded, name)


def _guarded(text: str, edges: str = "") -> str:
    """Write the first and the last character as references where reading would strip them."""
    if text and (text[-1].isspace() or text[-1] in edges):
        text = text[:-1] + _reference(text[-1])
    if text and (text[0].isspace() or text[0] in edges):
        text = _reference(text[0]) + text[1:]
    return text


def _reference(character: str) -> str:
    return f"&#{ord(character)};"


def _spell(match: re.Match[str]) -> str:
    return _SPELLING.get(match[0]) or _reference(match[0])


def _resolved(text: str) -> str:
    return _REFERENCE.sub(_character, text) if "&" in text else text


def _character(match: re.Match[str]) -> str:
    """Resolve one reference; a number that is no character (too large, half of a pair) stays as it was written."""
    named, decimal, hexadecimal = match.groups()
    if named:
        return _MEANING[named]
    if decimal == "":
        return ""
    code = int(decimal) if decimal else int(hexadecimal, 16)
    return match[0] if code > _LAST or 0xD800 <= code <= 0xDFFF else chr(code)


def _coded(character: str) -> str:
    return character if character.isascii() and character.isalnum() else _code(character)


def _code(character: str) -> str:
    return f"_x{ord(character):04X}_"


def _decoded(match: re.Match[str]) -> str:
    code = int(match[1], 16)
    return chr(code) if code <= _LAST else match[0]
