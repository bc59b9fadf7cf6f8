"""Starting verl: the metrics of several starts, the environment of its processes, its rows, and the plug-in."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from small_policy import NEEDED

from memgym.records import Episode
from memgym.train.verl import launch as starts
from memgym.train.verl.cpu import plugin
from memgym.train.verl.launch import TrainingFailed, environment, launch, read_metrics
from memgym.train.verl.rows import from_text, to_text, write_rows


def metrics(folder: Path, start: int, *steps: tuple[int, float], broken: str = "") -> None:
    lines = "".join(json.dumps({"step": step, "data": {"x": value}}) + "\n" for step, value in steps)
    (folder / starts.METRICS.format(start)).write_text(lines + broken, "utf-8")


def test_what_a_later_start_did_again_stands_for_what_was_lost(tmp_path: Path) -> None:
    metrics(tmp_path, 1, (1, 0.1), (2, 0.2), (3, 0.3), broken='{"step": 4, "da')
    metrics(tmp_path, 2, (2, 0.9))

    assert read_metrics(tmp_path) == {1: {"x": 0.1}, 2: {"x": 0.9}}


def test_a_start_that_came_to_no_step_changes_nothing(tmp_path: Path) -> None:
    metrics(tmp_path, 1, (1, 0.1))
    metrics(tmp_path, 2)

    assert read_metrics(tmp_path) == {1: {"x": 0.1}}
    assert read_metrics(tmp_path / "none") == {}


def stand_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str) -> None:
    """Have a small program stand in for the driver."""
    (tmp_path / "stand_in_driver.py").write_text(text, "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(starts, "MAIN", "stand_in_driver")


WRITES = """
import json, os, sys
with open(os.environ["VERL_FILE_LOGGER_PATH"], "w") as file:
    for step in (1, 2):
        file.write(json.dumps({"step": step, "data": {"argument": sys.argv[1]}}) + "\\n")
"""


def test_each_step_is_told_once_as_it_is_done(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stand_in(monkeypatch, tmp_path, WRITES)
    told: list[tuple[int, object]] = []

    launch(["a=1"], tmp_path / "run", step=lambda step, data: told.append((step, data["argument"])))

    assert told == [(1, "a=1"), (2, "a=1")]
    assert sorted(read_metrics(tmp_path / "run")) == [1, 2]


def test_a_failed_driver_is_an_error_with_the_end_of_its_log(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stand_in(monkeypatch, tmp_path, "raise SystemExit('no such model')")

    with pytest.raises(TrainingFailed, match=r"(?s)status 1.*no such model"):
        launch([], tmp_path / "run")


def test_a_driver_whose_ray_does_not_come_up_is_started_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    counts = "import sys; print('try'); sys.exit(75)"
    stand_in(monkeypatch, tmp_path, counts)

    with pytest.raises(TrainingFailed, match="status 75"):
        launch([], tmp_path / "run")
    assert (tmp_path / "run" / starts.LOG).read_text("utf-8").count("try") == 3


def test_ctrl_c_interrupts_the_driver_and_waits_for_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # A shell without job control starts what runs in the background with the signal ignored.
    waits = """
import os, signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)
open(os.environ["VERL_FILE_LOGGER_PATH"], "w").write('{"step": 1, "data": {}}\\n')
try:
    time.sleep(60)
except KeyboardInterrupt:
    print("tidied up")
    raise
"""
    stand_in(monkeypatch, tmp_path, waits)

    def press(step: int, data: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        launch([], tmp_path / "run", step=press)
    assert "tidied up" in (tmp_path / "run" / starts.LOG).read_text("utf-8")


def test_only_runs_without_an_accelerator_choose_the_platform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VERL_PLATFORM", raising=False)

    assert environment(tmp_path / "m", "cpu", 2)["VERL_PLATFORM"] == "cpu"
    assert environment(tmp_path / "m", "cpu", 2)["OMP_NUM_THREADS"] == "2"
    assert "VERL_PLATFORM" not in environment(tmp_path / "m", "cuda", 1)


@pytest.mark.parametrize("device", ["", "cuda"])
def test_the_plug_in_sleeps_unless_it_is_asked_for(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERL_PLATFORM", device)
    code = "import sys, memgym.train.verl.cpu.plugin; print([m for m in ('verl', 'torch', 'ray') if m in sys.modules])"

    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"


@pytest.mark.parametrize(("installed", "available"), [("1.16.0", False), ("0.27.0", True), (None, True)])
def test_verl_does_without_a_trl_that_it_cannot_import(
    installed: str | None, available: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("verl", reason=NEEDED)
    import_utils = importlib.import_module("verl.utils.import_utils")

    def version(name: str) -> str:
        if installed is None:
            raise PackageNotFoundError(name)
        return installed

    monkeypatch.setattr(import_utils, "is_trl_available", lambda: True)
    monkeypatch.setattr(plugin, "version", version)
    plugin.pass_over_new_trl()

    assert import_utils.is_trl_available() is available


def test_rows_give_back_their_episodes_in_order(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason=NEEDED)
    memory = {"entries": [{"text": "日本 👩 \ud800"}]}
    episodes = [
        Episode("a", "MemGym/Synthetic-tiny", "llm", 1, "train-0000001", {"documents": 9}, memory=memory),
        Episode("b", "MemGym/Synthetic-tiny", "llm", 2**62, tags={"stage": "1"}),
    ]
    write_rows(episodes, tmp_path / "deep" / "rows.parquet")

    rows = parquet.read_table(tmp_path / "deep" / "rows.parquet").to_pylist()
    assert [from_text(row["extra_info"]["episode"]) for row in rows] == episodes
    assert [row["extra_info"]["index"] for row in rows] == [0, 1]
    assert [row["prompt"][0]["content"] for row in rows] == ["train-0000001", "b"]


def test_no_episodes_are_no_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no episodes"):
        write_rows([], tmp_path / "rows.parquet")


def test_an_episode_is_itself_again_after_its_text() -> None:
    episode = Episode("e", "x", "llm", 3, options={"a": [1, {"b": None}]}, part={"read": [0, None]}, frozen=True)

    assert from_text(to_text(episode)) == episode
