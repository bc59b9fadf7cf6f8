"""One system of several that fails or takes too long is flagged, and the others answer."""

from __future__ import annotations

import gc

import pytest
from small_systems import (
    ENV,
    HASHING,
    Broken,
    BrokenFormation,
    Ended,
    One,
    Other,
    Stuck,
    Wilful,
    ended,
)

import memgym
from memgym.agents.sections import read
from memgym.records import Episode
from memgym.rollout import play


def test_a_system_that_fails_at_a_question_is_named_and_the_other_answers() -> None:
    done, listening, meter = ended({"retrieval": Broken()}, {"formation": Other()})
    assert done.env.pomdp.terminated
    for text in listening.texts:
        assert text.startswith("(Missing here, since they failed: one.)")
        assert "two: " in text
    assert meter.take().failures == 2


def test_the_failure_stands_in_the_scratchpad_and_so_in_the_record() -> None:
    done, _, _ = ended({"retrieval": Broken()}, {})
    assert (
        read(done.env.memory.scratchpad, ["one", "two", "Missing"])["Missing"].splitlines()
        == ["one: ZeroDivisionError: no reason"] * 2
    )


def test_one_that_takes_too_long_is_flagged_and_the_other_answers() -> None:
    done, listening, _ = ended({}, {"retrieval": Stuck()}, timeout=0.05)
    assert done.env.pomdp.terminated
    assert all("Missing here, since they failed: two." in text for text in listening.texts)
    assert "two: TimeoutError" in done.env.memory.scratchpad


def test_one_that_fails_while_reading_is_out_and_reads_no_further() -> None:
    done, listening, meter = ended({"formation": BrokenFormation()}, {})
    assert done.env.memory.entries("one.main") == []
    assert len(done.env.memory.entries("two.main")) == 50
    assert all("failed: one." in text for text in listening.texts)
    assert meter.take().failures == 1


def test_one_that_would_decide_for_all_is_out() -> None:
    done, _, _ = ended({"evolution": Wilful()}, {})
    assert "one: ValueError: a system on its own gave the command 'answer'" in done.env.memory.scratchpad
    assert done.env.pomdp.outcome.predictions[0] != "42"


def test_a_formation_that_wants_experiences_is_out_where_there_are_none() -> None:
    model = memgym.make_model("rules")
    systems = [memgym.make_agent("awm", model=model, **HASHING), One(model)]
    done = Ended(*systems, model=model)
    assert "awm: ValueError" in done.env.memory.scratchpad
    assert done.env.pomdp.terminated


def test_if_all_fail_the_error_says_why() -> None:
    with pytest.raises(RuntimeError, match=r"All systems failed.*no reason"):
        ended({"retrieval": Broken()}, {"retrieval": Broken()})


def test_an_episode_that_is_cut_off_leaves_no_warning(recwarn: pytest.WarningsRecorder) -> None:
    agent = {"systems": ["memagent", {"agent": "mem0", "options": HASHING}]}
    options = {"advance": "explicit", "encoder": "hashing", "stores": ["memagent.main", "mem0.main"], "max_steps": 5}
    [record] = play([Episode("cut", ENV, "multi-system", 0, options=options, agent_options=agent, model="rules")])
    gc.collect()
    assert (record.error, record.truncated) == (None, True)
    assert [str(one.message) for one in recwarn] == []
