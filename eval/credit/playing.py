"""One episode with and without a part: played, and compared question by question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from memgym.env import MemoryEnv
from memgym.operations import COMMANDS
from memgym.records import Episode, EpisodeRecord, StepRecord
from memgym.rollout import Cast, begin, finish, play_begun, recorded_step
from memgym.task import Outcome

from ..report.rescoring import question_scores
from .parts import SCRATCHPAD, START, Part
from .without import Free, Held, addressed

MODES = ("react", "replay")
Start = Mapping[str, Any] | None
Pair = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True)
class Course:
    """How an episode went: its record, and why it cannot be compared ("": it can)."""

    record: EpisodeRecord
    error: str = ""


@dataclass(frozen=True, slots=True)
class Changed:
    """What differs at one question (counted from 1), each with the part and without it."""

    question: int
    score: Pair
    stored: Pair
    shown: Pair


@dataclass(frozen=True, slots=True)
class Credit:
    """What one part earned: ``difference`` is the reward ``with_`` it less the one ``without`` it.

    ``stored`` and ``shown`` are the same of the evidence, as means over all questions (None: there is no evidence).
    ``refused`` counts the other operations that were carried out with the part and are not without it (they named what
    is gone), ``views`` the steps that show other entries than before. With an ``error`` there is no number.
    """

    part: Part
    with_: float
    without: float | None
    difference: float | None
    stored: float | None = None
    shown: float | None = None
    questions: tuple[Changed, ...] = ()
    refused: int = 0
    views: int = 0
    error: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the credit as plain data; without what only a replay needs of the part."""
        data = asdict(self)
        data["with"] = data.pop("with_")
        data["part"] = {key: data["part"][key] for key in ("name", "kind", "step", "text", "ids", "shown")}
        return data


@dataclass(frozen=True, slots=True)
class Case:
    """An episode whose parts are left out one by one: its record, the memory it begins with, how it is played again.

    ``model`` names another model than the record's, with its options.
    """

    record: EpisodeRecord
    start: Start
    by: str
    mode: str
    model: str | None = None
    model_options: Mapping[str, Any] | None = None


async def course(case: Case, part: Part | None, cast: Cast) -> Course:
    """Play an episode without a part (None: as it was). What goes wrong is a course with an error."""
    episode = _episode(case, part)
    env = cast.env(episode)
    first = begin(env, episode)
    try:
        if case.mode == "replay":
            env.pomdp.between = Held(case.record, part)
            record = _replayed(env, case.record, episode, first)
        else:
            env.pomdp.between = Free(case.record, part, case.by)
            record = await play_begun(env, episode, cast.model(episode), first)
        error = record.error or (_left_course if case.mode == "replay" else _other_play)(case.record, record, part)
        return Course(record, error)
    finally:
        cast.take_back(episode, env)


def _episode(case: Case, part: Part | None) -> Episode:
    start = case.start
    if start is not None and part is not None and part.kind == START:
        start = without_entry(start, part.name)
    if start is not None and part is not None and part.name == SCRATCHPAD:
        start = {**start, "scratchpad": ""}
    episode = replace(case.record.episode, after=None, memory=start)
    if case.model is not None:
        return replace(episode, model=case.model, model_options=dict(case.model_options or {}))
    return episode


def without_entry(start: Mapping[str, Any], id: str) -> dict[str, Any]:
    """Return a memory, as ``Memory.to_json`` gives it, without an entry and the links to it; all ids stay."""
    kept = [one for one in start["entries"] if one["id"] != id]
    return {**start, "entries": [{**one, "links": [to for to in one["links"] if to != id]} for one in kept]}


def _replayed(env: MemoryEnv, record: EpisodeRecord, episode: Episode, first: tuple[str, int]) -> EpisodeRecord:
    """Take the recorded steps; the text is taken as it is where it names no rank."""
    steps: list[StepRecord] = []
    for number, step in enumerate(record.steps, 1):
        action = env.dialect.parse(step.action)
        meant = addressed(action, record, number)
        texts, reward, *_ = env.step(step.action if meant == action else meant)
        steps.append(recorded_step(env, step.action, texts, reward, step.usage))
    return finish(env, episode, first, steps, privileged=record.privileged, error=record.error)


def _left_course(record: EpisodeRecord, now: EpisodeRecord, part: Part | None) -> str:
    """Return at which step time went on otherwise than it was recorded, "" if at none: answers would be misplaced."""
    for number, (old, new) in enumerate(zip(record.steps, now.steps, strict=True), 1):
        kinds = {*COMMANDS, "read"}
        then, there = (
            [(one.operation, one.status) for one in step.results if one.operation in kinds] for step in (old, new)
        )
        if then != there:
            return f"From step {number} on the recorded actions do not fit: what it does there depends on this part."
    return ""


def _other_play(record: EpisodeRecord, now: EpisodeRecord, part: Part | None) -> str:
    """Return where the agent acts otherwise before the part is missing, "" if nowhere: a part must have a before."""
    if part is None:
        return ""
    before = max((at[0] for at in part.at[:1]), default=0)
    for number, (old, new) in enumerate(zip(record.steps[:before], now.steps, strict=False), 1):
        if old.action != new.action:
            return f"The agent does not play as recorded: step {number} is another, before the part is missing."
    return "" if len(now.steps) >= before else "The agent does not play as recorded: the episode ends before the part."


def compared(part: Part, whole: Course, less: Course) -> Credit:
    """Return what differs between an episode and the same without a part."""
    reward = _reward(whole)
    if less.error or less.record.outcome is None:
        return Credit(part, reward, None, None, error=less.error or "it has no outcome")
    without = _reward(less)
    stored, shown = (_lost(whole, less, name) for name in ("evidence_stored", "evidence_shown"))
    refused, views = _effects(whole.record, less.record, part)
    return Credit(
        part, reward, without, reward - without, stored, shown, _questions(whole, less), refused, views
    )  # fmt: skip


def _lost(whole: Course, less: Course, metric: str) -> float | None:
    values = [None if one.record.outcome is None else one.record.outcome.metrics.get(metric) for one in (whole, less)]
    return None if values[0] is None or values[1] is None else values[0] - values[1]


def _reward(course: Course) -> float:
    return 0.0 if course.record.outcome is None else course.record.outcome.reward


def _questions(whole: Course, less: Course) -> tuple[Changed, ...]:
    columns = [_pairs(*(_column(one.record.outcome, name) for one in (whole, less))) for name in _COLUMNS]
    count = max(len(column) for column in columns)
    padded = [[*column, *([(None, None)] * (count - len(column)))] for column in columns]
    rows = [Changed(number, *pairs) for number, pairs in enumerate(zip(*padded, strict=True), 1)]
    return tuple(row for row in rows if any(old != new for old, new in (row.score, row.stored, row.shown)))


_COLUMNS = ("score", "stored", "shown")


def _column(outcome: Outcome | None, name: str) -> Sequence[float | None]:
    if outcome is None:
        return []
    return question_scores(outcome) if name == "score" else getattr(outcome, name)


def _pairs(old: Sequence[float | None], new: Sequence[float | None]) -> list[Pair]:
    count = max(len(old), len(new))
    first, second = ([*values, *([None] * (count - len(values)))] for values in (old, new))
    return list(zip(first, second, strict=True))


def _effects(old: EpisodeRecord, new: EpisodeRecord, part: Part) -> tuple[int, int]:
    """Return how many other operations are refused now, and how many steps show other entries."""
    refused = views = 0
    for number, (then, now) in enumerate(zip(old.steps, new.steps, strict=False), 1):
        views += then.shown != now.shown
        if then.action == now.action:
            pairs = enumerate(zip(then.results, now.results, strict=False))
            refused += sum(one.ok and not two.ok for at, (one, two) in pairs if (number, at) not in part.at)
    return refused, views
