"""LongMemEval: one question about the many chats of one user with an assistant.

Paper: Wu et al. 2025, "LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive Memory" (ICLR 2025, arXiv
2410.10813). Licence of the data: MIT. Files: longmemeval_oracle, _s, _m, with or without ".json", one array each of 500
records: ``question_id``, ``question_type``, ``question``, ``answer``, ``question_date``, ``haystack_dates``,
``haystack_session_ids``, ``haystack_sessions`` = [[{role, content, has_answer?}, ...], ...], ``answer_session_ids``.

Rules kept: sessions are read in the order of time; the date of the question is told with it; "_abs" in an id means
that the right answer is to abstain.

Deviations: the paper has a language model judge answers; here they are scored by exact match or F1, which is too
strict for the preference questions, and abstentions by a rule of phrases (``abstention``). Sessions dated after their
question (19 of 233 known oracle records) are read like the others, and counted. Answers that are numbers are read as
text. A file in which no turn is marked with ``has_answer`` has no evidence, and is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, ClassVar

from numpy.random import Generator

from memgym.registry import unknown
from memgym.task import Benchmark, Question, Sample, Task

from .collection import Collection, collect
from .formats import BrokenData, Row
from .layouts import note, text, value
from .reading import load_metric
from .sessions import Session, Stream, line
from .shelf import Shelf
from .sources import SOURCES, check_split

LAYOUTS = ("oracle", "s", "m")
ABSTAIN = "not mentioned"
ABSTENTION = "abstention"
ABILITIES = {
    "information_extraction": ("single-session-user", "single-session-assistant", "single-session-preference"),
    "multi_session_reasoning": ("multi-session",),
    "knowledge_updates": ("knowledge-update",),
    "temporal_reasoning": ("temporal-reasoning",),
    "abstention": (ABSTENTION,),
}
"""The paper's five abilities, by the question types of the records; abstention is told by the id instead."""

CATEGORIES = tuple(one for types in ABILITIES.values() for one in types)


class LongMemEval(Benchmark):
    """One question about up to 500 dated chats, in the layouts oracle (evidence only), S (about 115k tokens) and M.

    Args:
        layout: "oracle", "s" or "m". Their records differ beyond the sessions (the date of the same question), so
            no layout ever stands in for another.
        data: A file or folder with the layout's file.
        categories: Question types ("multi-session", ...), "abstention", or abilities ("information_extraction",
            "multi_session_reasoning", "knowledge_updates", "temporal_reasoning"); None: all.
        reward: "em" or "f1" (or another metric of one answer); abstentions are scored by ``abstention``.
        unit: How the sessions are cut, with ``chunk_tokens`` and ``tokenizer``: see ``Stream``.
        announced: Show the question while reading. The benchmark does not.

    Raises:
        DataNotFound, BrokenData: At first use. UnknownName: a layout, category, unit or reward.
    """

    name: ClassVar[str] = "LongMemEval"
    provides: ClassVar[frozenset[str]] = Benchmark.provides | {"sessions"}

    def __init__(
        self,
        *,
        layout: str = "s",
        data: str | None = None,
        categories: str | Sequence[str] | None = None,
        reward: str = "em",
        unit: str = "session",
        chunk_tokens: int = 4000,
        tokenizer: str = "cl100k",
        announced: bool = False,
    ) -> None:
        if layout.lower() not in LAYOUTS:
            raise unknown("layout of LongMemEval", layout, LAYOUTS)
        load_metric(reward)
        self.layout, self.data, self.reward = check_split(self.name, layout.lower()), data, reward
        self.categories = _types(categories)
        self._stream = Stream(unit, chunk_tokens, tokenizer, announced)

    def draw(self, rng: Generator) -> Sample:
        return self._shelf.draw(rng)

    def sample(self, id: str) -> Sample:
        return self._shelf.sample(id)

    def schedule(self, rng: Generator, count: int) -> Sequence[str]:
        return self._shelf.schedule(rng, count)

    def task(self, sample: Sample, rng: Generator) -> Task:
        """Start one run; nothing of it is left to chance, so it does not depend on ``rng``."""
        return self._stream.task(sample, reward=self.reward, rewards={ABSTENTION: "abstention"}, abstain=ABSTAIN)

    def describe(self) -> dict[str, Any]:
        """Return every option, the questions by category, and what identifies and is odd in the data."""
        counts = Counter(sample.questions[0].category for sample in self._shelf.samples)
        return {
            **super().describe(),
            "layout": self.layout,
            "categories": list(self.categories),
            "reward": self.reward,
            **self._stream.describe(),
            "counts": dict(sorted(counts.items())),
            **self.collection.description,
            "checksum": self._checksum,
        }

    @cached_property
    def collection(self) -> Collection:
        """All records of the layout. Raises DataNotFound or BrokenData."""
        return collect(SOURCES[self.name], self.layout, parse, self.data, ())

    @cached_property
    def _shelf(self) -> Shelf:
        kept = [sample for sample in self.collection.samples if sample.questions[0].category in self.categories]
        return Shelf(kept, f"No record of LongMemEval ({self.layout}) has categories={list(self.categories)}.")

    @cached_property
    def _checksum(self) -> str:
        return self._shelf.checksum()


def parse(row: Row, notes: Counter[str]) -> Sample:
    """Read one record; sessions come in the order of time. Raises BrokenData.

    ``notes`` counts: "records_without_evidence", "sessions_after_the_question", "sessions_without_turns" (left out),
    "answers_not_text".
    """
    id, kind = text(row, "question_id"), text(row, "question_type")
    category = ABSTENTION if id.endswith("_abs") else kind
    if category not in CATEGORIES:
        raise BrokenData(f"{row.place}: {unknown('question_type', kind, CATEGORIES).args[0]}")
    answer, date = value(row, "answer"), text(row, "question_date")
    dated = [(when(row, day), day, turns) for day, turns in _haystack(row)]
    dated.sort(key=lambda one: one[0])
    full = [(time, day, turns) for time, day, turns in dated if turns]
    sessions = [_session(row, number, day, turns) for number, (_, day, turns) in enumerate(full, 1)]
    if not sessions:
        raise BrokenData(f"{row.place} has no session with turns.")
    evidence = _evidence(full)
    note(
        notes,
        records_without_evidence=int(not evidence),
        sessions_after_the_question=sum(time > when(row, date) for time, _, _ in full),
        sessions_without_turns=len(dated) - len(full),
        answers_not_text=int(not isinstance(answer, str)),
    )
    accepted = (ABSTAIN, str(answer)) if category == ABSTENTION else (str(answer),)
    asked = Question(f"{text(row, 'question')} (asked on {date})", accepted, evidence, id, category, ((kind,),))
    documents = tuple(session.document() for session in sessions)
    return Sample(id, (asked,), documents, {"sessions": tuple(sessions), "question_date": date})


def when(row: Row, date: Any) -> datetime:
    """Read a date such as "2023/05/20 (Sat) 02:21". Raises BrokenData; the day's name is not checked."""
    try:
        day, _, clock = str(date).split()
        return datetime.strptime(f"{day} {clock}", "%Y/%m/%d %H:%M")
    except ValueError:
        raise BrokenData(f"{row.place}: {date!r:.60} is not a date like '2023/05/20 (Sat) 02:21'.") from None


def _haystack(row: Row) -> list[tuple[Any, Any]]:
    dates, sessions = value(row, "haystack_dates"), value(row, "haystack_sessions")
    if not isinstance(dates, list) or not isinstance(sessions, list) or len(dates) != len(sessions):
        raise BrokenData(f"{row.place}: 'haystack_dates' and 'haystack_sessions' must be lists of one length.")
    return list(zip(dates, sessions, strict=True))


def _session(row: Row, number: int, date: str, turns: Any) -> Session:
    if not isinstance(turns, list) or not all(isinstance(turn, Mapping) for turn in turns):
        raise BrokenData(f"{row.place}: the session of {date} is not a list of turns.")
    for turn in turns:
        if not all(isinstance(turn.get(key), str) for key in ("role", "content")):
            raise BrokenData(f"{row.place}: the session of {date} holds {turn!r:.60} where a turn was expected.")
    return Session(number, date, tuple((turn["role"], turn["content"]) for turn in turns))


def _evidence(dated: Sequence[tuple[datetime, str, Any]]) -> tuple[str, ...]:
    marked = [turn for _, _, turns in dated for turn in turns if turn.get("has_answer") is True]
    return tuple(dict.fromkeys(line(turn["role"], turn["content"]) for turn in marked))


def _types(categories: str | Sequence[str] | None) -> tuple[str, ...]:
    given = CATEGORIES if categories is None else (categories,) if isinstance(categories, str) else categories
    for one in given:
        if one not in CATEGORIES and one not in ABILITIES:
            raise unknown("category of LongMemEval", one, [*CATEGORIES, *ABILITIES])
    return tuple(dict.fromkeys(kind for one in given for kind in ABILITIES.get(one, (one,))))
