"""The one door to language models: a typed Request goes in, a Reply with its usage comes out.

A Request carries both a rendered prompt and its inputs as data, so that a deterministic model can answer it too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message; ``role`` is "system", "user" or "assistant"."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Request:
    """One call: ``name`` of its kind, the rendered ``messages``, the ``inputs`` that they were rendered from.

    ``schema`` is a JSON schema that the reply must follow (None: free text). ``temperature`` 0 is greedy.
    """

    name: str
    messages: tuple[Message, ...]
    inputs: Mapping[str, Any] = field(default_factory=dict)
    schema: Mapping[str, Any] | None = None
    max_tokens: int = 1024
    temperature: float = 0.0
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """What calls cost. Counts add; ``failures`` are replies that could not be parsed even after retries."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    retries: int = 0
    failures: int = 0
    cached: int = 0
    cost: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.retries + other.retries,
            self.failures + other.failures,
            self.cached + other.cached,
            self.cost + other.cost,
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer. Token ids and log-probabilities are there only where the model gives them (for trainers)."""

    text: str
    usage: Usage = Usage()
    prompt_ids: tuple[int, ...] | None = None
    response_ids: tuple[int, ...] | None = None
    logprobs: tuple[float, ...] | None = None


class ModelError(RuntimeError):
    """A model could not be reached or refused; the message says which one, why, and what would help."""


class ChatModel(Protocol):
    """Anything that answers a Request. ``name`` identifies it in every record."""

    name: str

    async def chat(self, request: Request) -> Reply:
        """Answer one request; raises ModelError when the model cannot answer."""
        ...


def chat_text(tokenizer: Any, messages: Sequence[Message], template: Mapping[str, Any]) -> str:
    """Return messages as the prompt of a local model, by its tokenizer's chat template (``template``: more variables).

    A tokenizer without one gets "System: ...", blank line, "User: ...", blank line, "Assistant:". One function for
    evaluation and training, so that a policy reads after training what it read in training. A lone surrogate, which no
    tokenizer takes, becomes "?".
    """
    chat = [{"role": one.role, "content": one.content.encode("utf-8", "replace").decode()} for one in messages]
    if not tokenizer.chat_template:
        return "\n\n".join([*(f"{one['role'].capitalize()}: {one['content']}" for one in chat), "Assistant:"])
    return str(tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True, **template))


def answered_at_once(model: ChatModel, request: Request, who: str) -> Reply:
    """Return the reply of a model that has not to be waited for, as "rules", where there is no event loop.

    One that waits is a ValueError, which says ``who`` needs another.
    """
    asked = model.chat(request)
    try:
        asked.send(None)
    except StopIteration as done:
        reply: Reply = done.value
        return reply
    asked.close()
    raise ValueError(f"The model {model.name!r} has to be waited for; {who} needs one that answers at once.")


class Meter:
    """A ChatModel that counts what passes through it; ``take`` returns and clears the count (one step's usage)."""

    def __init__(self, model: ChatModel) -> None:
        self.model = model
        self.name = model.name
        self._usage = Usage()

    async def chat(self, request: Request) -> Reply:
        reply = await self.model.chat(request)
        self._usage += reply.usage
        return reply

    def count(self, usage: Usage) -> None:
        """Add what a caller learned after the reply: a retry, a failure to parse."""
        self._usage += usage

    def take(self) -> Usage:
        usage, self._usage = self._usage, Usage()
        return usage
