"""Models in Hugging Face's format, loaded by transformers; one that is not there is an error that says so in a line.

In the hall, because agents and training load the same folders.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any


def pretrained(loader: Any, model: str | Path, **options: Any) -> Any:
    """Return ``loader.from_pretrained(model, ...)``, where ``loader`` is one of transformers' Auto classes.

    A folder or a hub's name that cannot be read is a FileNotFoundError with what was looked for.
    """
    try:
        return loader.from_pretrained(model, **options)
    except OSError as missing:
        place = Path(model)
        if place.is_dir():
            raise FileNotFoundError(
                f"The folder {str(model)!r} holds no model in Hugging Face's format ({_first(missing)})"
            ) from missing
        raise FileNotFoundError(
            f"There is no model {str(model)!r}: it is no folder here, and as the name of a model on a hub it could not "
            f"be loaded ({_first(missing)})"
        ) from missing


def _first(error: OSError) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
