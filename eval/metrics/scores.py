"""Which episodes of a run are scores: under a protocol many are not, but form memory or gather experience."""

from __future__ import annotations

from memgym.records import EpisodeRecord


def is_score(record: EpisodeRecord) -> bool:
    """Return whether an episode's reward is one to report: it is a test, and not a piece of a task that goes on."""
    if record.episode.tags.get("phase", "test") != "test":
        return False
    return record.outcome is None or record.outcome.metrics.get("unfinished") != 1.0
