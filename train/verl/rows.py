"""The files of rows that verl reads: one episode a row, as JSON, with the few columns that verl wants to see."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from memgym.extras import require
from memgym.records import Episode


def write_rows(episodes: Sequence[Episode], path: Path) -> None:
    """Write episodes in their order, as parquet. verl repeats each row for a group; members differ by their number.

    The prompt of a row names its sample and is never shown to the policy; there is no answer in it.
    """
    if not episodes:
        raise ValueError(f"There are no episodes for {path}; at least one was expected.")
    arrow = require("pyarrow", "train", "Rows for verl")
    parquet = require("pyarrow.parquet", "train", "Rows for verl")
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(arrow.Table.from_pylist([_row(at, one) for at, one in enumerate(episodes)]), path)


def _row(index: int, episode: Episode) -> dict[str, Any]:
    sample = episode.sample or episode.id
    return {
        "prompt": [{"role": "user", "content": sample}],
        "data_source": episode.env,
        "ability": "memory",
        "reward_model": {"style": "rule", "ground_truth": sample},
        "extra_info": {"index": index, "episode": to_text(episode)},
    }


def to_text(episode: Episode) -> str:
    """Return an episode as one line of JSON; ``from_text`` is the inverse."""
    return json.dumps(asdict(episode), separators=(",", ":"))


def from_text(text: str) -> Episode:
    """Return the episode that ``to_text`` wrote."""
    return Episode(**json.loads(text))
