"""Judging as a person sees it: with a bar that tells how many answers have a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from memgym.records import EpisodeRecord

from ..config import JudgeConfig
from .asking import judge_run
from .verdicts import VerdictFile


def judge_with_progress(
    folder: Path, records: Sequence[EpisodeRecord], config: JudgeConfig, *, anew: bool = False
) -> VerdictFile:
    """Judge a run as ``judge_run`` does, with a progress bar on the error stream."""
    columns = (TextColumn("verdicts"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        bar = progress.add_task("verdicts", total=None)
        return judge_run(
            folder, records, config, anew=anew,
            watch=lambda total, done: progress.update(bar, total=total, completed=done),
        )  # fmt: skip
