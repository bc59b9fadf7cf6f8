"""Contracts: the vocabulary, what holds, what is missing, and every combination counted once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgym.contracts import STAGES, Contract, add_key, check, keys, match
from memgym.registry import UnknownName

NAMES = ["text_content", "text_index", "retrieved", "prompt", "raw_text", "keywords"]


def contract(stage: str, requires: str = "", provides: str = "", name: str = "") -> Contract:
    return Contract(name or f"x.{stage}", stage, frozenset(requires.split()), frozenset(provides.split()))


def test_the_vocabulary_has_the_categories_of_the_seeds_table_4():
    assert {"id", "timestamp", "text_index", "image_embedding_index"} <= {key.name for key in keys("index")}
    assert {"video_content", "kv_cache_content", "lora_adapter_content", "task_type"} <= {
        k.name for k in keys("content")
    }
    assert {"sample_id", "question", "reference", "task_spec", "success", "steps"} == {k.name for k in keys("sample")}
    assert {"raw_text", "pre_raw_audio", "post_raw_video"} <= {key.name for key in keys("raw")}


def test_a_key_of_ones_own_can_be_added_and_not_mean_two_things():
    key = add_key("mood_of_a_test", "content", "how an entry feels")
    assert add_key("mood_of_a_test", "content", "how an entry feels") == key
    assert contract("formation", provides="mood_of_a_test").provides == {"mood_of_a_test"}
    with pytest.raises(ValueError, match="mood_of_a_test"):
        add_key("mood_of_a_test", "content", "something else")


def test_a_key_that_does_not_exist_is_an_error_with_the_nearest():
    with pytest.raises(UnknownName, match="text_index"):
        contract("retrieval", requires="text_indx")


def test_a_stage_that_does_not_exist_is_an_error_with_the_nearest():
    with pytest.raises(UnknownName, match="retrieval"):
        contract("retrival")


def test_a_violation_names_component_stage_key_and_who_would_provide_it():
    pipeline = {"retrieval": contract("retrieval", requires="text_index", name="bm25.retrieval")}
    (found,) = check(pipeline, ["raw_text"], [contract("backend", provides="text_index", name="text.backend")])
    assert (found.stage, found.component, found.missing) == ("retrieval", "bm25.retrieval", ("text_index",))
    assert "text.backend would provide it" in str(found)


def test_a_provider_of_a_later_stage_is_not_proposed():
    pipeline = {"formation": contract("formation", requires="text_index")}
    (found,) = check(pipeline, [], [contract("backend", provides="text_index", name="text.backend")])
    assert found.providers == ()


def test_what_a_stage_provides_is_there_for_the_stages_after_it_only():
    first = contract("formation", requires="raw_text", provides="text_content")
    backend = contract("backend", requires="text_content", provides="text_index")
    assert check({"formation": first, "backend": backend}, ["raw_text"]) == ()
    assert [one.stage for one in check({"formation": first, "backend": backend}, [])] == ["formation"]


names = st.frozensets(st.sampled_from(NAMES), max_size=3)
components = st.lists(
    st.builds(Contract, st.uuids().map(str), st.sampled_from(STAGES), names, names),
    max_size=9,
    unique_by=lambda c: c.name,
)


@given(components, names)
def test_every_combination_is_valid_or_has_one_first_failure_and_check_agrees(parts, start):
    matching = match(parts, start)
    sizes = [sum(part.stage == stage for part in parts) for stage in STAGES]
    expected = 1
    for size in sizes:
        expected *= size
    assert matching.total == expected == len(matching.valid) + sum(matching.causes.values())
    by_name = {part.name: part for part in parts}
    for pipeline in matching.valid:
        assert check({by_name[name].stage: by_name[name] for name in pipeline}, start) == ()
