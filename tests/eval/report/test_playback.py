"""An episode played again for a reader: each step's changes, and what each question met, agree with its record."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memgym.eval.report.changes import changes, compare
from memgym.eval.report.episode_page import steps_of, verdict, versions_of, view
from memgym.eval.report.graph import link_graph, links, lives, places
from memgym.eval.report.playback import Playback, find_record, play_back
from memgym.memory.entry import Entry, Write
from memgym.records import Episode, EpisodeRecord
from memgym.registry import UnknownName
from memgym.rollout import play

ENV = "MemGym/Synthetic-50doc"
WRITE = Write("s", 1, "create", 1)


@pytest.fixture(scope="module")
def record() -> EpisodeRecord:
    [played] = play([Episode("bm25/0", ENV, "bm25-rag", seed=3, options={"questions": 4}, model="rules")])
    return played


@pytest.fixture(scope="module")
def linked() -> EpisodeRecord:
    """An episode in which entries are linked, evolved, updated and deleted at random."""
    [played] = play([Episode("random/0", ENV, "random", seed=5, options={"questions": 4, "max_steps": 40})])
    return played


@pytest.fixture(scope="module")
def playback(record: EpisodeRecord) -> Playback:
    return play_back(record)


def entry(id: str, text: str = "t", links: tuple[str, ...] = ()) -> Entry:
    return Entry(id, text, "main", WRITE, WRITE, links=links)


def test_a_playback_has_every_step_and_is_as_it_was_recorded(playback: Playback, record: EpisodeRecord) -> None:
    assert [moment.record for moment in playback.moments] == list(record.steps)
    assert playback.differs == ""


def test_the_memory_after_each_step_has_the_recorded_size(playback: Playback, record: EpisodeRecord) -> None:
    assert [len(moment.entries) for moment in playback.moments] == [step.size for step in record.steps]


def test_what_questions_met_agrees_with_the_metrics_of_the_record(playback: Playback, record: EpisodeRecord) -> None:
    assert record.outcome is not None
    for name, held in (("evidence_stored", "stored"), ("evidence_shown", "shown")):
        shares = [
            sum(bool(one) for one in getattr(asked, held)) / len(asked.question.evidence) for asked in playback.asked
        ]
        assert sum(shares) / len(shares) == pytest.approx(record.outcome.metrics[name])


def test_each_question_has_its_prediction_and_the_step_of_its_answer(playback: Playback, record: EpisodeRecord) -> None:
    assert record.outcome is not None
    assert tuple(asked.said for asked in playback.asked) == record.outcome.predictions
    answered = [moment.number for moment in playback.moments if moment.question is not None]
    assert answered == [asked.step for asked in playback.asked]


def test_an_entry_that_holds_evidence_is_marked(playback: Playback) -> None:
    for asked in playback.asked:
        for met in asked.met:
            assert all(asked.question.evidence[at] in met.entry.text for at in met.holds)
    assert any(met.holds for asked in playback.asked for met in asked.met)


def test_a_text_that_is_not_the_recorded_one_is_told_from_its_step_on(record: EpisodeRecord) -> None:
    steps = list(record.steps)
    steps[2] = replace(steps[2], observation="another")
    assert play_back(replace(record, steps=tuple(steps))).differs.startswith("From step 3 on")


def test_versions_make_up_the_memory_of_every_step(linked: EpisodeRecord) -> None:
    playback = play_back(linked)
    versions = versions_of(playback)
    for moment in playback.moments:
        there = [
            one.entry for one in versions if one.first <= moment.number and (one.end is None or moment.number < one.end)
        ]
        assert {one.id: one for one in there} == dict(moment.entries)


def test_changes_from_step_to_step_lead_to_the_last_memory(linked: EpisodeRecord) -> None:
    playback = play_back(linked)
    held = set(playback.start)
    for step in steps_of(playback):
        held |= {one.id for one in step.changes.created}
        held -= {one.id for one in step.changes.deleted}
    assert held == set(playback.moments[-1].entries)


def test_an_updated_entry_is_compared_word_by_word() -> None:
    made = changes({"m1": entry("m1", "the red box")}, {"m1": entry("m1", "the blue box", ("m2",))}, ("", "a"))
    assert made.changed[0].text == (("same", "the "), ("gone", "red"), ("new", "blue"), ("same", " box"))
    assert made.changed[0].fields == (("links", "", "m2"),)
    assert made.scratchpad == (("new", "a"),)


def test_texts_of_very_many_words_are_compared_as_a_whole() -> None:
    old, new = "a " * 5000, "b " * 5000
    assert compare(old, new) == (("gone", old), ("new", new))


@pytest.mark.parametrize("wanted", ["bm25/0", "0"])
def test_an_episode_is_found_by_its_id_and_by_its_place(record: EpisodeRecord, wanted: str) -> None:
    assert find_record([record], wanted) is record


@pytest.mark.parametrize("wanted", ["bm25/1", "1", "-1", "²"])
def test_an_episode_that_is_not_there_is_an_error_with_the_nearest(record: EpisodeRecord, wanted: str) -> None:
    with pytest.raises(UnknownName, match=r"bm25/0|from 0 to 0"):
        find_record([record], wanted)


def test_an_episode_after_another_begins_with_the_memory_that_this_one_left(record: EpisodeRecord) -> None:
    later = replace(record, episode=replace(record.episode, id="later", after="bm25/0"))
    playback = play_back(later, [record, later])
    assert len(playback.start) == record.steps[-1].size


def test_an_episode_whose_forerunner_is_missing_is_told(record: EpisodeRecord) -> None:
    with pytest.raises(ValueError, match="bm25/0"):
        play_back(replace(record, episode=replace(record.episode, id="later", after="bm25/0")), [])


def test_a_link_is_there_while_both_of_its_ends_are() -> None:
    states = [
        {},
        {"m1": entry("m1")},
        {"m1": entry("m1"), "m2": entry("m2", links=("m1",))},
        {"m2": entry("m2", links=())},
    ]
    assert [(span.first, span.end) for span in links(states)["m1", "m2"]] == [(2, 3)]
    assert [(span.first, span.end) for span in lives(states)["m1"]] == [(1, 3)]


def test_the_places_of_a_graph_are_the_same_every_time_and_apart() -> None:
    first, second = (places(6, [(0, 1), (1, 2), (3, 4)]) for _ in range(2))
    assert (first == second).all()
    assert len({tuple(at) for at in first.round(3)}) == 6
    assert first.min() >= 0
    assert first.max() <= 1


def test_a_memory_without_links_has_no_graph() -> None:
    assert link_graph([{"m1": entry("m1")}]) is None


def test_a_graph_of_linked_entries_has_a_node_each() -> None:
    drawn = link_graph([{"m1": entry("m1", "<b>"), "m2": entry("m2", links=("m1",)), "m3": entry("m3")}])
    assert drawn is not None
    assert drawn.count('class="node"') == 2
    assert "<b>" not in drawn


def test_a_verdict_says_where_evidence_was_lost(playback: Playback) -> None:
    asked = playback.asked[0]
    pieces = len(asked.question.evidence)
    there, lost = (("m1",),) * pieces, ((),) * pieces
    assert verdict(replace(asked, stored=there, shown=there)) == "All of its evidence was shown."
    assert "retrieval lost it" in verdict(replace(asked, stored=there, shown=lost))
    assert "writing lost it" in verdict(replace(asked, stored=lost, shown=lost))
    assert verdict(replace(asked, step=None)) == "Never answered."


def test_the_same_episode_makes_the_same_page(record: EpisodeRecord) -> None:
    assert view(record) == view(record)


def test_a_failed_episode_without_steps_still_has_a_page(record: EpisodeRecord) -> None:
    failed = replace(record, steps=(), outcome=None, error="ModelError: <gone>")
    page = view(failed)
    assert "ModelError: &lt;gone&gt;" in page
    assert "No step was taken." in page
