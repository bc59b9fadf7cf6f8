"""PPO on the structured view, with the library where it is installed: it learns, is reproducible, and can be loaded."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean

import pytest
import typer
from typer.testing import CliRunner

from memgym.train.ppo import RESULTS, compare, ppo, ppo_figure, table
from memgym.train.sb3 import PpoRecipe, evaluate, learn, load, save

pytest.importorskip("stable_baselines3", reason="needs the extra sb3")

SHORT = PpoRecipe(decisions=1200, lexicon_samples=40)


def test_the_same_seed_learns_the_same() -> None:
    first, again = learn(SHORT, 3), learn(SHORT, 3)
    assert first.rewards == again.rewards
    assert learn(SHORT, 4).rewards != first.rewards


def test_a_saved_policy_can_be_loaded_with_what_its_numbers_mean(tmp_path: Path) -> None:
    learned = learn(SHORT, 0)
    save(learned, SHORT, tmp_path)
    rewards = evaluate(*load(tmp_path, split="validation"), 20)
    assert rewards == evaluate(*load(tmp_path, split="validation"), 20)
    assert json.loads((tmp_path / "policy.json").read_text("utf-8"))["lexicon"] == list(learned.lexicon)


def test_an_untrained_policy_begins_with_the_prior() -> None:
    torch = pytest.importorskip("torch")
    learned = learn(SHORT.model_copy(update={"decisions": 1, "learning_rate": 1e-12}), 0)
    vector = torch.zeros((1, learned.model.observation_space.shape[0]))
    shares = learned.model.policy.get_distribution(vector).distribution.probs[0].tolist()
    assert shares[0] == pytest.approx(0.45, abs=0.02)
    assert shares[1] == pytest.approx(0.4, abs=0.02)
    assert sum(shares[2:6]) == pytest.approx(0.12, abs=0.02)


def test_results_are_a_table_that_says_what_the_policy_sees(tmp_path: Path) -> None:
    results = compare(SHORT, [0, 1], 10, tmp_path)
    assert "hand-made features" in table(results)
    assert [row["name"] for row in results["rows"]] == [
        "random", "keep-everything", "keep-facts", "perfect script", "PPO, seed 0", "PPO, seed 1", "PPO, all seeds",
    ]  # fmt: skip
    assert set(results["features"]) == {"sentence", "word", "slot"}


def test_the_command_writes_results_and_draws_them(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs the extra plot")
    app = typer.Typer()
    app.command("ppo")(ppo)
    app.command("ppo-figure")(ppo_figure)
    run = tmp_path / "run"
    small = ["--seeds", "1", "--episodes", "5", "--set", "decisions=600", "--set", "lexicon_samples=20"]
    done = CliRunner().invoke(app, ["ppo", "--out", str(run), *small])
    assert done.exit_code == 0, done.output
    assert (run / RESULTS).is_file()
    assert CliRunner().invoke(app, ["ppo-figure", str(run)]).exit_code == 0
    assert (run / "figure.svg").read_text("utf-8").startswith("<?xml")


@pytest.mark.slow
def test_some_seconds_of_learning_beat_who_keeps_everything() -> None:
    learned = learn(PpoRecipe(decisions=24_000), 0)
    assert fmean(learned.rewards[:300]) < 0.25
    assert fmean(learned.rewards[-300:]) > 0.35
