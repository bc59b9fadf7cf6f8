"""What the matching engine calls valid builds and plays; what it rejects is refused by hand for the same reason."""

from __future__ import annotations

import pytest
from every_system import (
    CONTRACTS,
    DIALOGUE,
    EXPERIENCE,
    HOUSE,
    QA,
    SMALL_QA,
    SYSTEMS,
    Played,
    built,
    episode,
    provided,
    violations,
)
from hypothesis import given, seed, settings
from hypothesis import strategies as st
from small_house import house_registered

from memgym.contracts import STAGES, ContractError, match
from memgym.matching import given_by
from memgym.rollout import play

FEW, MANY = 40, 400
GIVEN = given_by(None)
VALID = match(CONTRACTS.values(), GIVEN).valid
BY_STAGE = {stage: sorted(name for name, one in CONTRACTS.items() if one.stage == stage) for stage in STAGES}
VALID_PIPELINES = st.sampled_from(VALID)
ALL_PIPELINES = st.tuples(*(st.sampled_from(BY_STAGE[stage]) for stage in STAGES))
NAMED = frozenset(VALID)


def check_that_it_plays(parts: tuple[str, ...]) -> None:
    needed = frozenset().union(*(CONTRACTS[one].requires for one in parts))
    where = EXPERIENCE if needed & {"steps", "success"} else SMALL_QA
    [record] = play([episode("memory-system", where, dict(zip(STAGES, parts, strict=True)))])
    assert (record.error, record.terminated) == (None, True)


def check_that_it_is_refused_alike(parts: tuple[str, ...]) -> None:
    expected = violations(parts, GIVEN)
    assert (parts in NAMED) == (not expected)
    if not expected:
        built("memory-system", dict(zip(STAGES, parts, strict=True)))
        return
    with pytest.raises(ContractError) as refusal:
        built("memory-system", dict(zip(STAGES, parts, strict=True)))
    assert refusal.value.violations == expected
    assert str(expected[0]) in str(refusal.value)


@seed(1)
@settings(max_examples=FEW, database=None)
@given(parts=VALID_PIPELINES)
def test_a_valid_pipeline_builds_and_plays_to_the_end(parts: tuple[str, ...]) -> None:
    check_that_it_plays(parts)


@seed(2)
@settings(max_examples=4 * FEW, database=None)
@given(parts=ALL_PIPELINES)
def test_a_rejected_pipeline_is_refused_by_hand_for_the_same_reason(parts: tuple[str, ...]) -> None:
    check_that_it_is_refused_alike(parts)


@pytest.mark.slow
@seed(3)
@settings(max_examples=MANY, database=None)
@given(parts=VALID_PIPELINES)
def test_hundreds_of_valid_pipelines_build_and_play_to_the_end(parts: tuple[str, ...]) -> None:
    check_that_it_plays(parts)


@pytest.mark.slow
@seed(4)
@settings(max_examples=3 * MANY, database=None)
@given(parts=ALL_PIPELINES)
def test_thousands_of_pipelines_are_judged_alike_by_the_engine_and_by_hand(parts: tuple[str, ...]) -> None:
    check_that_it_is_refused_alike(parts)


@pytest.mark.parametrize("name", sorted(CONTRACTS))
def test_every_component_stands_in_a_pipeline_that_plays(name: str) -> None:
    place = STAGES.index(CONTRACTS[name].stage)
    pipelines = [parts for parts in VALID if parts[place] == name]
    assert pipelines
    check_that_it_plays(pipelines[len(pipelines) // 2])


@pytest.mark.parametrize("where", [QA, DIALOGUE, HOUSE, EXPERIENCE], ids=["qa", "dialogue", "house", "experience"])
@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_plays_to_the_end_or_is_refused_by_the_key_that_is_missing(name: str, where: Played) -> None:
    with house_registered():
        made, _ = built(name)
        refused = violations([part.name for part in made.parts.values()], provided(where))
        [record] = play([episode(name, where)])
    if refused:
        assert str(refused[0]) in str(record.error)
        assert all(key in str(record.error) for key in refused[0].missing)
        assert record.steps == ()
    else:
        assert (record.error, record.terminated) == (None, True)


def test_only_what_needs_other_keys_is_refused() -> None:
    with house_registered():
        refusals = {
            name: [where[0].removeprefix("MemGym/") for where in (QA, DIALOGUE, HOUSE, EXPERIENCE)
                   if violations([part.name for part in built(name)[0].parts.values()], provided(where))]
            for name in SYSTEMS
        }  # fmt: skip
    read = ["Synthetic-50doc", "SyntheticDialogue-5sessions"]
    acted = ["House", "Experience"]
    assert {name: where for name, where in refusals.items() if where} == {
        "awm": read, "expel": read, "mem1": acted, "memagent": acted,
    }  # fmt: skip
