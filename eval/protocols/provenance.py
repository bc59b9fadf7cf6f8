"""Whose writing an episode was shown: from records alone, by following each entry to the episode that last wrote it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import fmean

from memgym.operations import Status
from memgym.records import EpisodeRecord

SCRATCHPAD = "scratchpad"
"""Stands for the scratchpad among entry ids; it is shown at every step."""

Ledger = Mapping[str, str]
"""Of every live entry the episode that last wrote its text; annotations and links count for nothing."""


class Provenance:
    """Ledgers of the memories that episodes start with and leave. Records must come in the order of their chains."""

    def __init__(self, records: Iterable[EpisodeRecord]) -> None:
        self._left: dict[str, Ledger] = {}
        for record in records:
            if not record.episode.frozen:
                self._left[record.episode.id] = _written(self.before(record), record)

    def before(self, record: EpisodeRecord) -> Ledger:
        """Return the ledger of the memory that an episode starts with."""
        return self._left.get(record.episode.after or "", {})

    def shown(self, record: EpisodeRecord) -> list[str]:
        """Return the writer of each entry that a frozen episode was shown, every entry once."""
        held = self.before(record)
        ids = dict.fromkeys(id for step in record.steps for id in step.shown)
        if SCRATCHPAD in held:
            ids[SCRATCHPAD] = None
        return [held[id] for id in ids if id in held]

    def stored(self, record: EpisodeRecord) -> list[str]:
        """Return the writer of each entry that an episode starts with."""
        return list(self.before(record).values())


def share(writers: Iterable[str], of: Iterable[str]) -> float | None:
    """Return the share of writers that are among ``of``; None where nothing was written."""
    among = frozenset(of)
    found = [float(writer in among) for writer in writers]
    return fmean(found) if found else None


def _written(held: Ledger, record: EpisodeRecord) -> dict[str, str]:
    ledger = dict(held)
    for result in (result for step in record.steps for result in step.results if result.status is Status.OK):
        if result.operation in ("create", "update"):
            ledger[result.ids[0]] = record.episode.id
        elif result.operation == "delete":
            ledger.pop(result.ids[0], None)
        elif result.operation == SCRATCHPAD:
            ledger[SCRATCHPAD] = record.episode.id
    return ledger
