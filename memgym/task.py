"""The external half of the state: what is asked (Sample, Question), who asks it (Benchmark), and one run of it (Task).

A benchmark is only a data provider; which samples are played when is the business of an evaluation protocol.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from numpy.random import Generator

from memgym.operations import Command, Result


@dataclass(frozen=True, slots=True)
class Document:
    """One titled text. ``render`` gives the form that readers see: title, newline, text."""

    title: str
    text: str

    def render(self) -> str:
        return f"{self.title}\n{self.text}" if self.title else self.text


@dataclass(frozen=True, slots=True)
class Question:
    """A question with every accepted answer, and the verbatim texts that support it.

    ``evidence`` holds strings that occur unchanged in the sample's documents (usually sentences), so that
    "was it stored, was it retrieved" is decided by containment. ``facts`` is a symbolic form where there is one.
    """

    text: str
    answers: tuple[str, ...]
    evidence: tuple[str, ...] = ()
    id: str = ""
    category: str = ""
    facts: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """One item of a benchmark, before any episode's shuffling.

    ``documents`` are the sample's own; ``data`` holds what a benchmark needs beyond questions and documents
    (the path of a game, sessions of a conversation), by the key vocabulary of MemTools where it has a word.
    """

    id: str
    questions: tuple[Question, ...] = ()
    documents: tuple[Document, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Experience:
    """One lived trajectory: the task, what was observed and then done at each step, and whether it ended well."""

    task: str
    steps: tuple[tuple[str, str], ...]
    success: bool
    task_type: str = ""

    def render(self) -> str:
        """Return the form that readers see: the task, each observation with the command after it, how it ended."""
        lived = (f"{seen}\n> {done}" if seen else f"> {done}" for seen, done in self.steps)
        ended = "It ended with success." if self.success else "It ended without success."
        return "\n\n".join((f"Task: {self.task}", *lived, ended))


@dataclass(frozen=True, slots=True)
class TaskView:
    """What the task shows now.

    ``instruction`` says what is asked, ``text`` is the present input (a chunk, a game's reply; "" when there is none:
    in phase "read" that is the end of the input, where memory can still be tidied before the task is advanced),
    ``questions`` the questions now visible, ``phase`` "read", "answer", "act" or "done", ``commands`` the kinds of
    command that are accepted, ``admissible`` the exact texts that an Act may carry, where a world lists them, and
    ``experience`` a trajectory that is shown for learning from (``text`` says the same in words).
    """

    instruction: str
    text: str
    phase: str
    commands: tuple[str, ...]
    questions: tuple[str, ...] = ()
    admissible: tuple[str, ...] = ()
    experience: Experience | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an episode went. ``reward`` lies in [0, 1]; lists are aligned question by question (None: not answered).

    ``scored_by`` names the metric of each question's part of the reward, so that it can be computed again from the
    record alone; ``categories`` are the questions' own. ``stored`` and ``shown`` are the share of each question's
    evidence that memory held and had shown when it was answered (None: it has none); ``questions`` are their texts,
    ``judged`` what a judge said of each answer (1, 0, None: nothing). Each is empty where there is nothing to say.
    """

    reward: float
    metrics: Mapping[str, float] = field(default_factory=dict)
    predictions: tuple[str | None, ...] = ()
    references: tuple[tuple[str, ...], ...] = ()
    scored_by: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    stored: tuple[float | None, ...] = ()
    shown: tuple[float | None, ...] = ()
    questions: tuple[str, ...] = ()
    judged: tuple[float | None, ...] = ()


class Task(ABC):
    """One run of one sample: a small world that shows a view and takes commands, and knows nothing of memory."""

    @property
    @abstractmethod
    def view(self) -> TaskView:
        """What is shown now."""

    @property
    @abstractmethod
    def done(self) -> bool:
        """Whether the task is over."""

    @property
    @abstractmethod
    def horizon(self) -> int:
        """A number of steps that a sensible agent never needs to exceed; the default of ``max_steps``."""

    @abstractmethod
    def take(self, command: Command) -> Result:
        """Carry out a command. Never raises on any text: what cannot be done is a Result with a status."""

    @abstractmethod
    def outcome(self) -> Outcome:
        """Score what was done so far; unanswered questions count 0."""

    @abstractmethod
    def cheat(self) -> Command:
        """Return the next command of a play that wins. For oracles and tests only."""

    @abstractmethod
    def fork(self) -> Task:
        """Return a copy that shares nothing that either side can change."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Return the whole hidden state as JSON values."""


class Benchmark(ABC):
    """A provider of samples under one name. Options are keyword arguments of ``__init__``, all JSON values.

    ``synthetic`` says that the data is generated by this project; no benchmark of a real name ever sets it.
    """

    name: ClassVar[str]
    synthetic: ClassVar[bool] = False
    provides: ClassVar[frozenset[str]] = frozenset({"sample_id", "question", "reference", "raw_text"})

    @abstractmethod
    def draw(self, rng: Generator) -> Sample:
        """Return a random sample."""

    @abstractmethod
    def sample(self, id: str) -> Sample:
        """Return the sample of this id; an unknown id is an UnknownName error with the nearest ones."""

    @abstractmethod
    def schedule(self, rng: Generator, count: int) -> Sequence[str]:
        """Return ``count`` sample ids in a seeded order, without repetition while the data lasts."""

    @abstractmethod
    def task(self, sample: Sample, rng: Generator) -> Task:
        """Start one run of a sample; all its randomness (order, distractors) comes from ``rng``."""

    def describe(self) -> dict[str, Any]:
        """Return what identifies the data for a record: name, options, revision or checksum."""
        return {"benchmark": self.name}
