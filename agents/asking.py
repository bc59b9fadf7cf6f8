"""What every agent that reads and then answers needs: its model, the question of now, an answer from a text."""

from __future__ import annotations

from collections.abc import Iterable

from memgym.agent import Observation
from memgym.memory.entry import Hit
from memgym.model import ChatModel
from memgym.operations import Answer
from memgym.task import TaskView

from .prompts import ANSWER

READING = ("read", "answer")
"""The phases of a task that is read and asked about; questions may come before all is read."""
TEXTS = frozenset({"text"})
"""What an agent plays that only reads and answers."""


def needed(model: ChatModel | None, agent: str) -> ChatModel:
    """Return the model, or raise the ValueError that says how to give one."""
    if model is None:
        raise ValueError(
            f"The agent {agent!r} asks a language model and has none: give model=..., for instance "
            "memgym.make_model('openai:NAME') or, on the synthetic world, memgym.make_model('rules')."
        )
    return model


def only_answers(view: TaskView, agent: str) -> None:
    """Raise a ValueError in a world that must be acted in: this agent would only let the steps run out."""
    if view.phase == "act":
        raise ValueError(f"The agent {agent!r} reads and answers questions; this task needs one that acts, like 'llm'.")


def question(view: TaskView) -> str:
    """Return the question that is to be answered now."""
    return view.questions[0] if view.questions else view.instruction


async def answer(model: ChatModel, text: str, asked: str) -> Answer:
    """Ask the model for the answer in ``text``; an unusable reply is answered "unknown" and counted as a failure."""
    got = await ANSWER.ask(model, question=asked, text=text)
    return Answer(got.value.answer)


def joined(hits: Iterable[Hit]) -> str:
    """Return the texts of what was read, best first, as one text to answer from."""
    return "\n\n".join(hit.entry.text for hit in hits)


def answered(observation: Observation) -> bool:
    """Return whether the last action's answer was taken, so that the task went on to its next question."""
    return any(result.operation == "answer" and result.ok for result in observation.results)
