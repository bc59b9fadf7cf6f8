"""Judging as a person sees it: with a bar that tells how many answers have a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memgym.records import EpisodeRecord

from ..config import JudgeConfig
from ..progress import bar
from .asking import judge_run
from .verdicts import VerdictFile


def judge_with_progress(
    folder: Path, records: Sequence[EpisodeRecord], config: JudgeConfig, *, anew: bool = False
) -> VerdictFile:
    """Judge a run as ``judge_run`` does, with a progress bar on the error stream."""
    with bar("verdicts") as watch:
        return judge_run(folder, records, config, anew=anew, watch=watch)
