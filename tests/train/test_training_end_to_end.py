"""A few steps of GRPO through verl's own trainer on a CPU, killed after the first and gone on with. Takes minutes."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_policy import NEEDED, save_policy

from memgym.train.recipe import Recipe
from memgym.train.verl.launch import LOG, METRICS, read_metrics

pytest.importorskip("verl", reason=NEEDED)
pytestmark = pytest.mark.slow

PATIENCE = 900.0
STEPS = 4
"""Enough that a driver which outlives its killed parent by a step or two has not come to the end."""
RUN = """
import sys
from pathlib import Path
from memgym.train.recipe_files import load_recipe
from memgym.train.verl.config import Places, overrides, settings
from memgym.train.verl.files import write_files
from memgym.train.verl.launch import launch
folder, policy = Path(sys.argv[1]), sys.argv[2]
recipe = load_recipe(folder / "recipe.yaml")
places = Places.within(folder, policy)
write_files(recipe, places)
launch(overrides(settings(recipe, places)), folder)
"""


def recipe() -> Recipe:
    said: dict[str, Any] = {
        "name": "few-steps",
        "env": {"id": "MemGym/Synthetic-tiny", "options": {"max_steps": 3}},
        "agent": {"options": {"instructions": "", "max_tokens": 12}},
        "grpo": {"steps": STEPS, "batch": 2, "group": 2, "lr": 1e-3},
        "rollout": {"prompt_tokens": 3000, "response_tokens": 12, "device_tokens": 8192, "workers": 1},
        "validation": {"samples": 2, "every": 2, "before": False},
        "hardware": {"device": "cpu", "gpus": 1, "gradient_checkpointing": False},
        "checkpoints": {"every": 1, "keep": 2},
    }
    return Recipe.model_validate(said)


def start(folder: Path, policy: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", RUN, str(folder), str(policy)])


def wait(process: subprocess.Popen[bytes], folder: Path, done: Callable[[], bool]) -> None:
    """Wait until something is done; a process that ended before it is an error with the end of verl's log."""
    end = time.monotonic() + PATIENCE
    while not done():
        if process.poll() is not None or time.monotonic() > end:
            process.kill()
            pytest.fail((folder / LOG).read_text("utf-8", "replace")[-4000:])
        time.sleep(0.2)


def drivers(folder: Path) -> list[int]:
    """Return the processes of verl that train in a folder."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if b"memgym.train.verl.main" in command and str(folder).encode() in command:
                found.append(int(entry.name))
    return found


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that was killed after its first checkpoint, and then went on to its end."""
    from memgym.train.recipe_files import save_recipe

    folder = tmp_path_factory.mktemp("run")
    policy = save_policy(tmp_path_factory.mktemp("policy"))
    save_recipe(recipe(), folder / "recipe.yaml")
    latest = folder / "checkpoints" / "latest_checkpointed_iteration.txt"

    first = start(folder, policy)
    wait(first, folder, lambda: latest.exists() and latest.read_text() >= "1" and 1 in read_metrics(folder))
    first.send_signal(signal.SIGKILL)
    first.wait()
    ended = time.monotonic() + 60
    while drivers(folder) and time.monotonic() < ended:
        time.sleep(0.2)
    (folder / "left.txt").write_text(str(drivers(folder)))
    (folder / "reached.txt").write_text(latest.read_text())

    second = start(folder, policy)
    wait(second, folder, lambda: second.poll() == 0)
    return folder


@pytest.mark.skipif(sys.platform != "linux", reason="a driver is ended with its parent on Linux only")
def test_a_killed_run_leaves_no_driver_behind(trained: Path) -> None:
    assert (trained / "left.txt").read_text() == "[]"


def test_it_went_on_from_its_checkpoint(trained: Path) -> None:
    reached = int((trained / "reached.txt").read_text())
    later = (trained / METRICS.format(2)).read_text("utf-8").splitlines()

    assert sorted(read_metrics(trained)) == list(range(1, STEPS + 1))
    assert 1 <= reached < STEPS
    assert len(later) == STEPS - reached
    assert f"Resuming from {trained}/checkpoints/global_step_{reached}" in (trained / LOG).read_text("utf-8")


@pytest.mark.parametrize("step", range(1, STEPS + 1))
def test_each_step_is_one_optimizer_step_on_the_policy_that_played(trained: Path, step: int) -> None:
    metrics = read_metrics(trained)[step]

    assert metrics["actor/optimizer_steps"] == 1
    assert metrics["actor/ppo_kl"] == 0
    assert metrics["training/rollout_probs_diff_max"] < 1e-6
    assert metrics["training/trajectories"] == 4
    assert metrics["training/segments"] == 4 * metrics["episode/steps"]


def test_the_measures_of_episodes_are_among_the_metrics(trained: Path) -> None:
    metrics = read_metrics(trained)[STEPS]

    assert metrics["episode/failed"] == 0
    assert metrics["episode/tokens/response"] <= 12
    assert {"episode/reward", "episode/malformed_share", "group/without_spread"} <= set(metrics)
    assert any(name.startswith("val-core/MemGym/Synthetic-tiny/reward/") for name in metrics)


def test_the_trained_policy_is_a_folder_that_plays(trained: Path, tmp_path: Path) -> None:
    from memgym.records import Episode
    from memgym.rollout import play
    from memgym.train.verl.export import export

    export(trained / "checkpoints" / f"global_step_{STEPS}", tmp_path / "policy")
    options = {"model": str(tmp_path / "policy"), "dtype": "float32"}
    agent = {"instructions": "", "max_tokens": 12}
    [record] = play(
        [Episode("e", "MemGym/Synthetic-tiny", "llm", 1, None, {"max_steps": 2}, agent, "transformers", options)]
    )

    assert record.error is None
    assert len(record.steps) == 2
