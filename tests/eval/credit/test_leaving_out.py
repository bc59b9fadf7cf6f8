"""An episode without one of its entries or operations: what changes is what needed it, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from keepers import FILLER, acted, parts, without

from memgym.eval.credit.parts import most_shown, parts_of
from memgym.eval.credit.playing import compared, without_entry
from memgym.operations import Action, Answer, Create, Read, Status, Update
from memgym.registry import UnknownName
from memgym.rollout import Cast, play

TWELVE = {"questions": 12}


@pytest.mark.parametrize("seed", range(3))
def test_the_entry_of_a_gold_fact_lowers_exactly_the_questions_that_need_it(seed, recorded):
    record = recorded(seed=seed, **TWELVE)
    sample = Cast().env(record.episode).benchmark.sample(record.sample)
    whole = without(record, None)
    assert record.outcome.reward == 1
    for part in parts(record):
        credit = compared(part, whole, without(record, part))
        need = [n for n, one in enumerate(sample.questions, 1) if any(e in part.text for e in one.evidence)]
        assert [one.question for one in credit.questions if one.score == (1, 0)] == need
        assert [one.question for one in credit.questions] == need
        assert credit.difference == pytest.approx(len(need) / 12)
        assert credit.stored == pytest.approx(sum(one.stored[0] - one.stored[1] for one in credit.questions) / 12)
        assert bool(need) == (part.text != FILLER)


@pytest.mark.parametrize("mode", ["react", "replay"])
def test_a_filler_changes_no_question(mode, recorded):
    record = recorded(**TWELVE)
    [filler] = [part for part in parts(record) if part.text == FILLER]
    credit = compared(filler, without(record, None, mode), without(record, filler, mode))
    assert (credit.difference, credit.stored, credit.shown, credit.questions, credit.error) == (0, 0, 0, (), "")


def test_what_is_stored_twice_earns_nothing_for_either(recorded):
    record = recorded(agent_options={"twice": True}, **TWELVE)
    whole = without(record, None)
    credits = [compared(part, whole, without(record, part)) for part in parts(record)]
    assert {credit.difference for credit in credits} == {0}
    assert whole.record.outcome.reward > 0.5


@pytest.mark.parametrize("mode", ["react", "replay"])
@pytest.mark.parametrize("agent", ["keeper", "oracle", "bm25-rag", "random", "scratchpad-only", "a-mem", "reviser"])
def test_without_nothing_an_episode_is_byte_for_byte_itself(agent, mode, recorded):
    encoder = {"encoder": "hashing"} if agent == "a-mem" else {}
    record = recorded(agent, seed=4, questions=3, max_steps=60, **encoder)
    again = without(record, None, mode)
    assert again.error == ""
    assert again.record.line() == record.line()


@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), by=st.sampled_from(["entry", "operation"]), data=st.data())
def test_an_id_means_the_same_entry_whatever_is_left_out(seed, by, data, recorded):
    record = recorded("random", seed=seed, questions=2, max_steps=30)
    some = parts(record, by)
    if not some:
        return
    less = without(record, data.draw(st.sampled_from(some)), "replay", by)
    for old, new in zip(record.steps, less.record.steps, strict=False):
        for then, now in zip(old.results, new.results, strict=False):
            if then.operation == "create" and then.ok and now.ok:
                assert now.ids == then.ids


def test_nothing_is_said_of_a_lost_write_and_its_id_is_not_given_out_again(recorded):
    record = recorded("reviser")
    [first, *_] = parts(record)
    for mode in ("react", "replay"):
        steps = without(record, first, mode).record.steps
        assert steps[0].results == record.steps[0].results
        assert steps[0].size == 1


def test_what_pointed_at_the_entry_is_an_unknown_id(recorded):
    record = recorded("reviser")
    [first, *_] = parts(record)
    assert first.at == ((1, 0), (1, 2))
    now = without(record, first, "replay")
    assert [one.status for one in now.record.steps[1].results] == [Status.UNKNOWN_ID, Status.UNKNOWN_ID, Status.OK]
    assert now.record.steps[1].results[2].ids == record.steps[1].results[2].ids
    assert compared(first, without(record, None, "replay"), now).refused >= 2


def test_a_rank_means_the_entry_that_it_meant(recorded):
    """Step 4 updates "#1", which was m1 when it was recorded; without m1 that is nobody, not whoever is first now."""
    record = recorded("reviser")
    [first, *_] = parts(record)
    assert record.steps[3].results[0].ids == ("m1",)
    assert without(record, first, "replay").record.steps[3].results[0].status is Status.UNKNOWN_ID


def test_a_duplicate_stands_in_for_an_operation_and_not_for_an_entry(recorded):
    record = recorded("reviser")
    [create, *_] = parts(record, "operation")
    [again] = [one for at, one in enumerate(record.steps[0].results) if at == 2]
    assert again.status is Status.DUPLICATE
    stood_in = without(record, create, "replay", by="operation").record
    assert stood_in.steps[0].results[2].status is Status.OK
    assert stood_in.steps[0].results[2].ids == ("m1",)
    assert stood_in.steps[1].results[0].status is Status.OK
    [entry, *_] = parts(record)
    for mode in ("replay", "react"):
        gone = without(record, entry, mode).record
        assert gone.steps[0].results[2].status is Status.DUPLICATE


def test_a_read_that_is_left_out_shows_nothing(recorded):
    record = recorded(questions=4)
    [read, *_] = [part for part in parts(record, "operation") if part.kind == "read"]
    less = without(record, read, by="operation")
    assert less.record.steps[read.step - 1].shown == ()
    assert [one.question for one in compared(read, without(record, None), less).questions] == [1]


def test_the_scratchpad_counts_as_one_entry(recorded):
    record = recorded("scratchpad-only", questions=6)
    [pad] = parts(record)
    credit = compared(pad, without(record, None), without(record, pad))
    assert pad.name == "scratchpad"
    assert credit.without == 0
    assert credit.difference == record.outcome.reward > 0


def test_replayed_answers_do_not_react_and_their_evidence_does(recorded):
    record = recorded(**TWELVE)
    whole = without(record, None, "replay")
    credits = [compared(part, whole, without(record, part, "replay")) for part in parts(record)]
    assert {credit.difference for credit in credits} == {0}
    assert max(credit.shown for credit in credits) > 0


def test_an_entry_that_was_there_from_the_start_can_be_left_out(recorded):
    first = recorded(seed=1, questions=4)
    env = Cast().env(first.episode)
    memory = {"next_id": 3, "clock": 2, "scratchpad": "", "entries": []}
    question = env.benchmark.sample(first.sample).questions[0]
    for number, text in enumerate((question.evidence[0], FILLER), 1):
        write = ["earlier", 1, "create", 1]
        memory["entries"].append(
            {"id": f"m{number}", "text": text, "store": "main", "created": write, "updated": write, "keywords": [],
             "tags": [], "context": "", "links": [f"m{3 - number}"], "time": "", "attributes": [], "contents": [],
             "version": 1}
        )  # fmt: skip
    episode = replace(first.episode, id="later", agent="bm25-rag", memory=memory, sample=first.sample)
    [record] = play([replace(episode, frozen=True)])
    parts = parts_of(record, env.dialect, memory, "entry")
    assert [(part.name, part.kind, part.step) for part in parts] == [("m1", "start", 0), ("m2", "start", 0)]
    credit = compared(parts[0], without(record, None), without(record, parts[0]))
    assert credit.stored > 0
    assert without_entry(memory, "m1")["entries"][0]["links"] == []


def test_an_agent_that_plays_otherwise_before_the_part_is_missing_is_a_row_with_an_error(recorded):
    record = recorded(questions=4)
    last = parts(record)[-1]
    steps = (replace(record.steps[0], action="another"), *record.steps[1:])
    less = without(replace(record, steps=steps), last)
    assert "step 1 is another" in less.error
    credit = compared(last, without(record, None), less)
    assert credit.difference is None
    assert credit.to_json()["error"]


def test_a_replay_that_leaves_its_course_is_a_row_with_an_error():
    """Three reads in a row are one too many: they were not in a row while the update between them was a write."""
    read = Action((Read("a"),))
    record = acted(Action((Create("a"),)), read, read, Action((Update("m1", "b"),)), read, read, query_limit=2)
    [part] = parts(record)
    less = without(record, part, "replay")
    assert "From step 5 on" in less.error
    assert compared(part, without(record, None, "replay"), less).difference is None


def test_time_goes_on_in_a_replay_where_a_write_that_moved_it_is_refused():
    write, update = Action((Create("a"),)), Action((Update("m1", "b"),))
    waits = [Action((Update("m1", "c"),)), Action((Update("m1", "d"),))]
    record = acted(write, update, *waits, Action(command=Answer("x")), advance="on_write", questions=1)
    assert record.steps[-1].results[-1].ok
    less = without(record, parts(record)[0], "replay")
    assert {step.results[0].status for step in less.record.steps[1:4]} == {Status.UNKNOWN_ID}
    assert less.record.steps[-1].results[-1].ok
    assert less.error == ""


def test_an_unknown_kind_of_part_is_an_error_with_the_known_ones(recorded):
    with pytest.raises(UnknownName, match="'operation'"):
        parts(recorded(questions=1), "operatoin")


def test_of_many_parts_those_shown_most_are_left_out(recorded):
    some = parts(recorded(**TWELVE))
    chosen = most_shown(some, 5)
    assert len(chosen) == 5
    assert min(part.shown for part in chosen) >= max(part.shown for part in some if part not in chosen)
    assert most_shown(some, None) == some


@pytest.mark.parametrize("text", ["雨の夜", "ฝน", "🌧️", "a\x00b", "a\ud800", "x" * 100_000])
def test_any_text_can_be_left_out(text):
    record = acted(Action((Create(text), Read(text, k=1))), Action())
    some = parts(record, "operation")
    assert [part.kind for part in some] == ["create", "read"]
    for part in some:
        less = without(record, part, "replay", "operation")
        assert less.error == ""
        assert less.record.steps[0].shown == ()
