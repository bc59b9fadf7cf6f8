"""A tiny benchmark of the tests' own: a few coloured things to read about, then questions on their colours.

The hall is tested with it, so that no test of a room depends on another room's data.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

import gymnasium
from numpy.random import Generator

from memgym import registry
from memgym.env import MemoryEnv
from memgym.memory.encoders import HashingEncoder
from memgym.operations import Act, Action, Advance, Answer, Command, Operation, Result, Status
from memgym.task import Benchmark, Document, Outcome, Question, Sample, Task, TaskView

COLOURS = ("red", "green", "blue", "amber", "violet", "teal")
INSTRUCTION = "Read about the things, then name colours."


class ColourTask(Task):
    """Shows one document a step, then one question after another; Act is answered by an echo."""

    def __init__(self, sample: Sample, rng: Generator) -> None:
        self.sample = sample
        self.chunks = [sample.documents[i].render() for i in rng.permutation(len(sample.documents))]
        self.at = 0
        self.said: list[str] = []
        self.echo = ""

    @property
    def reading(self) -> bool:
        return self.at < len(self.chunks)

    @property
    def view(self) -> TaskView:
        if self.done:
            return TaskView(INSTRUCTION, "", "done", ())
        if self.reading:
            return TaskView(INSTRUCTION, self.chunks[self.at] + self.echo, "read", ("advance", "act"))
        asked = self.sample.questions[len(self.said)].text
        return TaskView(INSTRUCTION, asked + self.echo, "answer", ("answer", "act"), (asked,))

    @property
    def done(self) -> bool:
        return len(self.said) == len(self.sample.questions)

    @property
    def horizon(self) -> int:
        return 4 * (len(self.chunks) + len(self.sample.questions))

    def take(self, command: Command) -> Result:
        if self.done:
            return Result(command.kind, Status.MASKED, reason="nothing is asked any more")
        match command:
            case Advance() if self.reading:
                self.at += 1
                self.echo = ""
            case Answer(text) if not self.reading:
                self.said.append(text)
            case Act(text):
                self.echo = f"\nYou did: {text}"
            case _:
                return Result(command.kind, Status.MASKED, reason="not now")
        return Result(command.kind, Status.OK)

    def outcome(self) -> Outcome:
        pairs = list(zip(self.sample.questions, [*self.said, *[None] * len(self.sample.questions)], strict=False))
        right = [float(said in question.answers) for question, said in pairs]
        return Outcome(
            sum(right) / len(right), {"em": sum(right) / len(right)}, tuple(said for _, said in pairs),
            tuple(question.answers for question, _ in pairs),
            questions=tuple(question.text for question, _ in pairs),
        )  # fmt: skip

    def cheat(self) -> Command:
        return Advance() if self.reading else Answer(self.sample.questions[len(self.said)].answers[0])

    def fork(self) -> ColourTask:
        twin = ColourTask.__new__(ColourTask)
        twin.sample, twin.chunks, twin.at, twin.echo = self.sample, self.chunks, self.at, self.echo
        twin.said = self.said.copy()
        return twin

    def state(self) -> dict[str, Any]:
        return {"chunks": list(self.chunks), "at": self.at, "said": list(self.said), "echo": self.echo}


class Colours(Benchmark):
    """Twenty samples of ``things`` documents and ``questions`` questions; ``size`` blows each document up."""

    name: ClassVar[str] = "Colours"
    synthetic: ClassVar[bool] = True

    def __init__(self, things: int = 3, questions: int = 1, size: int = 0) -> None:
        self.things, self.questions, self.size = things, questions, size

    def draw(self, rng: Generator) -> Sample:
        return self.sample(f"s{rng.integers(20)}")

    def sample(self, id: str) -> Sample:
        valid = [f"s{number}" for number in range(20)]
        if id not in valid:
            raise KeyError(str(registry.unknown("sample", id, valid)))
        number = int(id[1:])
        facts = [
            f"The colour of thing {thing} is {COLOURS[(number + thing) % len(COLOURS)]}."
            for thing in range(self.things)
        ]
        return Sample(
            id,
            tuple(
                Question(f"What is the colour of thing {n}?", (COLOURS[(number + n) % len(COLOURS)],), (facts[n],))
                for n in range(self.questions)
            ),
            tuple(Document(f"Thing {n}", fact + " Nothing else." * self.size) for n, fact in enumerate(facts)),
        )

    def schedule(self, rng: Generator, count: int) -> Sequence[str]:
        order = [f"s{number}" for number in rng.permutation(20)]
        return [order[i % 20] for i in range(count)]

    def task(self, sample: Sample, rng: Generator) -> ColourTask:
        return ColourTask(sample, rng)


class CountingEncoder(HashingEncoder):
    """The hashing encoder, counting over all its instances how often it is called, and for which texts."""

    calls: ClassVar[list[list[str]]] = []

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Any:
        self.calls.append(list(texts))
        return super().encode(texts, query=query)


class SidedEncoder(CountingEncoder):
    """Takes queries and documents in different ways."""

    sided = True


@contextmanager
def registered(kind: str, **names: str) -> Iterator[None]:
    """Register names for a while; what a test adds is gone when it ends, so that no other test sees it."""
    for name, target in names.items():
        registry.add(kind, name, target)
    try:
        yield
    finally:
        for name in names:
            del registry._rows[kind][name]


@contextmanager
def colours() -> Iterator[str]:
    """Register the benchmark and its environment for a while; gives the environment's id."""
    with registered("benchmark", Colours="small_world:Colours"):
        registry.add_environment("Colours", {"benchmark": "Colours"})
        try:
            yield "MemGym/Colours"
        finally:
            del registry._environments["Colours"], gymnasium.registry["MemGym/Colours"]


def env(**options: Any) -> MemoryEnv:
    """An environment of this world at the start of its first sample."""
    made = MemoryEnv(Colours(), **options)
    made.reset(seed=0, options={"sample": "s0"})
    return made


def act(made: MemoryEnv, *operations: Operation, command: Answer | Act | Advance | None = None) -> dict[str, str]:
    """Take one step and return what is then observed."""
    return made.step(Action(operations, command))[0]


def statuses(made: MemoryEnv) -> list[str]:
    """How each part of the last action ended."""
    return [str(result.status) for result in made.pomdp.seen.results]


def shown(made: MemoryEnv) -> list[str]:
    """The ids of the entries that are shown now."""
    return [hit.entry.id for hit in made.pomdp.seen.memories]
