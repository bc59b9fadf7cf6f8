"""One step of the POMDP, in order: resolve, write, advance, read, observe; and how an episode starts and ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium
import pytest
from small_world import INSTRUCTION, Colours, colours

from memgym.env import MemoryEnv
from memgym.operations import (
    Act,
    Action,
    Advance,
    Answer,
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
from memgym.pomdp import TEXTS
from memgym.registry import UnknownName, UnknownOptionError


def env(**options: Any) -> MemoryEnv:
    made = MemoryEnv(Colours(), **options)
    made.reset(seed=0, options={"sample": "s0"})
    return made


def act(made: MemoryEnv, *operations: Operation, command: Answer | Act | Advance | None = None) -> dict[str, str]:
    return made.step(Action(operations, command))[0]


def statuses(made: MemoryEnv) -> list[str]:
    return [str(result.status) for result in made.pomdp.seen.results]


def shown(made: MemoryEnv) -> list[str]:
    return [hit.entry.id for hit in made.pomdp.seen.memories]


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


# -------------------------------------------------------------------- the contract


def test_reset_gives_the_texts_and_an_info() -> None:
    texts, info = MemoryEnv(Colours()).reset(seed=0)
    assert tuple(texts) == TEXTS
    assert texts["task"] == INSTRUCTION
    assert set(info) == {"observation", "group", "step", "memory/size"}


def test_observations_are_members_of_the_space(made: MemoryEnv) -> None:
    texts = act(made, Read("Oslo"), Scratchpad("x"))
    assert texts in made.observation_space


def test_a_step_before_the_first_reset_is_an_error() -> None:
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
        MemoryEnv(Colours()).step("x")
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
        MemoryEnv(Colours()).step("")


@pytest.mark.parametrize("action", [None, 3, ["<advance/>"], b"x", Create("x")])
def test_an_action_that_is_neither_text_nor_action_is_a_type_error(made: MemoryEnv, action: Any) -> None:
    with pytest.raises(TypeError, match=type(action).__name__):
        made.step(action)


def test_text_and_action_are_the_same_step() -> None:
    one, two = env(), env()
    action = Action((Create("a", keywords=("k",)), Read("a")), Advance())
    assert one.step(action)[:4] == two.step(two.dialect.format(action))[:4]
    assert one.get_state() == two.get_state()


def test_the_same_seed_and_actions_give_the_same_episode() -> None:
    runs = []
    for _ in range(2):
        made = MemoryEnv(Colours(), encoder="hashing")
        steps: list[Any] = [made.reset(seed=5)]
        steps += [made.step(Action((Create(f"note {n}"), Read("note")), Advance())) for n in range(6)]
        runs.append((steps, made.get_state()))
    assert runs[0] == runs[1]


def test_different_seeds_give_different_orders() -> None:
    made = MemoryEnv(Colours(things=6))
    firsts = {made.reset(seed=seed, options={"sample": "s0"})[0]["observation"] for seed in range(10)}
    assert len(firsts) > 1


def test_without_a_seed_the_episodes_go_on_from_the_last_one() -> None:
    groups = []
    for _ in range(2):
        made = MemoryEnv(Colours())
        groups.append([made.reset(seed=1)[1]["group"], made.reset()[1]["group"], made.reset()[1]["group"]])
    assert groups[0] == groups[1]
    assert len(set(groups[0])) == 3


def test_an_observation_that_was_returned_is_not_changed_by_later_steps(made: MemoryEnv) -> None:
    for action in ("", Action((Scratchpad("x"), Read("Oslo"))), ""):
        first = made.step(action)[0]
        kept = dict(first)
        made.step("")
        act(made, Scratchpad("changed"))
        assert first == kept


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


# -------------------------------------------------------------------- the end


def win(made: MemoryEnv) -> tuple[dict[str, str], float, bool, bool, dict[str, Any]]:
    while True:
        step = made.step(Action((), made.cheat()))
        if step[2] or step[3]:
            return step


def test_a_won_episode_ends_with_reward_one() -> None:
    _, reward, terminated, truncated, info = win(env())
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert (info["outcome"].predictions, info["outcome"].references) == (("red",), (("red",),))


def test_the_reward_is_zero_until_the_end() -> None:
    made = env()
    rewards = [made.step(Action((), made.cheat()))[1] for _ in range(4)]
    assert rewards == [0.0, 0.0, 0.0, 1.0]


def test_an_episode_is_truncated_after_max_steps() -> None:
    made = env(max_steps=2, advance="explicit")
    assert made.step("")[2:4] == (False, False)
    _, reward, terminated, truncated, info = made.step("")
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert info["outcome"].predictions == (None,)


def test_an_episode_that_is_won_at_its_last_step_is_terminated() -> None:
    assert win(env(max_steps=4))[2:4] == (True, False)


def test_the_horizon_of_the_task_is_the_default_of_max_steps() -> None:
    assert env().pomdp.max_steps == 16


def test_the_outcome_is_told_once_and_not_before_the_end() -> None:
    made = env()
    infos = [made.step(Action((), made.cheat()))[4] for _ in range(4)]
    assert ["outcome" in info for info in infos] == [False, False, False, True]
    assert "outcome" not in made.step("")[4]


@pytest.mark.parametrize(
    "action", ["", "<create_memory>x</create_memory>", Action((Create("x"), Read("x")), Answer("red"))]
)
def test_a_step_after_the_end_changes_nothing_and_earns_nothing(action: str | Action) -> None:
    made = env(reads="persistent", advance="explicit")
    act(made, Create("red"), Read("red"))
    win(made)
    before = made.get_state()
    _, reward, terminated, truncated, _ = made.step(action)
    assert (reward, terminated, truncated) == (0.0, True, False)
    assert set(statuses(made)) <= {"masked"}
    assert made.get_state() == before


@pytest.mark.parametrize("action", ["", Action((Create("x"),))])
def test_a_step_after_truncation_stays_truncated(action: str | Action) -> None:
    made = env(max_steps=1)
    made.step("")
    assert made.step(action)[1:4] == (0.0, False, True)


def test_the_outcome_says_whether_memory_did_its_part() -> None:
    made = env()
    fact = made.pomdp.sample.questions[0].evidence[0]
    act(made, Create(fact), command=Advance())
    act(made, command=Advance())
    act(made, Read(fact), command=Advance())
    metrics = made.step(Action((), Answer("red")))[4]["outcome"].metrics
    assert metrics == {
        "em": 1.0,
        "evidence_stored": 1.0,
        "evidence_shown": 1.0,
        "answer_shown": 1.0,
        "memory_size": 1.0,
    }


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


# -------------------------------------------------------------------- rendering


def test_ansi_renders_the_screen_and_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    made = env(render_mode="ansi", advance="explicit")
    act(made, Scratchpad("my note"))
    screen = made.render()
    assert screen is not None
    assert "step 1 of 16" in screen
    assert "my note" in screen
    assert capsys.readouterr().out == ""


def test_human_prints_each_step_and_renders_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    made = env(render_mode="human", advance="explicit")
    act(made, Scratchpad("my note"))
    assert "my note" in capsys.readouterr().out
    made.step("")
    assert "step 2 of 16" in capsys.readouterr().out
    assert made.render() is None


def test_without_a_render_mode_nothing_is_rendered(made: MemoryEnv, capsys: pytest.CaptureFixture[str]) -> None:
    assert made.render() is None
    assert capsys.readouterr().out == ""


# -------------------------------------------------------------------- errors of the caller


def test_an_unknown_render_mode_proposes_the_nearest() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'ansi'"):
        MemoryEnv(Colours(), render_mode="anse")


def test_an_unknown_option_of_a_built_benchmark_proposes_the_nearest() -> None:
    with pytest.raises(UnknownOptionError, match="Did you mean 'capacity'"):
        MemoryEnv(Colours(), capacty=3)


@pytest.mark.parametrize(
    ("option", "near"), [("capacty", "capacity"), ("thing", "things"), ("rendermode", "render_mode")]
)
def test_an_unknown_option_of_a_named_benchmark_proposes_the_nearest(id: str, option: str, near: str) -> None:
    options: Any = {option: 3}
    with pytest.raises(UnknownOptionError, match=f"Did you mean '{near}'"):
        gymnasium.make(id, **options)


def test_an_unknown_benchmark_proposes_the_nearest(id: str) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'Colours'"):
        MemoryEnv("Colors")


def test_an_unknown_dialect_proposes_the_nearest() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'xml'"):
        MemoryEnv(Colours(), dialect="xmls")


def test_an_unknown_encoder_proposes_the_nearest() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'hashing'"):
        MemoryEnv(Colours(), encoder="hash")


def test_options_of_environment_and_benchmark_are_given_side_by_side(id: str) -> None:
    made = gymnasium.make(id, things=2, capacity=7, render_mode="ansi").unwrapped
    assert isinstance(made, MemoryEnv)
    assert isinstance(made.benchmark, Colours)
    assert (made.benchmark.things, made.options.capacity, made.render_mode) == (2, 7, "ansi")


def test_masks_of_reads_hold_for_persistent_reads_too() -> None:
    made = env(reads="persistent", operations="create", advance="explicit")
    act(made, Create("red"), Read("red"))
    act(made)
    assert shown(made) == []
