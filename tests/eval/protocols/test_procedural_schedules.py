"""What each procedural protocol schedules, when memory is formed, and that tests cannot change it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from memgym.eval.metrics.rows import rows
from memgym.eval.protocols.cross_agent_transfer import _with_stores
from memgym.operations import WRITES, Status
from memgym.records import EpisodeRecord
from memgym.replay import played_again

OFF, ON, BATCH, STREAM = (f"{kind}-procedural" for kind in ("offline", "online", "batch", "streaming"))


def phases(records: Sequence[EpisodeRecord]) -> Counter[str]:
    return Counter(record.episode.tags["phase"] for record in records)


def of(records: Sequence[EpisodeRecord], phase: str) -> list[EpisodeRecord]:
    return [record for record in records if record.episode.tags["phase"] == phase]


def reward(records: Sequence[EpisodeRecord], phase: str = "test") -> float:
    rewards = [0.0 if one.outcome is None else one.outcome.reward for one in of(records, phase)]
    return sum(rewards) / len(rewards)


@pytest.mark.parametrize(
    "protocol",
    [OFF, ON, BATCH, STREAM, "reflection-procedural", "adversarial-noise", "temporal-shift", "cross-agent-transfer"],
)
def test_every_episode_is_played_without_an_error(protocol, played):
    _, records = played(protocol)
    assert [record.error for record in records if record.error] == []
    assert len({record.episode.id for record in records}) == len(records)


@pytest.mark.parametrize(
    "protocol",
    [OFF, ON, BATCH, STREAM, "reflection-procedural", "adversarial-noise", "temporal-shift", "cross-agent-transfer"],
)
def test_an_agent_that_tries_to_change_a_frozen_memory_is_refused_and_nothing_of_it_goes_on(protocol, played):
    _, records = played(protocol, agents=["scribbler"])
    lived = [one for one in records if one.episode.tags["phase"] in ("train", "test", "adapt")]
    writes = [r.status for one in lived for step in one.steps for r in step.results if r.operation in WRITES]
    assert len(writes) >= 4 * len(lived)
    assert set(writes) <= {Status.FROZEN, Status.UNKNOWN_ID}
    assert writes.count(Status.FROZEN) > len(lived)
    assert all(len({step.size for step in one.steps}) == 1 for one in lived)
    shown = [step.action for one in records for step in one.steps if one.episode.tags["phase"] == "form"]
    assert "scrawl" not in "".join(shown)


def test_what_is_left_by_a_frozen_test_is_what_it_began_with(played):
    _, records = played(ON, agents=["scribbler"])
    left: dict[str, Any] = {}
    for record in records:
        again = played_again(record, memory=left.get(record.episode.after or ""))
        left[record.episode.id] = again.memory
        if record.episode.frozen and record.episode.after:
            before = left[record.episode.after]
            assert (again.memory["entries"], again.memory["scratchpad"]) == (before["entries"], before["scratchpad"])


def test_offline_forms_once_from_all_of_training_and_tests_on_other_samples(played):
    _, records = played(OFF, knobs={"train": 5})
    assert phases(records) == {"train": 5, "form": 1, "test": 8}
    [form] = of(records, "form")
    assert len(form.episode.options["experiences"]) == 5
    assert {one.sample for one in of(records, "train")}.isdisjoint(one.sample for one in of(records, "test"))
    assert {one.episode.after for one in of(records, "test")} == {form.episode.id}


def test_offline_trains_on_another_split_where_one_is_named(played):
    _, records = played(OFF, knobs={"train_options": {"pulls": 8}})
    assert {one.episode.options.get("pulls") for one in of(records, "train")} == {8}
    assert reward(records, "train") == 1
    assert reward(records) == 1


def test_online_forms_after_each_task_and_the_next_one_sees_it(played):
    _, records = played(ON)
    assert phases(records) == {"test": 8, "form": 8}
    forms = [record.episode.id for record in of(records, "form")]
    assert [record.episode.after for record in of(records, "test")] == [None, *forms[:-1]]


def test_online_by_acting_goes_on_with_what_tasks_wrote_themselves(played):
    _, records = played(ON, knobs={"forming": "acting"})
    assert phases(records) == {"test": 8}
    assert not any(record.episode.frozen for record in records)
    assert [record.episode.after for record in records[1:]] == [record.episode.id for record in records[:-1]]


def test_all_tasks_of_a_batch_see_the_memory_as_of_its_start(played):
    _, records = played(BATCH, knobs={"batch": 3})
    assert phases(records) == {"test": 8, "form": 3}
    starts = [record.episode.after for record in of(records, "test")]
    first, second, _ = (record.episode.id for record in of(records, "form"))
    assert starts == [None] * 3 + [first] * 3 + [second] * 2


def test_a_batch_of_everything_in_two_passes_is_scored_on_the_second(played):
    _, records = played(BATCH, knobs={"batch": 8, "passes": 2}, env_options={"pulls": 4})
    assert phases(records) == {"adapt": 8, "form": 2, "test": 8}
    assert reward(records) > reward(records, "adapt")


def test_a_stream_forms_beside_the_next_task_which_does_not_see_it_yet(played):
    _, records = played(STREAM)
    forms = of(records, "form")
    assert [record.episode.after for record in of(records, "test")][:3] == [None, None, forms[0].episode.id]
    assert [len(record.episode.options["experiences"]) for record in forms] == [1] * 7


def test_a_stream_by_steps_forms_within_a_task_and_scores_its_last_piece(played):
    _, records = played(STREAM, knobs={"unit": "step", "every": 1}, env_options={"pulls": 3}, episodes=4)
    pieces = of(records, "test")
    assert all(len(record.episode.part["commands"]) == int(record.episode.tags["piece"]) for record in pieces)
    finished = [record for record in pieces if record.outcome and record.outcome.metrics["unfinished"] == 0]
    assert len(finished) == 4
    [row] = rows(records)
    assert row.n == 4


def test_within_a_task_a_stream_never_pulls_a_lever_again_that_was_wrong(played):
    _, records = played(STREAM, knobs={"unit": "step", "every": 1}, env_options={"pulls": 8}, episodes=6)
    finals = [record for record in of(records, "test") if record.outcome and record.outcome.metrics["unfinished"] == 0]
    assert all(record.outcome and record.outcome.reward == 1 for record in finals)
    assert all(len(set(record.episode.part["commands"])) == len(record.episode.part["commands"]) for record in finals)


def test_a_reflection_tries_again_only_what_failed_and_tells_first_and_final_apart(played):
    made, records = played("reflection-procedural", knobs={"retries": 3})
    won = {
        record.episode.tags["number"] for record in of(records, "test") if record.outcome and record.outcome.reward == 1
    }
    retried = {record.episode.tags["number"] for record in of(records, "adapt")}
    assert retried == {str(number) for number in range(8)} - won
    values = {one.name: one.value for one in made.scheduler.measures(records)}
    assert values["first try"].mean == reward(records)
    assert values["final try"].mean >= values["first try"].mean
    assert values["final - first"].n == 8


def test_reflections_of_a_run_are_there_for_the_next_task(played):
    _, records = played("reflection-procedural", knobs={"retries": 1, "scope": "run"})
    firsts = of(records, "test")
    assert firsts[0].episode.after is None
    assert all(record.episode.after for record in firsts[1:])


def test_every_writer_is_read_by_every_reader_frozen(played):
    made, records = played("cross-agent-transfer", agents=["apprentice", "reader"])
    tests = of(records, "test")
    cells = Counter((record.episode.tags["writer"], record.episode.tags["reader"]) for record in tests)
    assert cells == dict.fromkeys([(w, r) for w in ("apprentice", "reader") for r in ("apprentice", "reader")], 8)
    gains = {one.row: one.value.mean for one in made.scheduler.measures(records) if one.name.startswith("gain")}
    assert gains["apprentice > reader"] > 0 > gains["reader > apprentice"]


def test_a_writer_that_does_not_play_is_an_error_with_the_nearest(played):
    with pytest.raises(LookupError, match="apprentice"):
        played("cross-agent-transfer", knobs={"writers": ["aprentice"]})


def test_a_reader_is_given_the_stores_of_the_writer(played):
    assert _with_stores({"stores": "main"}, {"stores": ["recall", "main"]})["stores"] == ["main", "recall"]
    assert _with_stores({"k": 3}, {}) == {"k": 3}
