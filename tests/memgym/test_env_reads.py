"""What is read is observed now and gone at the next step; when the task moves on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from small_world import act, colours, env, shown, statuses

from memgym.env import MemoryEnv
from memgym.operations import (
    Act,
    Action,
    Advance,
    Answer,
    Create,
    Delete,
    Malformed,
    Read,
    Scratchpad,
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


# -------------------------------------------------------------------- reads


def test_a_read_is_observed_now_after_the_writes_of_the_step(made: MemoryEnv) -> None:
    texts = act(made, Read("zebra"), Create("A zebra is here."))
    assert shown(made) == ["m4"]
    assert "A zebra is here." in texts["memories"]


def test_a_read_is_gone_at_the_next_step(made: MemoryEnv) -> None:
    act(made, Read("Oslo"))
    assert act(made)["memories"] == ""
    assert shown(made) == []


def test_several_reads_are_shown_one_after_another_each_entry_once(made: MemoryEnv) -> None:
    act(made, Read("bicycle", k=1), Read("Oslo", k=1), Read("bicycle", k=1))
    assert shown(made) == ["m2", "m1"]
    assert [result.ids for result in made.pomdp.seen.results] == [("m2",), ("m1",), ("m2",)]


def test_a_failed_read_between_others_does_not_shift_their_results(made: MemoryEnv) -> None:
    act(made, Read("bicycle", k=1), Read(""), Create(""), Read("Oslo", k=1))
    assert [(str(one.status), one.ids) for one in made.pomdp.seen.results] == [
        ("ok", ("m2",)), ("empty", ()), ("empty", ()), ("ok", ("m1",)),
    ]  # fmt: skip


def test_k_of_the_environment_is_what_an_unset_k_means() -> None:
    made = env(k=1, advance="explicit")
    act(made, Create("red one"), Create("red two"))
    act(made, Read("red"))
    assert len(shown(made)) == 1


def test_by_of_the_environment_is_what_an_unset_by_means() -> None:
    made = env(by="text", encoder="hashing", advance="explicit")
    act(made, Create("red one"), Read("red"))
    assert [hit.by for hit in made.pomdp.seen.memories] == ["text"]


def test_a_persistent_query_is_asked_again_at_every_step() -> None:
    made = env(reads="persistent", advance="explicit")
    act(made, Create("red one"), Read("red"))
    act(made)
    assert shown(made) == ["m1"]
    act(made, Create("red two"))
    assert set(shown(made)) == {"m1", "m2"}


def test_a_persistent_query_lasts_until_the_next_one_and_a_blank_one_changes_nothing() -> None:
    made = env(reads="persistent", advance="explicit")
    act(made, Create("red one"), Create("blue kettle"), Read("red", k=1))
    act(made, Read(" "))
    assert shown(made) == ["m1"]
    act(made, Read("kettle", k=1))
    act(made)
    assert shown(made) == ["m2"]


def test_a_persistent_read_that_is_not_asked_now_has_no_result() -> None:
    made = env(reads="persistent", advance="explicit")
    act(made, Create("red one"), Read("red"))
    act(made)
    assert statuses(made) == []


def test_the_scratchpad_is_shown_at_every_step(made: MemoryEnv) -> None:
    act(made, Scratchpad("note"))
    assert [act(made)["scratchpad"] for _ in range(2)] == ["note", "note"]


def test_stores_are_read_apart() -> None:
    made = env(stores=("a", "b"), advance="explicit")
    act(made, Create("red", store="a"), Create("red", store="b"), Read("red", store="b"))
    assert shown(made) == ["m2"]


# -------------------------------------------------------------------- advance


@pytest.mark.parametrize(
    "action", [Action(), Action((Create("x"),)), Action((Malformed("x", "y"),)), Action((), Advance())]
)
def test_always_reads_the_next_chunk_once(action: Action) -> None:
    made = env(advance="always")
    made.step(action)
    assert made.get_state()["task"]["at"] == 1


@pytest.mark.parametrize(
    ("action", "at"),
    [
        (Action(), 0),
        (Action((Create("x"),)), 1),
        (Action((Create(""), Read("x"), Scratchpad("y"))), 0),
        (Action((Delete("m9"), Create("x"), Create("y"))), 1),
        (Action((), Advance()), 1),
    ],
)
def test_on_write_reads_on_after_a_create_or_update_that_succeeded(action: Action, at: int) -> None:
    made = env(advance="on_write")
    made.step(action)
    assert made.get_state()["task"]["at"] == at


def test_explicit_reads_on_only_when_told() -> None:
    made = env(advance="explicit")
    act(made, Create("x"))
    assert made.get_state()["task"]["at"] == 0
    act(made, command=Advance())
    assert made.get_state()["task"]["at"] == 1


def test_a_command_takes_the_place_of_reading_on() -> None:
    made = env(advance="always")
    texts = act(made, command=Act("look"))
    assert made.get_state()["task"]["at"] == 0
    assert "You did: look" in texts["observation"]


def test_a_command_that_is_refused_has_a_result(made: MemoryEnv) -> None:
    act(made, command=Answer("red"))
    assert [(one.operation, str(one.status)) for one in made.pomdp.seen.results] == [("answer", "masked")]


def test_questions_are_not_skipped_by_doing_nothing() -> None:
    made = env(advance="always")
    for _ in range(6):
        act(made)
    assert made.pomdp.seen.view.phase == "answer"


# -------------------------------------------------------------------- waiting


@pytest.mark.parametrize("reads", ["requested", "persistent"])
@pytest.mark.parametrize("advance", ["always", "on_write", "explicit"])
def test_the_empty_text_is_the_step_that_the_empty_action_is(advance: str, reads: str) -> None:
    one, two = env(advance=advance, reads=reads, max_steps=12), env(advance=advance, reads=reads, max_steps=12)
    script: list[Action | None] = [
        None, None, Action((Create("red"), Read("red"))), None, None, Action((Scratchpad("x"), Delete("m9"))), None, None,
        Action((), Act("look")), None, None, None, None, None,
    ]  # fmt: skip
    for action in script:
        assert one.step("" if action is None else action) == two.step(action or Action())
        assert one.get_state() == two.get_state()
        assert one.pomdp.seen == two.pomdp.seen
