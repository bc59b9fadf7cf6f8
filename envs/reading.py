"""The reading task: a text is read part by part, then questions about it are answered one by one.

Separate from any data set: it takes questions and chunks as they are, and knows neither documents nor tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
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
UNKNOWN = "unknown"
"""The answer by which this project's prompts say that the text does not hold one."""

_READ = (
    "You are given a text in {parts}, one part at a time. You will not see a part again after moving on, so keep in "
    "memory what may help to answer. {then}"
)
_KNOWN = "After the last part you answer from memory alone, without the text."
_LATER = "Questions about it come later; you answer them from memory alone, without the text."
_ANSWER = "You have read {what} and can no longer see it. Answer from memory, in as few words as possible."
_ABSTAIN = ' If the text does not say it, answer "{abstain}".'


class ReadingTask(Task):
    """Reads ``chunks`` in order (phase "read"), then asks ``questions`` in order (phase "answer").

    While reading, all questions are shown; ``Advance`` shows the next chunk, and after the last one the first open
    question. ``Answer`` answers the first open question at any time. As in AtomMem's released code it is taken before
    everything was read; it does not turn the page, and it cannot be changed afterwards. An empty answer is the answer
    "". After the last answer the task is done, even if chunks are left. ``Act`` and all that comes too late is masked.

    Args:
        reward: The name of a metric ("em", "em_math", "f1", ...); an unknown one is an UnknownName error.
        rewards: Metrics by question category, for questions that are scored by a rule of their own. With any, the
            mean of each category's scores is reported as "score/CATEGORY".
        asked_after: For each question the number of chunks after which it is asked, in ascending order; then the
            reading stops until it is answered. None: all after the last chunk.
        announced: Whether open questions are shown while reading. If not, an answer is masked until its question
            is asked, as in a conversation whose questions nobody knows beforehand.
        abstain: How to say that the text has no answer ("": there is always one). Whoever answers exactly "unknown",
            as this project's prompts do, has said that.
        early: Whether an open question may be answered before it is asked; if not, such an answer is masked.
    """

    def __init__(
        self,
        questions: Sequence[Question],
        chunks: Sequence[str],
        *,
        reward: str = "em",
        rewards: Mapping[str, str] | None = None,
        asked_after: Sequence[int] | None = None,
        announced: bool = True,
        abstain: str = "",
        early: bool = True,
    ) -> None:
        if not questions:
            raise ValueError("A reading task needs at least one question.")
        self._questions, self._chunks = tuple(questions), tuple(chunks)
        self._rewards = dict(rewards or {})
        self._reward, self._metrics = reward, _metrics(questions, reward, self._rewards)
        self._asked_after = _due(asked_after, len(self._questions), len(self._chunks))
        self._announced, self._abstain, self._early = announced, abstain, early and announced
        self._at = 0
        self._answers: tuple[str, ...] = ()

    @property
    def view(self) -> TaskView:
        if self.done:
            return TaskView("All questions are answered.", "", "done", ())
        number = len(self._answers)
        if self._reading:
            shown = tuple(one.text for one in self._questions[number:]) if self._announced else ()
            commands = ("answer", "advance") if self._early else ("advance",)
            return TaskView(self._guide(), self._chunks[self._at], "read", commands, shown)
        asked = self._questions[number].text
        return TaskView(f"{self._how()}\n\n{self._ask(number)}", "", "answer", ("answer",), (asked,))

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
            case Answer() if self._reading and not self._early:
                return Result(command.kind, Status.MASKED, reason="No question is asked yet: advance.")
            case Answer(text):
                self._answers += (self._said(text),)
            case Advance() if self._reading:
                self._at += 1
            case Advance():
                return Result(
                    command.kind, Status.MASKED, reason=f"{self._read_so_far()} was read: answer the question."
                )
            case _:
                return Result(command.kind, Status.MASKED, reason=f"There is nothing to act on here: {self._can()}.")
        return Result(command.kind, Status.OK)

    def outcome(self) -> Outcome:
        """Score answer i against question i only; metrics are means over all questions, unanswered ones count 0."""
        scores = {name: fmean(self._scores([metric] * len(self._questions))) for name, metric in METRICS.items()}
        rewards = self._scores(self._metrics)
        if self._rewards:
            scores.update(self._by_category(rewards))
        else:
            scores.setdefault(self._reward, fmean(rewards))
        missing = len(self._questions) - len(self._answers)
        references = tuple(question.answers for question in self._questions)
        categories = tuple(question.category for question in self._questions)
        return Outcome(
            fmean(rewards), scores, (*self._answers, *([None] * missing)), references,
            tuple(self._rewards.get(category, self._reward) for category in categories),
            categories if any(categories) else (),
            questions=tuple(question.text for question in self._questions),
        )  # fmt: skip

    def cheat(self) -> Command:
        if self._reading:
            return Advance()
        if self.done:
            raise RuntimeError("There is no winning command: the task is over.")
        return Answer(next(iter(self._questions[len(self._answers)].answers), ""))

    def fork(self) -> ReadingTask:
        twin = ReadingTask(
            self._questions, self._chunks, reward=self._reward, rewards=self._rewards, asked_after=self._asked_after,
            announced=self._announced, abstain=self._abstain, early=self._early,
        )  # fmt: skip
        twin._at, twin._answers = self._at, self._answers
        return twin

    def state(self) -> dict[str, Any]:
        """Return where the run stands, with the chunks and the accepted answers."""
        return {
            "phase": self.view.phase,
            "chunk": self._at,
            "chunks": list(self._chunks),
            "questions": [{"text": one.text, "answers": list(one.answers)} for one in self._questions],
            "asked_after": list(self._asked_after),
            "answers": list(self._answers),
            "reward": self._reward,
            "rewards": self._rewards,
        }

    @property
    def _reading(self) -> bool:
        """Whether a chunk is shown: some are left, and no question is due before the next."""
        if self.done or self._at >= len(self._chunks):
            return False
        return self._asked_after[len(self._answers)] > self._at

    def _said(self, text: str) -> str:
        return self._abstain if self._abstain and text.strip().rstrip(".").casefold() == UNKNOWN else text

    def _can(self) -> str:
        if not self._reading:
            return "answer"
        return "answer or advance" if self._early else "advance"

    def _read_so_far(self) -> str:
        if self._at >= len(self._chunks):
            return "The whole text"
        return f"The text up to part {self._at} of {len(self._chunks)}"

    def _how(self) -> str:
        read = self._read_so_far()
        return _ANSWER.format(what=read[0].lower() + read[1:]) + self._abstaining()

    def _abstaining(self) -> str:
        return _ABSTAIN.format(abstain=self._abstain) if self._abstain else ""

    def _guide(self) -> str:
        total, answered = len(self._questions), len(self._answers)
        parts = "1 part" if len(self._chunks) == 1 else f"{len(self._chunks)} parts"
        then = (_KNOWN if self._announced else _LATER) + self._abstaining()
        lines = [_READ.format(parts=parts, then=then), ""]
        if self._announced:
            lines += [*(self._ask(number) for number in range(total)), ""]
        if answered:
            lines.append(f"Answered so far: {answered} of {total}.")
        return "\n".join([*lines, f"Now showing part {self._at + 1} of {len(self._chunks)}."])

    def _ask(self, number: int) -> str:
        place = f" {number + 1} of {len(self._questions)}" if len(self._questions) > 1 else ""
        return f"Question{place}: {self._questions[number].text}"

    def _scores(self, metrics: Sequence[Metric]) -> list[float]:
        triples = zip(metrics, self._answers, self._questions, strict=False)
        scores = [metric(answer, question.answers) for metric, answer, question in triples]
        return [*scores, *([0.0] * (len(self._questions) - len(scores)))]

    def _by_category(self, scores: Sequence[float]) -> dict[str, float]:
        groups: dict[str, list[float]] = {}
        for question, score in zip(self._questions, scores, strict=True):
            groups.setdefault(f"score/{question.category or 'other'}", []).append(score)
        return {name: fmean(group) for name, group in groups.items()}


def load_metric(name: str) -> Metric:
    """Return the metric of this name; an unknown one is an UnknownName error with the nearest."""
    return cast("Metric", registry.load("metric", name))


def _metrics(questions: Sequence[Question], reward: str, rewards: Mapping[str, str]) -> list[Metric]:
    """Return each question's metric: its category's, else the common one."""
    loaded = {name: load_metric(name) for name in (reward, *rewards.values())}
    return [loaded[rewards.get(question.category, reward)] for question in questions]


def _due(asked_after: Sequence[int] | None, questions: int, chunks: int) -> tuple[int, ...]:
    if asked_after is None:
        return (chunks,) * questions
    if len(asked_after) != questions:
        raise ValueError(f"asked_after has {len(asked_after)} numbers for {questions} questions.")
    if any(after > before for after, before in pairwise(asked_after)) or not 0 <= min(asked_after) <= chunks >= max(
        asked_after
    ):
        raise ValueError(
            f"asked_after={list(asked_after)}: expected ascending numbers from 0 to {chunks} (the chunks)."
        )
    return tuple(asked_after)
