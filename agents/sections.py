"""One text in sections, each under a heading of its own: how a scratchpad holds more than one thing.

What is written is read back as it was, so that a component can keep its state in the memory and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def write(sections: Mapping[str, str]) -> str:
    """Return the sections that are not blank, in order; a line of theirs that is a heading itself is left out."""
    bodies = {heading: _body(text, list(sections)) for heading, text in sections.items()}
    return "\n\n".join(f"{heading}:\n{body}" for heading, body in bodies.items() if body)


def _body(text: str, headings: Sequence[str]) -> str:
    lines = {f"{heading}:" for heading in headings}
    return "\n".join(line for line in text.split("\n") if line.strip() not in lines).strip()


def read(text: str, headings: Sequence[str]) -> dict[str, str]:
    """Return the text of every heading, "" where it is not there; what no heading precedes belongs to the first."""
    found: dict[str, list[str]] = {heading: [] for heading in headings}
    at = headings[0]
    for line in text.split("\n"):
        if line.endswith(":") and line[:-1] in found:
            at = line[:-1]
        else:
            found[at].append(line)
    return {heading: "\n".join(lines).strip() for heading, lines in found.items()}
