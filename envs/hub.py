"""The one door to the Hugging Face hub, so that everything else works, and is tested, without a network."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Mapping
from typing import Any, cast

from memgym.extras import require

from .sources import Hub


class HubError(RuntimeError):
    """The hub did not give the data: no network, offline mode without a cached copy, a renamed data set."""


def installed() -> bool:
    """Whether the package that talks to the hub is there (extra "data")."""
    found = importlib.util.find_spec("datasets")
    return found is not None and found.origin is not None  # a folder of that name has no origin


def load_split(hub: Hub, split: str) -> Iterable[Mapping[str, Any]]:
    """Return the records of a split, from the hub or from its local cache, with the progress bars of ``datasets``.

    HF_HOME, HF_HUB_OFFLINE and HF_DATASETS_OFFLINE are honoured by that package. Raises HubError with its reason.
    """
    datasets = require("datasets", "data", f"Fetching {hub.id}")
    try:
        rows = datasets.load_dataset(hub.id, hub.config, split=split, revision=hub.revision)
    except Exception as error:  # the package raises the errors of four others, with no common base
        first = (str(error).strip().splitlines() or ["no message"])[0]
        raise HubError(f"{type(error).__name__}: {first}") from error
    return cast("Iterable[Mapping[str, Any]]", rows)
