"""Judging a run: every answer that has no verdict yet is asked about, many at once, and kept once it is judged."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from memgym import registry
from memgym.model import ChatModel
from memgym.records import EpisodeRecord
from memgym.verdict import Case, Judge, cases_of, wording

from ..config import JudgeConfig
from ..metrics.scores import is_score
from ..progress import Watch
from .verdicts import VERDICTS, VerdictFile

_OPERATION = frozenset({"base_url", "cache", "prices", "timeout", "retries", "concurrency", "limit"})
"""Options of a model that say where and how it is called; what it says does not depend on them."""


def judge_run(
    folder: Path,
    records: Sequence[EpisodeRecord],
    config: JudgeConfig,
    *,
    anew: bool = False,
    watch: Watch | None = None,
) -> VerdictFile:
    """Ask for the verdicts that the run in ``folder`` lacks, failed ones again; return all.

    Equal cases are asked about once, also over agents. ``anew`` drops the verdicts that are there; without it those of
    another judge are a ValueError. What was judged is kept whatever ends this. Where all of eight calls in a row fail,
    the ModelError of the last one is raised.
    """
    model = registry.make_model(config.model, **config.options)
    file = _file(folder, config, model, anew=anew)
    cases = {case.key: case for case in _cases(records)}
    open_cases = [case for key, case in cases.items() if not _settled(file, key)]
    told = watch or (lambda total, done: None)
    told(len(cases), len(cases) - len(open_cases))
    try:
        asyncio.run(_Asking(model, config, file, told, len(cases)).all(open_cases))
    finally:
        file.close(cases)
    return file


def _file(folder: Path, config: JudgeConfig, model: ChatModel, *, anew: bool) -> VerdictFile:
    kept, wanted = (None if anew else VerdictFile.read(folder)), pin(config, model)
    if kept is None:
        return VerdictFile(folder / VERDICTS, wanted)
    differing = [f"{name} {kept.pin.get(name)!r}, not {value!r}" for name, value in wanted.items()
                 if kept.pin.get(name) != value]  # fmt: skip
    if differing:
        raise ValueError(
            f"{folder / VERDICTS} holds verdicts of another judge ({'; '.join(differing)}), and one score has one "
            "judge. Judge with that one, or drop its verdicts: memgym judge --anew."
        )
    return kept


def pin(config: JudgeConfig, model: ChatModel) -> dict[str, Any]:
    """Return what verdicts depend on; two runs with another pin cannot be compared."""
    options = {name: value for name, value in config.options.items() if name not in _OPERATION}
    return {"model": model.name, "options": options, **wording(), "max_tokens": config.max_tokens}


def _settled(file: VerdictFile, key: str) -> bool:
    return key in file.verdicts and file.verdicts[key].correct is not None


def _cases(records: Sequence[EpisodeRecord]) -> Iterator[Case]:
    found = False
    for record in filter(is_score, records):
        if record.outcome is not None and record.outcome.references:
            found = True
            yield from (case for case in cases_of(record.outcome) if case is not None)
    if not found:
        raise ValueError("There is nothing to judge: no episode of this run has questions and was played to its end.")


class _Asking:
    """Several askers that share what is left to be asked about."""

    def __init__(self, model: ChatModel, config: JudgeConfig, file: VerdictFile, watch: Watch, total: int) -> None:
        self._judge, self._concurrency = Judge(model, config.max_tokens), config.concurrency
        self._file, self._watch, self._total = file, watch, total

    async def all(self, cases: Sequence[Case]) -> None:
        waiting, self._done = iter(cases), self._total - len(cases)
        await asyncio.gather(*(self._ask(waiting) for _ in range(self._concurrency)))

    async def _ask(self, waiting: Iterator[Case]) -> None:
        for case in waiting:
            self._file.add(await self._judge.verdict(case))
            self._done += 1
            self._watch(self._total, self._done)
