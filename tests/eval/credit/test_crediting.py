"""Credit over episodes: how each is played again, what is kept when it stops, totals, the file, the page."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from memgym.cli import app
from memgym.eval.config import AgentConfig, RunConfig, plan_of
from memgym.eval.credit.crediting import Wanted, credit
from memgym.eval.credit.playing import MODES
from memgym.eval.credit.totals import credits_of, file_of, totals
from memgym.eval.driving import Driver
from memgym.eval.folder import RunFolder
from memgym.eval.leavings import Leavings
from memgym.records import read_records
from memgym.registry import UnknownName


def none(_):
    return None


@pytest.fixture
def folder(tmp_path):
    """The folder of a run of two agents in two episodes."""
    agents = [AgentConfig(agent="keeper"), AgentConfig(agent="scratchpad-only", label="pad")]
    config = RunConfig(
        env="MemGym/Synthetic-50doc", env_options={"questions": 3}, agents=agents, episodes=2, model="rules"
    )  # fmt: skip
    made = RunFolder.create(tmp_path / "run", config)
    driver = Driver({}, Leavings(None, {}), made.append)
    driver.run(config.scheduler.lanes(plan_of(config)), workers=1, concurrency=2)
    made.close(driver.episodes)
    return made.path


def run(*arguments):
    result = CliRunner().invoke(app, [str(one) for one in arguments])
    return result.exit_code, result.output


def test_credits_are_the_same_twice_and_in_hands_of_any_size(recorded):
    record = recorded(questions=4)
    made = [credit([record], none, Wanted(concurrency=size))[0][0].to_json() for size in (1, 3, 8)]
    assert made[0] == made[1] == made[2]
    assert [one["part"]["name"] for one in made[0]["credits"]] == [f"m{n}" for n in range(1, made[0]["parts"] + 1)]


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_two_processes_find_what_one_finds(mode, recorded):
    records = [recorded("bm25-rag", seed=seed, questions=2) for seed in range(2)]
    alone, together = (credit(records, none, Wanted(mode=mode, workers=n)) for n in (1, 2))
    assert [one.to_json() for one in alone[0]] == [one.to_json() for one in together[0]]


def test_what_was_done_before_an_interruption_is_kept(recorded):
    record = recorded(questions=6)

    def stop(total, done):
        if done >= 4:
            raise KeyboardInterrupt

    found, complete = credit([record], none, Wanted(concurrency=2), stop)
    assert not complete
    assert [one.part.name for one in found[0].credits] == ["m1", "m2", "m3", "m4"]


def test_an_agent_that_is_known_reacts_and_another_is_replayed(recorded):
    record = recorded(questions=2)
    by_hand = replace(record, episode=replace(record.episode, agent="by-hand"))
    found, _ = credit([record, by_hand], none, Wanted(limit=1))
    assert [one.mode for one in found] == ["react", "replay"]
    assert "no registered name" in found[1].note
    with pytest.raises(ValueError, match="by-hand"):
        credit([by_hand], none, Wanted(mode="react"))


def test_a_model_that_costs_calls_is_asked_only_where_it_is_named(recorded):
    record = recorded(questions=2)
    costly = replace(record, episode=replace(record.episode, model="openai:some"))
    [found], _ = credit([costly], none, Wanted(limit=2))
    assert found.mode == "replay"
    assert "--mode react --model openai:some" in found.note
    with pytest.raises(ValueError, match="in 2 calls"):
        credit([costly], none, Wanted(mode="react"))


def test_a_model_that_cannot_be_reached_is_said_once_and_nothing_is_credited(recorded):
    pytest.importorskip("openai", reason='needs pip install "memgym[openai]"')
    options = {"base_url": "http://127.0.0.1:9/v1", "retries": 0, "api_key": "none"}
    wanted = Wanted(mode="react", model="openai:some", model_options=options)
    [found], complete = credit([recorded(questions=2)], none, wanted)
    assert complete
    assert found.failed
    assert "ModelError" in found.note
    assert found.credits == []


def test_another_model_plays_anew_and_is_compared_with_itself(recorded):
    record = recorded("bm25-rag", questions=3)
    [found], _ = credit([record], none, Wanted(model="none", limit=3))
    assert found.reward == 0
    assert {one.difference for one in found.credits} == {0}
    assert f"its reward was {record.outcome.reward:.3f}" in found.note


def test_an_episode_that_does_not_play_as_recorded_has_no_credit(recorded):
    record = recorded(questions=2)
    steps = (replace(record.steps[0], observation="another"), *record.steps[1:])
    for mode in MODES:
        [found], _ = credit([replace(record, steps=steps)], none, Wanted(mode=mode))
        assert found.failed
        assert "step 1 is another" in found.note


def test_a_failed_episode_has_no_credit(recorded):
    record = replace(recorded(questions=1), outcome=None, error="ModelError: gone")
    [found], _ = credit([record], none, Wanted())
    assert found.failed
    assert "ModelError: gone" in found.note


def test_what_goes_wrong_without_a_part_is_a_row_and_the_others_are_played(recorded):
    """The stumbler takes it for granted that a read shows what it wrote; without that its own code fails."""
    record = recorded("stumbler")
    [found], _ = credit([record], none, Wanted())
    assert found.parts == len(found.credits) == 2
    first, second = found.credits
    assert "Error" in first.error
    assert first.difference is None
    assert second.error == ""


def test_an_unknown_mode_is_an_error_with_the_nearest():
    with pytest.raises(UnknownName, match="'replay'"):
        Wanted(mode="replays")


def test_totals_count_every_part_once_and_average_over_episodes(recorded):
    records = [recorded(seed=seed, questions=4) for seed in range(3)]
    found, _ = credit(records, none, Wanted(by="operation"))
    made = {one.kind: one for one in totals(found)}
    assert set(made) == {"create", "read"}
    for kind, total in made.items():
        credits = [[one for one in episode.credits if one.part.kind == kind] for episode in found]
        means = [sum(one.difference for one in some) / len(some) for some in credits]
        assert total.parts == sum(len(some) for some in credits) == total.earned + total.cost + total.nothing
        assert total.a_part.mean == pytest.approx(sum(means) / 3)
        assert total.a_part.n == total.episodes == 3
    assert made["read"].a_part.mean == pytest.approx(1 / 4)


def test_the_command_writes_a_file_and_says_what_earned_the_reward(folder):
    code, said = run("credit", folder, "--episode", "keeper/000000")
    assert code == 0, said
    data = json.loads(file_of(folder, "entry").read_text())
    [episode] = data["episodes"]
    assert data["complete"] is True
    assert episode["mode"] == "react"
    assert len(episode["credits"]) == episode["parts"]
    earned = [one for one in episode["credits"] if one["difference"] > 0]
    assert earned
    assert all(one["part"]["name"] in said for one in earned[:10])
    assert "credits do not add up" in said


def test_without_an_episode_all_of_a_row_are_credited(folder):
    code, _ = run("credit", folder, "--agent", "pad", "--by", "operation", "--mode", "replay")
    assert code == 0
    data = json.loads(file_of(folder, "operation").read_text())
    assert [one["episode"] for one in data["episodes"]] == ["pad/000000", "pad/000001"]
    assert {one["row"] for one in data["totals"]} == {"pad"}


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--episode", "keeper/00000"], "keeper/000000"),
        (["--agent", "pat"], "'pad'"),
        (["--by", "entries"], "'entry'"),
        (["--mode", "reakt"], "'react'"),
    ],
)
def test_what_does_not_exist_is_one_line_with_the_nearest(arguments, named, folder):
    code, said = run("credit", folder, *arguments)
    assert code == 2
    assert named in said
    assert not file_of(folder, "entry").exists()


def test_a_truncated_records_file_is_credited_as_far_as_it_is_whole(folder):
    records = folder / "records.jsonl"
    records.write_bytes(records.read_bytes()[:-40])
    code, said = run("credit", folder, "--limit", "1")
    assert code == 0
    assert "was cut off" in said
    assert len(json.loads(file_of(folder, "entry").read_text())["episodes"]) == 3


def test_a_run_in_which_nothing_could_be_credited_ends_with_1(folder):
    lines = [replace(one, outcome=None, error="gone") for one in read_records(folder / "records.jsonl")]
    (folder / "records.jsonl").write_text("".join(one.line() + "\n" for one in lines))
    code, said = run("credit", folder)
    assert code == 1
    assert "gone" in said


def test_the_page_of_an_episode_shows_its_credit_where_there_is_one(folder, tmp_path):
    page = tmp_path / "page.html"
    assert run("view", folder, "--episode", "keeper/000000", "--out", page)[0] == 0
    assert "Credit:" not in page.read_text()
    run("credit", folder, "--episode", "keeper/000000")
    assert run("view", folder, "--episode", "keeper/000000", "--out", page)[0] == 0
    assert "Credit: what is different without one entry" in page.read_text()
    assert run("view", folder, "--episode", "pad/000000", "--out", page)[0] == 0
    assert "Credit:" not in page.read_text()


def test_a_file_that_is_no_credit_is_named(folder):
    file_of(folder, "entry").write_text("[]")
    with pytest.raises(ValueError, match=r"credit-entry\.json is not what memgym credit writes"):
        credits_of(folder, "keeper/000000")
