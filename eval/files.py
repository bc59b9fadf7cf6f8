"""Writing a file so that whoever reads it finds all of it, or what was there before, whatever is killed meanwhile."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write a text under a name beside the file, then put it in the file's place at once."""
    part = path.with_suffix(path.suffix + ".part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)
