"""Typed requests: a Prompt says what is asked, what comes back, and what stands in when nothing usable came back.

Every agent asks its model through a Prompt, so that replies are parsed, retried and counted in one place, and a
deterministic model can answer from the inputs instead of the rendered text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Generic

from pydantic import AfterValidator, BaseModel, ConfigDict

from memgym.model import ChatModel, Message, Request, Usage
from memgym.registry import unknown

from .parsing import Output, ReplyError, parse, schema_of

ATTEMPTS = 3
_PLACE = re.compile(r"\{([a-z_][a-z0-9_]*)\}")


@dataclass(frozen=True, slots=True)
class Asked(Generic[Output]):
    """What came of asking. ``degraded``: no attempt gave a usable reply, and ``value`` is the prompt's default."""

    value: Output
    attempts: int
    degraded: bool


@dataclass(frozen=True, slots=True)
class Prompt(Generic[Output]):
    """One kind of request. ``{name}`` in ``system`` and ``user`` is replaced by the input of that name.

    A list is rendered as numbered lines; other braces stay as they are. How the reply must look is added to the
    system text from ``output``. ``default`` gives the value that stands in after three unusable replies.
    """

    name: str
    output: type[Output]
    system: str
    user: str
    default: Callable[[Mapping[str, Any]], Output]
    max_tokens: int = 1024
    temperature: float = 0.0

    def request(self, inputs: Mapping[str, Any], *, seed: int | None = None) -> Request:
        """Render the request; a missing input is a TypeError. Inputs without a place in the text go along as data."""
        schema = schema_of(self.output)
        form = json.dumps(schema, ensure_ascii=False)
        system = (
            f"{self._render(self.system, inputs)}\n\nReply with one JSON object of this schema and nothing else: {form}"
        )
        return Request(
            name=self.name,
            messages=(Message("system", system), Message("user", self._render(self.user, inputs))),
            inputs=dict(inputs),
            schema=schema,
            max_tokens=self.max_tokens,
            temperature=self.temperature,
            seed=seed,
        )

    async def ask(self, model: ChatModel, *, seed: int | None = None, **inputs: Any) -> Asked[Output]:
        """Ask until a reply can be read, three times at most, each time telling the model what was wrong.

        Retries and the final failure are counted into a model that counts (``memgym.model.Meter``). An unusable
        reply never raises; ModelError of the model passes through.
        """
        request = self.request(inputs, seed=seed)
        for attempt in range(1, ATTEMPTS + 1):
            reply = await model.chat(request)
            try:
                value = parse(reply.text, self.output)
            except ReplyError as problem:
                request = _again(request, reply.text, str(problem))
            else:
                _count(model, Usage(retries=attempt - 1))
                return Asked(value, attempt, degraded=False)
        _count(model, Usage(retries=ATTEMPTS - 1, failures=1))
        return Asked(self.default(inputs), ATTEMPTS, degraded=True)

    def _render(self, template: str, inputs: Mapping[str, Any]) -> str:
        def fill(place: re.Match[str]) -> str:
            if place.group(1) not in inputs:
                raise TypeError(str(unknown(f"input of the prompt {self.name!r} named", place.group(1), inputs)))
            return _shown(inputs[place.group(1)])

        return _PLACE.sub(fill, template)


def _shown(value: Any) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "\n".join(f"{number}. {one}" for number, one in enumerate(value, start=1)) or "(none)"
    return str(value)


def _again(request: Request, reply: str, problem: str) -> Request:
    """Show the model its reply and what was wrong with it; an empty message is one that servers refuse."""
    complaint = f"This reply could not be used. {problem} Reply again, in the form that was asked for."
    bad = Message("assistant", reply[:2000] or "(empty reply)")
    return replace(request, messages=(*request.messages, bad, Message("user", complaint)))


def _count(model: ChatModel, usage: Usage) -> None:
    count = getattr(model, "count", None)
    if callable(count) and usage != Usage():
        count(usage)


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text.strip()


class Answer(BaseModel):
    """The answer to one question: the shortest span that is right, or "unknown"."""

    model_config = ConfigDict(coerce_numbers_to_str=True)
    answer: Annotated[str, AfterValidator(_not_blank)]


class Note(BaseModel):
    """The whole new scratchpad; it replaces the old one."""

    scratchpad: str


UNKNOWN = "unknown"

ANSWER = Prompt(
    name="answer",
    output=Answer,
    system=(
        "You answer one question from a text. Use only what the text states, never what you know from elsewhere. "
        "Give the shortest exact span that answers: a name, a date, a number, yes or no; no sentence, no explanation. "
        f'If the text does not say it, the answer is "{UNKNOWN}".'
    ),
    user="Text:\n{text}\n\nQuestion: {question}",
    default=lambda inputs: Answer(answer=UNKNOWN),
    max_tokens=512,
)

NOTE = Prompt(
    name="note",
    output=Note,
    system=(
        "You read a long input part by part and see each part once. All that you take along is a scratchpad. "
        "Write the scratchpad anew: keep what is still of use, correct what the new part revises, and add what it says "
        "that helps with any of the questions, also a fact that only leads on to an answer. Leave out the rest. "
        "Use at most {limit} tokens."
    ),
    user="Questions:\n{questions}\n\nScratchpad so far:\n{scratchpad}\n\nNew part:\n{text}",
    default=lambda inputs: Note(scratchpad=inputs["scratchpad"]),
    max_tokens=1536,
)
