"""What updating is worth where nothing is dated: the comparison of ``docs/updates.yaml``, on small worlds."""

from __future__ import annotations

from pathlib import Path

import pytest

from memgym.eval.bench import run_bench
from memgym.eval.config import RunConfig
from memgym.records import EpisodeRecord, read_records

CONFIG = RunConfig.load(Path(__file__).resolve().parents[3] / "docs" / "updates.yaml")
SMALL = {"env": "MemGym/Synthetic-50doc", "env_options": {**CONFIG.env_options, "questions": 8}, "episodes": 4}


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> list[EpisodeRecord]:
    folder = tmp_path_factory.mktemp("updates") / "run"
    run_bench(CONFIG.model_copy(update=SMALL), out=folder)
    return list(read_records(folder / "records.jsonl"))


def right(records: list[EpisodeRecord], row: str, *, revised: bool) -> int:
    """Return how many questions a row answered right, of those that need a revision or of the others."""
    outcomes = [record.outcome for record in records if record.episode.tags["row"] == row]
    return sum(
        said in accepted
        for outcome in outcomes
        if outcome is not None
        for said, accepted, category in zip(outcome.predictions, outcome.references, outcome.categories, strict=True)
        if category.endswith("-revised") == revised
    )


def test_every_row_plays_to_the_end(records: list[EpisodeRecord]) -> None:
    assert len(records) == 4 * len(CONFIG.agents)
    assert [record.error for record in records if record.error] == []


@pytest.mark.parametrize(
    ("system", "masked"),
    [("mem0", "w/o update"), ("memory-r1", "w/o update"), ("a-mem", "w/o evolve"), ("graphiti", "w/o evolve")],
)
def test_a_system_that_revises_what_it_stored_beats_itself_without(
    system: str, masked: str, records: list[EpisodeRecord]
) -> None:
    without = f"{system} {masked}"
    assert right(records, system, revised=True) > right(records, without, revised=True)
    assert right(records, system, revised=False) == right(records, without, revised=False)


def test_lightmem_deletes_what_is_over_and_gains_by_it(records: list[EpisodeRecord]) -> None:
    """It reads ten entries: where stale ones are gone, questions about other things have more room too."""
    played = [record for record in records if record.episode.tags["row"] == "lightmem"]
    ended = [
        one.status for record in played for step in record.steps for one in step.results if one.operation == "delete"
    ]
    assert ended
    assert set(ended) == {"ok"}
    whole, masked = (
        sum(right(records, row, revised=one) for one in (True, False))
        for row in ("lightmem", "lightmem w/o update, delete")
    )
    assert whole > masked
