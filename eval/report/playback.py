"""An episode played again for a reader: what was seen, done and changed at each step, and what each question met.

The texts are not in a record; they are made anew from the recorded actions, and a step whose text is another than was
recorded is told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memgym.env import MemoryEnv
from memgym.memory.entry import Entry, Hit
from memgym.operations import Answer, Command, Operation, Result
from memgym.records import EpisodeRecord, StepRecord, digest
from memgym.registry import unknown
from memgym.replay import played_again
from memgym.rollout import Cast, begin, take
from memgym.task import Question


@dataclass(frozen=True, slots=True)
class Moment:
    """One step: the observation before it, what was written and how each part ended, the memory after it."""

    number: int
    seen: Mapping[str, str]
    record: StepRecord
    parts: tuple[tuple[Operation | Command, Result | None], ...]
    entries: Mapping[str, Entry]
    scratchpad: str
    hits: tuple[Hit, ...]
    question: int | None = None


@dataclass(frozen=True, slots=True)
class Met:
    """An entry that was shown for a question: in the observation after which step, and which evidence it holds."""

    entry: Entry
    step: int
    score: float
    by: str
    holds: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with what memory had for it. ``stored`` and ``shown`` name, by piece of evidence, the entries."""

    number: int
    question: Question
    step: int | None
    said: str | None
    met: tuple[Met, ...]
    stored: tuple[tuple[str, ...], ...]
    shown: tuple[tuple[str, ...], ...]


@dataclass(slots=True)
class Playback:
    """A whole episode: how memory began, its moments, its questions, and where it is not what was recorded."""

    record: EpisodeRecord
    start: Mapping[str, Entry]
    start_scratchpad: str
    last: Mapping[str, str]
    moments: list[Moment] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    differs: str = ""


def find_record(records: Sequence[EpisodeRecord], wanted: str) -> EpisodeRecord:
    """Return the record of an episode's id, or at a place in the file (0 is the first); else an UnknownName error."""
    by_id = {record.episode.id: record for record in records}
    if wanted in by_id:
        return by_id[wanted]
    if wanted.isdecimal() and int(wanted) < len(records):
        return records[int(wanted)]
    hint = f"Or give a number from 0 to {len(records) - 1}." if records else "The run has no record."
    raise unknown("episode", wanted, by_id, hint)


def starting_memory(record: EpisodeRecord, records: Sequence[EpisodeRecord], cast: Cast) -> Mapping[str, Any] | None:
    """Return the memory that the episodes before this one left, by playing all of them again; None: it needs none."""
    by_id = {one.episode.id: one for one in records}
    chain: list[EpisodeRecord] = []
    while (after := (chain[-1] if chain else record).episode.after) is not None:
        if after not in by_id or by_id[after] in chain:
            raise ValueError(f"The run has no record of {after!r}, whose memory {record.episode.id!r} starts with.")
        chain.append(by_id[after])
    memory: Mapping[str, Any] | None = None
    for one in reversed(chain):
        memory = played_again(one, cast, memory).memory
    return memory


def play_back(record: EpisodeRecord, records: Sequence[EpisodeRecord] = ()) -> Playback:
    """Play a recorded episode again and keep everything that a reader may want to see of it."""
    cast = Cast()
    memory = starting_memory(record, records, cast)
    env = cast.env(record.episode)
    first, _ = begin(env, record.episode, memory)
    playback = Playback(record, _entries(env), env.memory.scratchpad, dict(env.pomdp.texts))
    if first != record.start:
        playback.differs = "The first observation is not the recorded one: the data or the version is another."
    questions = _Questions(env.pomdp.sample.questions)
    for number, step in enumerate(record.steps, 1):
        moment = _moment(env, number, step, playback, questions)
        playback.moments.append(moment)
    playback.asked = questions.closed()
    return playback


def _moment(env: MemoryEnv, number: int, step: StepRecord, playback: Playback, questions: _Questions) -> Moment:
    seen = dict(env.pomdp.texts)
    action = env.dialect.parse(step.action)
    written = [*action.operations, *([action.command] if action.command is not None else [])]
    again = take(env, step.action, step.usage)
    if not playback.differs and digest(env.pomdp.texts) != step.observation:
        playback.differs = (
            f"From step {number} on, the texts are not the recorded ones: the data or the version is another."
        )
    results = [*again.results, *([None] * (len(written) - len(again.results)))]
    entries, hits = _entries(env), env.pomdp.seen.memories
    answered = any(
        isinstance(part, Answer) and result is not None and result.ok
        for part, result in zip(written, results, strict=False)
    )
    said = action.command.text if answered and isinstance(action.command, Answer) else None
    asked = questions.answer(said, number, entries, env.memory.scratchpad) if said is not None else None
    questions.show(hits, env.memory.scratchpad, number)
    playback.last = dict(env.pomdp.texts)
    parts = tuple(zip(written, results, strict=False))
    return Moment(number, seen, step, parts, entries, env.memory.scratchpad, hits, asked)


def _entries(env: MemoryEnv) -> Mapping[str, Entry]:
    return {entry.id: entry for entry in env.memory.entries()}


SCRATCHPAD = "scratchpad"


class _Questions:
    """Follows which question is open, as ``memgym.evidence`` does, but keeps which entry it was and when."""

    def __init__(self, questions: Sequence[Question]) -> None:
        self.questions = questions
        self.asked: list[Asked] = []
        self._met: dict[str, Met] = {}
        self._scratchpad: list[str] = []

    def show(self, hits: Sequence[Hit], scratchpad: str, step: int) -> None:
        """Note what the observation after a step shows of memory."""
        number = len(self.asked)
        evidence = self.questions[number].evidence if number < len(self.questions) else ()
        for hit in hits:
            held = tuple(at for at, piece in enumerate(evidence) if piece in hit.entry.text)
            self._met.setdefault(hit.entry.id, Met(hit.entry, step, hit.score, hit.by, held))
        if scratchpad:
            self._scratchpad.append(scratchpad)

    def answer(self, said: str, step: int, entries: Mapping[str, Entry], scratchpad: str) -> int | None:
        """Close the open question; return its number, or None if none was open."""
        number = len(self.asked)
        if number >= len(self.questions):
            return None
        self._close(said, step, {**{id: [one.text] for id, one in entries.items()}, SCRATCHPAD: [scratchpad]})
        return number

    def closed(self) -> list[Asked]:
        """Return all questions; those that were never answered have no step."""
        while len(self.asked) < len(self.questions):
            self._close(None, None, {})
        return self.asked

    def _close(self, said: str | None, step: int | None, held: Mapping[str, Sequence[str]]) -> None:
        number = len(self.asked)
        question = self.questions[number]
        shown = {**{id: [met.entry.text] for id, met in self._met.items()}, SCRATCHPAD: self._scratchpad}
        self.asked.append(
            Asked(
                number,
                question,
                step,
                said,
                tuple(self._met.values()),
                _holders(question, held),
                _holders(question, shown),
            )
        )
        self._met, self._scratchpad = {}, []


def _holders(question: Question, texts: Mapping[str, Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Return, by piece of evidence, the names under which a text holds it."""
    return tuple(
        tuple(name for name, said in texts.items() if any(piece in one for one in said)) for piece in question.evidence
    )
