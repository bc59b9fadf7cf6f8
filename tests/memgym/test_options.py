"""The options of an environment: defaults, what the dialect says, and errors that name value and choice."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memgym.masks import PRESETS
from memgym.options import Options
from memgym.registry import UnknownName


def test_the_papers_values_are_the_defaults() -> None:
    done = Options().resolve({})
    assert (done.advance, done.reads, done.k, done.unique, done.allowed) == (
        "always",
        "requested",
        6,
        True,
        PRESETS["all"],
    )


def test_what_the_dialect_says_comes_before_our_own_defaults() -> None:
    assert Options().resolve({"reads": "persistent", "unique": False, "k": 3}).to_json() == {
        **Options().resolve({}).to_json(), "reads": "persistent", "unique": False, "k": 3,
    }  # fmt: skip


def test_what_the_user_says_comes_before_what_the_dialect_says() -> None:
    done = Options(reads="requested", unique=True, k=9).resolve({"reads": "persistent", "unique": False, "k": 3})
    assert (done.reads, done.unique, done.k) == ("requested", True, 9)


def test_defaults_that_are_no_options_are_left_to_others() -> None:
    assert Options().resolve({"chunk_tokens": 4000}) == Options().resolve({})


@pytest.mark.parametrize(
    ("option", "value", "near"),
    [
        ("advance", "allways", "always"),
        ("reads", "persistant", "persistent"),
        ("by", "densse", "dense"),
        ("operations", "w/o upate", "w/o update"),
    ],
)
def test_an_unknown_value_proposes_the_nearest(option: str, value: str, near: str) -> None:
    with pytest.raises(UnknownName, match=f"Did you mean '{near}'"):
        Options(**{option: value}).resolve({})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["k", "capacity", "max_tokens", "max_operations", "query_limit", "max_steps"])
@pytest.mark.parametrize("value", [0, -1, 1.5, "6", True])
def test_a_number_that_is_no_positive_whole_one_is_named(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{name} is {value!r}; a whole number of at least 1"):
        Options(**{name: value}).resolve({})


@pytest.mark.parametrize("by", ["dense", "hybrid"])
def test_a_dense_read_by_default_needs_an_encoder(by: str) -> None:
    with pytest.raises(ValueError, match="encoder"):
        Options(by=by).resolve({})
    assert Options(by=by, encoder="hashing").resolve({}).by == by


@pytest.mark.parametrize("stores", [(), ("a", "a"), ("a", ""), ""])
def test_stores_are_different_names(stores: Any) -> None:
    with pytest.raises(ValueError, match="stores is"):
        Options(stores=stores).resolve({})


def test_one_store_may_be_given_as_a_text() -> None:
    assert Options(stores="notes").resolve({}).stores == ("notes",)


def test_a_mask_in_any_order_is_the_same_options() -> None:
    one: Any = {"read", "create", "update"}
    assert Options(operations=one).resolve({}) == Options(operations=("update", "create", "read")).resolve({})


def test_options_are_json_values() -> None:
    done = Options(stores=("a", "b"), operations=("read", "create"), capacity=3).resolve({})
    assert json.loads(json.dumps(done.to_json())) == done.to_json()


def test_options_from_their_json_are_the_same() -> None:
    done = Options(stores=("a", "b"), operations=("read", "create"), capacity=3, encoder="hashing").resolve({"k": 2})
    assert Options(**done.to_json()).resolve({}) == done


def test_the_resolved_mask_is_no_option_of_its_own() -> None:
    assert "allowed" not in Options.names()
    assert set(Options.names()) == set(Options().to_json())


def test_options_of_the_dense_index_are_checked() -> None:
    with pytest.raises(UnknownName, match="index: 'hnsw'"):
        Options(index="hnsw").resolve({})
    with pytest.raises(UnknownName, match="index_swap: 'soon'"):
        Options(index_swap="soon").resolve({})
    with pytest.raises(ValueError, match="index_threshold is 0"):
        Options(index_threshold=0).resolve({})
