"""Starting verl for a run, in a process of its own, and waiting for it: what ``memgym train`` calls.

A process of its own, since verl chooses its platform when it is imported, holds gigabytes until its process ends, and
must take Ray with it when it is killed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

MAIN = "memgym.train.verl.main"
LOG, METRICS = "verl.log", "metrics-{:03}.jsonl"
"""What verl and its workers print, and one line of metrics a step, in the folder of a run: a file for each start, since
verl empties its file when it goes on. ``read_metrics`` joins them."""
_TAIL = 30
_GRACE = 30.0
"""Seconds that verl has to end Ray after it was interrupted."""
_LOOK = 0.5
_TRIES, NOT_STARTED = 3, 75
"""How often Ray is started where its processes do not come up in time, and the driver's status where they do not."""
_PATIENCE = 300
"""Seconds that Ray's processes may take to start; on two busy cores its own limits are too short."""

Step = Callable[[int, Mapping[str, float]], None]


class TrainingFailed(RuntimeError):
    """verl ended with an error; the message has the end of its log."""


def launch(
    overrides: Sequence[str],
    folder: Path,
    *,
    device: str = "cpu",
    threads: int = 1,
    step: Step | None = None,
) -> None:
    """Train with verl's config and ``overrides`` in Hydra's grammar; return when it is done.

    ``folder`` gets the log and the metrics; ``step`` is told the metrics of each step as it is done. ``threads`` are
    those of torch in each process. A Ctrl-C ends Ray and goes on as KeyboardInterrupt; started again with the same
    overrides, verl goes on from its last checkpoint. Where it fails that is a TrainingFailed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for left in reversed(range(_TRIES)):
        status = _run(overrides, folder, device, threads, step)
        if not status:
            return
        if status != NOT_STARTED or not left:
            raise TrainingFailed(f"verl ended with status {status}. The end of {folder / LOG}:\n{_tail(folder)}")


def _run(overrides: Sequence[str], folder: Path, device: str, threads: int, step: Step | None) -> int:
    """Start the driver once and return its status."""
    metrics, seen = folder / METRICS.format(len(_starts(folder)) + 1), 0
    command = [sys.executable, "-m", MAIN, *overrides]
    with open(folder / LOG, "a", encoding="utf-8") as log:
        child = subprocess.Popen(
            command,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment(metrics, device, threads),
            start_new_session=True,
        )
    try:
        while child.poll() is None:
            time.sleep(_LOOK)
            seen = _told(metrics, seen, step)
    except BaseException:
        _end(child)
        raise
    _told(metrics, seen, step)
    return child.returncode


def environment(metrics: Path, device: str, threads: int) -> dict[str, str]:
    """Return the environment of verl's processes; Ray hands it on to its workers."""
    said = {
        "OMP_NUM_THREADS": str(threads),
        "TOKENIZERS_PARALLELISM": "false",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
        # verl's actors are few and known; a waiting process for each logical core would only slow the start down.
        "RAY_enable_worker_prestart": "0",
        "RAY_prestart_worker_first_driver": "0",
        "RAY_agent_register_timeout_ms": str(_PATIENCE * 1000),
        "RAY_worker_niceness": "0",  # Ray's own 15 starves training wherever something else runs
        "RAY_worker_register_timeout_seconds": str(_PATIENCE),
        "VERL_FILE_LOGGER_PATH": str(metrics.resolve()),
        "PYTHONUNBUFFERED": "1",
        "MEMGYM_PARENT": str(os.getpid()),
    }
    if device == "cpu":
        said["VERL_PLATFORM"] = "cpu"
    curves = {"TENSORBOARD_DIR": str(metrics.resolve().parent / "tensorboard")}
    return {**curves, **os.environ, **said}


def read_metrics(folder: Path) -> dict[int, dict[str, float]]:
    """Return the metrics of a run by step, over all its starts: what a later one did again stands for it."""
    found: dict[int, dict[str, float]] = {}
    for path in _starts(folder):
        own = dict(_lines(path.read_bytes()))
        kept = {step: data for step, data in found.items() if step < min(own, default=step + 1)}
        found = kept | own
    return found


def _starts(folder: Path) -> list[Path]:
    return sorted(folder.glob(METRICS.replace("{:03}", "*")))


def _lines(data: bytes) -> Iterator[tuple[int, dict[str, float]]]:
    """Yield step and metrics of each whole line; a broken last one is of a killed run."""
    for line in data.rpartition(b"\n")[0].splitlines():
        said: dict[str, Any] = json.loads(line)
        yield int(said["step"]), said["data"]


def _told(path: Path, seen: int, step: Step | None) -> int:
    """Tell ``step`` of the whole lines that came after ``seen`` bytes; return up to where the file was read."""
    if step is None or not path.exists():
        return seen
    with open(path, "rb") as file:
        file.seek(seen)
        new = file.read()
    for number, data in _lines(new):
        step(number, data)
    return seen + new.rfind(b"\n") + 1


def _end(child: subprocess.Popen[bytes]) -> None:
    """Interrupt verl so that it ends Ray; what is left after a while is killed."""
    child.send_signal(signal.SIGINT)
    try:
        child.wait(_GRACE)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _tail(folder: Path) -> str:
    lines = (folder / LOG).read_text("utf-8", "replace").splitlines()
    return "\n".join(lines[-_TAIL:])
