"""How operations of a step are answered, in which order, and which entries they mean."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from small_world import Colours, act, colours, env, shown, statuses

from memgym.env import MemoryEnv
from memgym.operations import (
    Advance,
    Create,
    Delete,
    Evolve,
    Link,
    Malformed,
    Operation,
    Read,
    Scratchpad,
    Status,
    Update,
)  # fmt: skip


@pytest.fixture
def made() -> MemoryEnv:
    """An environment that stays where it is, with three entries."""
    made = env(advance="explicit")
    act(made, Create("Mia lives in Oslo."), Create("Ben has a red bicycle."), Create("The kettle is on the shelf."))
    return made


@pytest.fixture(scope="module")
def id() -> Iterator[str]:
    with colours() as id:
        yield id


# -------------------------------------------------------------------- statuses


@pytest.mark.parametrize(
    ("operation", "status"),
    [
        (Create("new"), Status.OK),
        (Create("Mia lives in Oslo."), Status.DUPLICATE),
        (Update("m9", "x"), Status.UNKNOWN_ID),
        (Delete("#1"), Status.UNKNOWN_ID),
        (Malformed("<x", "why"), Status.MALFORMED),
        (Read("x", k=0), Status.MALFORMED),
        (Create(" "), Status.EMPTY),
        (Read(""), Status.EMPTY),
        (Read("x", by="dense"), Status.MASKED),
        (Create("x", store="y"), Status.UNKNOWN_ID),
    ],
)  # fmt: skip
def test_each_operation_is_answered_by_a_status(made: MemoryEnv, operation: Operation, status: Status) -> None:
    act(made, operation)
    assert statuses(made) == [status]


def test_everything_but_ok_comes_with_a_reason(made: MemoryEnv) -> None:
    act(
        made,
        Create(""),
        Create("Mia lives in Oslo."),
        Delete("m9"),
        Read("x", k=0),
        Malformed("", "why"),
        Link("m1", ()),
    )
    assert all(result.reason for result in made.pomdp.seen.results)


def test_feedback_tells_what_went_wrong(made: MemoryEnv) -> None:
    assert "m9" in act(made, Delete("m9"))["feedback"]


def test_feedback_is_gone_at_the_next_step(made: MemoryEnv) -> None:
    act(made, Delete("m9"))
    assert act(made)["feedback"] == ""


def test_what_is_masked_is_not_carried_out() -> None:
    made = env(operations="w/o update", advance="explicit")
    act(made, Create("a"), Update("m1", "b"), Scratchpad("c"))
    assert statuses(made) == ["ok", "masked", "ok"]
    assert made.memory.entries()[0].text == "a"


def test_what_is_masked_is_masked_even_with_an_unknown_id() -> None:
    made = env(operations="w/o delete", advance="explicit")
    act(made, Delete("m99"))
    assert statuses(made) == ["masked"]


def test_with_everything_masked_the_task_still_moves() -> None:
    made = env(operations="w/o both")
    before = made.pomdp.seen.view.text
    act(made, Create("a"), Read("a"), Scratchpad("x"))
    assert statuses(made) == ["masked"] * 3
    assert made.pomdp.seen.view.text != before


def test_operations_beyond_the_budget_are_over_budget_in_this_step_and_later_ones() -> None:
    made = env(max_operations=2, advance="explicit")
    act(made, Create("a"), Delete("m9"), Create("b"))
    assert statuses(made) == ["ok", "unknown_id", "over_budget"]
    act(made, Read("a"))
    assert statuses(made) == ["over_budget"]


def test_malformed_and_masked_operations_cost_no_budget() -> None:
    made = env(max_operations=1, operations="create,read", advance="explicit")
    act(made, Malformed("x", "y"), Scratchpad("x"), Create("a"))
    assert statuses(made) == ["malformed", "masked", "ok"]


def test_entries_and_tokens_have_their_budgets() -> None:
    made = env(capacity=1, max_tokens=4, advance="explicit")
    act(made, Create("one two three four five six"), Create("one"), Create("two"))
    assert statuses(made) == ["over_budget", "ok", "over_capacity"]


def test_budgets_are_shown_when_asked() -> None:
    made = env(show_budget=True, max_operations=5, capacity=3, max_tokens=50, max_steps=9, advance="explicit")
    feedback = act(made, Create("one"))["feedback"]
    assert "8 steps, 4 operations, 2 entries, 49 memory tokens" in feedback
    assert "7 steps" in act(made)["feedback"]


def test_budgets_are_not_shown_otherwise(made: MemoryEnv) -> None:
    assert "steps" not in act(made, Scratchpad("x"))["feedback"]


def test_a_read_after_too_many_without_a_write_skips_the_question() -> None:
    made = MemoryEnv(Colours(things=2, questions=2), query_limit=2, advance="explicit")
    made.reset(seed=0)
    act(made, command=Advance())
    act(made, command=Advance())
    act(made, Read("a"), Read("b"))
    act(made, Read("c"))
    assert statuses(made) == ["over_budget"]
    assert made.get_state()["task"]["said"] == [""]


@pytest.mark.parametrize("between", [Create("x"), Scratchpad("x")])
def test_a_write_starts_the_count_of_reads_again(between: Operation) -> None:
    made = env(query_limit=2, advance="explicit")
    act(made, Read("a"), Read("b"), between, Read("c"), Read("d"))
    assert statuses(made) == ["ok"] * 5


# -------------------------------------------------------------------- order and addresses


def test_operations_are_carried_out_in_the_order_written(made: MemoryEnv) -> None:
    act(
        made,
        Create("Mia lives in Rome."),
        Delete("m1"),
        Create("Mia lives in Oslo."),
        Update("m2", "x"),
        Scratchpad("1"),
        Scratchpad("2"),
    )
    assert statuses(made) == ["ok"] * 6
    assert [entry.id for entry in made.memory.entries()] == ["m2", "m3", "m4", "m5"]
    assert made.memory.scratchpad == "2"


def test_an_entry_of_this_action_cannot_be_named_in_it(made: MemoryEnv) -> None:
    act(made, Create("new"), Update("m4", "changed"), Create("linked", links=("m4",)))
    assert statuses(made) == ["ok", "unknown_id", "unknown_id"]


def test_an_update_after_a_delete_in_one_action_is_unknown_id(made: MemoryEnv) -> None:
    act(made, Delete("m1"), Update("m1", "x"))
    assert statuses(made) == ["ok", "unknown_id"]


def test_ranks_mean_what_was_shown_before_the_step(made: MemoryEnv) -> None:
    act(made, Read("Mia lives, Ben has a red bicycle"))
    first, second, *_ = shown(made)
    act(made, Delete("#1"), Update("#2", "changed"))
    assert statuses(made) == ["ok", "ok"]
    assert made.memory.get(first) is None
    entry = made.memory.get(second)
    assert entry is not None
    assert entry.text == "changed"


def test_a_rank_that_was_deleted_in_this_action_does_not_pass_to_the_next(made: MemoryEnv) -> None:
    act(made, Read("Mia lives, Ben has a red bicycle"))
    act(made, Delete("#1"), Delete("#1"))
    assert statuses(made) == ["ok", "unknown_id"]
    assert len(made.memory) == 2


def test_ranks_are_those_of_the_last_observation_only(made: MemoryEnv) -> None:
    act(made, Read("Oslo"))
    act(made)
    act(made, Delete("#1"))
    assert statuses(made) == ["unknown_id"]


def test_a_read_in_the_same_action_gives_no_ranks(made: MemoryEnv) -> None:
    act(made, Read("Oslo"), Delete("#1"))
    assert statuses(made) == ["ok", "unknown_id"]


def test_an_entry_says_which_step_of_which_episode_wrote_it(made: MemoryEnv) -> None:
    act(made)
    act(made, Evolve("m1", context="c"))
    entry = made.memory.get("m1")
    assert entry is not None
    assert (entry.created.episode, entry.created.step, entry.created.operation) == ("s0", 1, "create")
    assert (entry.updated.step, entry.updated.operation, entry.updated.clock) == (3, "evolve", 3)
