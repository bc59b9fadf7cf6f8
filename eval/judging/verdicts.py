"""Where verdicts are kept: a file in the run's folder, one line a case, so that scoring and resuming ask nobody again.

Records stay as they were played; what the judge said is put into them when they are read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from memgym.files import write_whole
from memgym.model import Usage
from memgym.records import EpisodeRecord
from memgym.verdict import SYSTEM, USER, Case, Verdict, cases_of

from ..metrics.scores import is_score

VERDICTS = "verdicts.jsonl"
METRIC = "judge"
SCHEMA = 1


class VerdictFile:
    """The verdicts of one judge on one run: its pin in the first line, then a verdict a line.

    A later verdict on a case replaces an earlier one. Half a last line (a kill) is dropped; any other line that is no
    verdict is a ValueError with its number.
    """

    def __init__(self, path: Path, pin: Mapping[str, Any], verdicts: Iterable[Verdict] = ()) -> None:
        self.path, self.pin = path, dict(pin)
        self.verdicts = {one.key: one for one in verdicts}
        self._file: Any = None

    @classmethod
    def read(cls, folder: Path) -> VerdictFile | None:
        """Read the verdicts on the run in a folder; None if it was not judged."""
        path = folder / VERDICTS
        if not path.is_file():
            return None
        lines = list(_lines(path))
        if not lines or lines[0].get("schema") != SCHEMA or "judge" not in lines[0]:
            raise ValueError(f"{path}, line 1 does not say who judged (schema {SCHEMA}).")
        return cls(path, lines[0]["judge"], [_verdict(path, number, one) for number, one in enumerate(lines[1:], 2)])

    def add(self, verdict: Verdict) -> None:
        """Keep a verdict; it is on its way to the disk when this returns."""
        if self._file is None:
            self._write(self.verdicts)
            self._file = open(self.path, "a", encoding="utf-8")  # noqa: SIM115
        self.verdicts[verdict.key] = verdict
        self._file.write(_line(verdict))
        self._file.flush()

    def close(self, order: Iterable[str]) -> None:
        """Put the verdicts into this order of cases, so that the file does not depend on who answered first."""
        if self._file is not None:
            self._file.close()
            self._file = None
        self._write(order)

    def _write(self, order: Iterable[str]) -> None:
        header = {"schema": SCHEMA, "judge": self.pin, "system": SYSTEM, "user": USER}
        kept = (self.verdicts[key] for key in dict.fromkeys(order) if key in self.verdicts)
        write_whole(self.path, json.dumps(header) + "\n" + "".join(map(_line, kept)))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                yield dict(json.loads(line))
            except (ValueError, TypeError) as broken:
                if not line.endswith("\n"):
                    return
                raise ValueError(f"{path}, line {number} is no verdict: {broken}") from broken


def _line(verdict: Verdict) -> str:
    usage = {name: value for name, value in asdict(verdict.usage).items() if value}
    said = {"case": verdict.key, "correct": verdict.correct, "reason": verdict.reason, "usage": usage}
    return json.dumps(said) + "\n"


def _verdict(path: Path, number: int, data: Mapping[str, Any]) -> Verdict:
    try:
        if data["correct"] not in (True, False, None):
            raise ValueError(f"correct is {data['correct']!r}")
        return Verdict(data["case"], data["correct"], data["reason"], Usage(**data["usage"]))
    except (LookupError, TypeError, ValueError) as broken:
        raise ValueError(f"{path}, line {number} is no verdict: {broken!r}") from broken


def with_verdicts(records: Sequence[EpisodeRecord], folder: Path) -> list[EpisodeRecord]:
    """Return the records with what the judge said, if the run in ``folder`` was judged: the metric "judge" and its pin.

    ``outcome.judged`` has 1, 0 or None (no verdict) for each question, and the metric is the mean of those judged; what
    was not answered is wrong without being asked about. Failed episodes and those without questions stay as they are.
    """
    file = VerdictFile.read(folder)
    if file is None:
        return list(records)
    return [_with_verdicts(record, file) for record in records]


def _with_verdicts(record: EpisodeRecord, file: VerdictFile) -> EpisodeRecord:
    outcome = record.outcome
    if outcome is None or not outcome.references or not is_score(record):
        return record
    judged = tuple(_score(case, file.verdicts) for case in cases_of(outcome))
    known = [one for one in judged if one is not None]
    metrics = {**outcome.metrics, METRIC: fmean(known)} if known else outcome.metrics
    setting = {**record.setting, METRIC: file.pin}
    return replace(record, outcome=replace(outcome, metrics=metrics, judged=judged), setting=setting)


def _score(case: Case | None, verdicts: Mapping[str, Verdict]) -> float | None:
    if case is None:
        return 0.0
    verdict = verdicts.get(case.key)
    return None if verdict is None or verdict.correct is None else float(verdict.correct)
