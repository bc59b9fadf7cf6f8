"""The reading task: a text is read part by part, then questions about it are answered one by one.

Separate from any data set: it takes questions and chunks as they are, and knows neither documents nor tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any, cast

from memgym import registry
from memgym.operations import Advance, Answer, Command, Result, Status
from memgym.task import Outcome, Question, Task, TaskView

from .rewards import exact_match, math_match, token_f1

Metric = Callable[[str, Sequence[str]], float]

METRICS: dict[str, Metric] = {"em": exact_match, "em_math": math_match, "f1": token_f1}
READS = 3
"""Reads that the horizon grants to each question, AtomMem's limit."""
SLACK = 8

_READ = (
    "You are given a text in {parts}, one part at a time. You will not see a part again after moving on, so keep in "
    "memory what may help to answer. After the last part you answer from memory alone, without the text."
)
_ANSWER = "You have read the whole text and can no longer see it. Answer from memory, in as few words as possible."


class ReadingTask(Task):
    """Reads ``chunks`` in order (phase "read"), then asks ``questions`` in order (phase "answer").

    While reading, all questions are shown; ``Advance`` shows the next chunk, and after the last one the first open
    question. ``Answer`` answers the first open question at any time. As in AtomMem's released code it is taken before
    everything was read; it does not turn the page, and it cannot be changed afterwards. An empty answer is the answer
    "". After the last answer the task is done, even if chunks are left. ``Act`` and all that comes too late is masked.

    ``reward`` is the name of a metric, "em", "em_math" or "f1" here; an unknown one is an UnknownName error.
    """

    def __init__(self, questions: Sequence[Question], chunks: Sequence[str], *, reward: str = "em") -> None:
        if not questions:
            raise ValueError("A reading task needs at least one question.")
        self._questions, self._chunks = tuple(questions), tuple(chunks)
        self._reward, self._metric = reward, load_metric(reward)
        self._at = 0
        self._answers: tuple[str, ...] = ()

    @property
    def view(self) -> TaskView:
        if self.done:
            return TaskView("All questions are answered.", "", "done", ())
        if self._reading:
            open_questions = tuple(question.text for question in self._questions[len(self._answers) :])
            return TaskView(self._guide(), self._chunks[self._at], "read", ("answer", "advance"), open_questions)
        asked = self._questions[len(self._answers)].text
        return TaskView(f"{_ANSWER}\n\n{self._ask(len(self._answers))}", "", "answer", ("answer",), (asked,))

    @property
    def done(self) -> bool:
        return len(self._answers) == len(self._questions)

    @property
    def horizon(self) -> int:
        """One step a chunk, an answer and three reads a question, and eight to spare."""
        return len(self._chunks) + len(self._questions) * (1 + READS) + SLACK

    def take(self, command: Command) -> Result:
        if self.done:
            return Result(command.kind, Status.MASKED, reason="The task is over: all questions are answered.")
        match command:
            case Answer(text):
                self._answers += (text,)
            case Advance() if self._reading:
                self._at += 1
            case Advance():
                return Result(command.kind, Status.MASKED, reason="The whole text was read: answer the question.")
            case _:
                can = "answer or advance" if self._reading else "answer"
                return Result(command.kind, Status.MASKED, reason=f"There is nothing to act on here: {can}.")
        return Result(command.kind, Status.OK)

    def outcome(self) -> Outcome:
        """Score answer i against question i only; metrics are means over all questions, unanswered ones count 0."""
        scores = {name: self._mean(metric) for name, metric in METRICS.items()}
        reward = scores.setdefault(self._reward, self._mean(self._metric))
        missing = len(self._questions) - len(self._answers)
        references = tuple(question.answers for question in self._questions)
        return Outcome(reward, scores, (*self._answers, *([None] * missing)), references)

    def cheat(self) -> Command:
        if self._reading:
            return Advance()
        if self.done:
            raise RuntimeError("There is no winning command: the task is over.")
        return Answer(next(iter(self._questions[len(self._answers)].answers), ""))

    def fork(self) -> ReadingTask:
        twin = ReadingTask(self._questions, self._chunks, reward=self._reward)
        twin._at, twin._answers = self._at, self._answers
        return twin

    def state(self) -> dict[str, Any]:
        """Return where the run stands, with the chunks and the accepted answers."""
        return {
            "phase": self.view.phase,
            "chunk": self._at,
            "chunks": list(self._chunks),
            "questions": [{"text": one.text, "answers": list(one.answers)} for one in self._questions],
            "answers": list(self._answers),
            "reward": self._reward,
        }

    @property
    def _reading(self) -> bool:
        return self._at < len(self._chunks) and not self.done

    def _guide(self) -> str:
        total, answered = len(self._questions), len(self._answers)
        parts = "1 part" if len(self._chunks) == 1 else f"{len(self._chunks)} parts"
        lines = [_READ.format(parts=parts), "", *(self._ask(number) for number in range(total)), ""]
        if answered:
            lines.append(f"Answered so far: {answered} of {total}.")
        return "\n".join([*lines, f"Now showing part {self._at + 1} of {len(self._chunks)}."])

    def _ask(self, number: int) -> str:
        place = f" {number + 1} of {len(self._questions)}" if len(self._questions) > 1 else ""
        return f"Question{place}: {self._questions[number].text}"

    def _mean(self, metric: Metric) -> float:
        pairs = zip(self._answers, self._questions, strict=False)
        scores = [metric(answer, question.answers) for answer, question in pairs]
        return fmean([*scores, *([0.0] * (len(self._questions) - len(scores)))])


def load_metric(name: str) -> Metric:
    """Return the metric of this name; an unknown one is an UnknownName error with the nearest."""
    return cast("Metric", registry.load("metric", name))
