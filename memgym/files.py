"""Files and folders of runs: written whole or not at all, whatever is killed meanwhile, and never over another's."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write a text under a name beside the file, then put it in the file's place at once."""
    part = path.with_suffix(path.suffix + ".part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)


def next_free(folder: Path, name: str) -> Path:
    """Return ``<name>-1`` in a folder, or with the next number that is not there."""
    number = 1
    while (folder / f"{name}-{number}").exists():
        number += 1
    return folder / f"{name}-{number}"
