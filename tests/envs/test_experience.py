"""Experience: what was lived is shown one a step, and records become experiences by being played again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from small_house import as_json, experience, house_registered

from memgym import registry
from memgym.env import MemoryEnv
from memgym.envs.experience import experiences_of
from memgym.envs.files import DataNotFound
from memgym.operations import Act, Action, Advance, Answer, Create, Status
from memgym.records import Episode, EpisodeRecord
from memgym.rollout import begin, finish, make_env, play, take
from memgym.task import Experience

MUG, PLATE, LOST = experience("mug", "shelf"), experience("plate", "table"), experience("mug", "shelf", success=False)
ALL = [as_json(one) for one in (MUG, PLATE, LOST)]
ID = "MemGym/Experience"


def env(**options: Any) -> MemoryEnv:
    made = make_env(ID, **{"experiences": ALL, "shuffle": False, **options})
    made.reset(seed=0)
    return made


def advance(made: MemoryEnv) -> float:
    return made.step(Action(command=Advance()))[1]


def shown(made: MemoryEnv) -> list[Experience]:
    found = []
    while (lived := made.pomdp.seen.view.experience) is not None:
        found.append(lived)
        advance(made)
    return found


def test_each_experience_is_shown_in_its_step() -> None:
    assert shown(env()) == [MUG, PLATE, LOST]


def test_the_text_says_task_observations_commands_and_ending() -> None:
    text = env().pomdp.texts["observation"]
    assert text == (
        "Task: put the mug on the shelf\n\nYou see a mug and a shelf.\n> take mug\n\n"
        "You carry the mug.\n> put mug on shelf\n\nIt ended with success."
    )


def test_a_failure_says_so() -> None:
    assert LOST.render().endswith("It ended without success.")


def test_a_step_without_a_command_shows_the_same_again() -> None:
    made = env()
    made.step(Action((Create("a lesson"),)))
    assert made.pomdp.seen.view.experience == MUG


def test_after_the_last_one_an_empty_view_leaves_time_for_memory() -> None:
    made = env()
    shown(made)
    view = made.pomdp.seen.view
    assert (view.phase, view.text, view.experience, made.pomdp.over) == ("read", "", None, False)


def test_the_reward_is_one_for_having_seen_all_and_there_are_no_metrics_of_the_task() -> None:
    made = env()
    shown(made)
    assert advance(made) == 1.0
    assert made.pomdp.terminated
    assert made.pomdp.task.outcome().metrics == {}


def test_leaving_early_earns_nothing() -> None:
    made = env(max_steps=2)
    assert [advance(made), advance(made)] == [0.0, 0.0]
    assert made.pomdp.truncated


@pytest.mark.parametrize("command", [Answer("mug"), Act("take mug")])
def test_there_is_nothing_to_answer_and_nothing_to_do(command: Any) -> None:
    made = env()
    made.step(Action(command=command))
    assert made.pomdp.seen.results[0].status is Status.MASKED
    assert made.pomdp.seen.view.experience == MUG


def test_per_episode_makes_runs_of_that_many() -> None:
    benchmark = registry.make_benchmark("Experience", experiences=ALL, per_episode=2)
    assert benchmark.schedule(None, 3) == ["1-2", "3-3", "1-2"]
    assert benchmark.sample("3-3").data["experiences"] == (LOST,)


def test_shuffled_the_order_is_that_of_the_seed_and_nothing_is_lost() -> None:
    orders = []
    for seed in range(6):
        made = env(shuffle=True)
        made.reset(seed=seed)
        orders.append([one.render() for one in shown(made)])
    assert len({tuple(order) for order in orders}) > 1
    assert {tuple(sorted(order)) for order in orders} == {tuple(sorted(one.render() for one in (MUG, PLATE, LOST)))}


@pytest.mark.parametrize("text", ["", "東京に住む", "ก็", "🦊", "\x00", "\ud800", "x" * 100_000, "Task: > look"])
def test_any_text_can_have_been_lived(text: str) -> None:
    odd = {"task": text, "steps": [[text, text]], "success": True, "task_type": text}
    [seen] = shown(env(experiences=[odd]))
    assert seen == Experience(text, ((text, text),), True, text)


def test_an_experience_without_steps_is_shown_too() -> None:
    assert shown(env(experiences=[{"task": "wait", "steps": [], "success": False}])) == [Experience("wait", (), False)]


def test_without_anything_to_show_the_error_says_what_to_give() -> None:
    with pytest.raises(DataNotFound, match=r"experiences=\[\.\.\.\], or records=PATH"):
        registry.make_benchmark("Experience").schedule(None, 1)


def test_what_is_no_experience_is_an_error_that_names_the_field() -> None:
    with pytest.raises(ValueError, match="success"):
        registry.make_benchmark("Experience", experiences=[{"task": "a", "steps": []}]).schedule(None, 1)


def test_experiences_and_records_together_are_refused() -> None:
    with pytest.raises(ValueError, match="not both"):
        registry.make_benchmark("Experience", experiences=ALL, records="records.jsonl")


def test_an_episode_of_no_experience_is_refused() -> None:
    with pytest.raises(ValueError, match="per_episode=0"):
        registry.make_benchmark("Experience", experiences=ALL, per_episode=0)


def test_a_description_counts_and_has_a_checksum_of_what_is_shown() -> None:
    one, other = (registry.make_benchmark("Experience", experiences=lived).describe() for lived in (ALL, ALL[:2]))
    assert (one["experiences"], one["successes"]) == (3, 2)
    assert one["checksum"] != other["checksum"]


# ---------------------------------------------------------------- from records


def recorded(commands: list[str], sample: str = "mug-shelf", **fields: Any) -> EpisodeRecord:
    """Return the record of an errand in which these were given; a text with a "<" is an action as it stands."""
    episode = Episode(f"{sample}-{len(commands)}", "MemGym/House", "scripted", 0, sample=sample, **fields)
    made = make_env(episode.env, **episode.options)
    first = begin(made, episode)
    steps = [take(made, one if "<" in one else made.dialect.format(Action(command=Act(one)))) for one in commands]
    return finish(made, episode, first, steps, privileged=False, error=None)


WON = ["take mug", "put mug on shelf"]


def test_a_record_becomes_an_experience_by_being_played_again() -> None:
    with house_registered():
        assert experiences_of(recorded(WON)) == (replace(MUG, task="put the mug on the shelf.", task_type="put"),)


def test_an_episode_that_was_lost_is_a_failure() -> None:
    with house_registered():
        [lived] = experiences_of(recorded(["look"] * 4))
    assert not lived.success
    assert [done for _, done in lived.steps] == ["look"] * 4


def test_steps_on_memory_alone_are_left_out() -> None:
    with house_registered():
        [lived] = experiences_of(recorded(["<create_memory>mugs are red</create_memory>", *WON]))
    assert [done for _, done in lived.steps] == WON


def test_an_episode_in_which_nothing_was_acted_is_none() -> None:
    [read] = play([Episode("read", "MemGym/Synthetic-50doc", "no-memory", 0, model="rules")])
    assert experiences_of(read) == ()


def test_an_episode_that_failed_to_play_is_none() -> None:
    with house_registered():
        assert experiences_of(replace(recorded(WON), error="ModelError: gone", outcome=None)) == ()


def test_a_record_that_does_not_play_as_it_was_is_an_error_that_names_the_step() -> None:
    with house_registered():
        record = recorded(WON)
        steps = (record.steps[0], replace(record.steps[1], observation="0" * 16))
        with pytest.raises(ValueError, match="step 2"):
            experiences_of(replace(record, steps=steps))


def test_a_file_of_records_is_shown_in_its_order(tmp_path: Path) -> None:
    with house_registered():
        records = [recorded(WON), recorded(["look"] * 4), recorded(["take plate", "put plate on table"], "plate-table")]
        path = tmp_path / "records.jsonl"
        path.write_text("".join(f"{record.line()}\n" for record in records))
        found = shown(env(experiences=[], records=str(path)))
    assert [(one.task, one.success) for one in found] == [
        ("put the mug on the shelf.", True), ("put the mug on the shelf.", False), ("put the plate on the table.", True),
    ]  # fmt: skip


def test_records_in_which_nothing_was_acted_are_refused(tmp_path: Path) -> None:
    [read] = play([Episode("read", "MemGym/Synthetic-50doc", "no-memory", 0, model="rules")])
    path = tmp_path / "records.jsonl"
    path.write_text(f"{read.line()}\n")
    with pytest.raises(DataNotFound, match="no episode in which commands were given"):
        make_env(ID, records=str(path)).reset(seed=0)


def test_an_errand_in_a_generated_home_is_an_experience() -> None:
    pytest.importorskip("alfworld")
    episode = Episode("home", "MemGym/ALFWorld-generated", "scripted", 0)
    made = make_env(episode.env)
    first, steps = begin(made, episode), []
    while not made.pomdp.over:
        steps.append(take(made, made.dialect.format(Action((), made.cheat()))))
    [lived] = experiences_of(finish(made, episode, first, steps, privileged=False, error=None))
    assert lived.success
    assert lived.task_type == made.pomdp.sample.data["task_type"]
    assert len(lived.steps) == len(steps)
    assert "Your task" not in lived.task
