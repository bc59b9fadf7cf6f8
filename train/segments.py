"""Segments: what a trainer sees of an episode, one prompt and the tokens sampled for it per call of the model.

Separate from every trainer: a ``SegmentModel`` is the ChatModel of an episode that the hall's rollout plays, so the
same agents and the same loop serve evaluation and training, and sampled ids are kept, never encoded again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from memgym.model import Reply, Request, Usage, chat_text


@dataclass(frozen=True, slots=True)
class Segment:
    """One call of the policy: the ids of its prompt, the ids sampled for it, and their log-probabilities.

    ``step`` counts the calls of an episode from 0 (for the agent "llm", which calls once a step, its steps).
    ``truncated``: the prompt was over the budget and its middle was cut out. ``finished``: the policy ended its reply
    itself; else the budget of the response did. ``name`` is that of the request. ``logprobs`` are those of the sampling
    distribution, one for each response id, or None where the generator gives none.
    """

    prompt_ids: tuple[int, ...]
    response_ids: tuple[int, ...]
    logprobs: tuple[float, ...] | None
    step: int
    truncated: bool = False
    finished: bool = True
    name: str = ""

    @property
    def mask(self) -> tuple[int, ...]:
        """1 for each response id: a fresh prompt a step leaves no foreign tokens in a response."""
        return (1,) * len(self.response_ids)


@dataclass(frozen=True, slots=True)
class Sampling:
    """How one reply is to be sampled. A SegmentModel says the first three, by the request; a trainer may change them.

    ``top_p`` 1 and ``top_k`` 0 leave the whole vocabulary.
    """

    max_tokens: int
    temperature: float
    seed: int | None = None
    top_p: float = 1.0
    top_k: int = 0


@dataclass(frozen=True, slots=True)
class Generated:
    """What a generator gave: at most ``max_tokens`` ids (the end token is one of them), their log-probabilities."""

    ids: Sequence[int]
    logprobs: Sequence[float] | None
    finished: bool = True
    details: Mapping[str, Any] = field(default_factory=dict)


class Generate(Protocol):
    """Samples a continuation of a prompt. ``details`` of what it returns are the trainer's own (weight versions)."""

    def __call__(self, prompt_ids: Sequence[int], sampling: Sampling, /) -> Awaitable[Generated]: ...


class TokenBudgetError(ValueError):
    """A prompt that is longer than its budget; the message says by how much, and of what request."""


def prompt_ids(tokenizer: Any, request: Request, template: Mapping[str, Any]) -> list[int]:
    """Return the ids of a request's prompt, before any budget: in a warm start the same as in what follows it."""
    text = chat_text(tokenizer, request.messages, template)
    return list(tokenizer(text, add_special_tokens=not tokenizer.chat_template)["input_ids"])


class SegmentModel:
    """A ChatModel that plays one episode from token ids and keeps a Segment of each call.

    Args:
        tokenizer: a Hugging Face tokenizer; its chat template renders requests as ``transformers:`` models do.
        generate: awaited with prompt ids and Sampling.
        prompt_tokens, response_tokens: the budgets of a call. They are checked before the call.
        strict: an over-long prompt is a TokenBudgetError; else its middle is cut out, so that the system text and the
            present input stay, and the call counts as truncated.
        template: more variables for the chat template.

    Deviation from verl, which cuts over-long prompts on the left: that would take the grammar away first.
    """

    name = "segments"

    def __init__(
        self,
        tokenizer: Any,
        generate: Generate,
        *,
        prompt_tokens: int,
        response_tokens: int,
        strict: bool = False,
        template: Mapping[str, Any] | None = None,
    ) -> None:
        if prompt_tokens < 2 or response_tokens < 1:
            raise ValueError(
                f"prompt_tokens is {prompt_tokens}, response_tokens {response_tokens}; at least 2 and 1 were expected."
            )
        self._tokenizer, self._generate, self._strict = tokenizer, generate, strict
        self._prompt_tokens, self._response_tokens = prompt_tokens, response_tokens
        self._template = dict(template or {})
        self.segments: list[Segment] = []
        self.details: list[Mapping[str, Any]] = []

    @property
    def truncations(self) -> int:
        """How many prompts were cut so far."""
        return sum(one.truncated for one in self.segments)

    async def chat(self, request: Request) -> Reply:
        """Answer a request and keep the segment; what the generator raises passes through."""
        prompt = prompt_ids(self._tokenizer, request, self._template)
        fitting = self._fit(prompt, request)
        room = min(request.max_tokens, self._response_tokens)
        made = await self._generate(fitting, Sampling(room, request.temperature, request.seed))
        segment = self._segment(request, fitting, made, room, truncated=len(fitting) < len(prompt))
        self.segments.append(segment)
        self.details.append(made.details)
        return Reply(
            text=str(self._tokenizer.decode(list(segment.response_ids), skip_special_tokens=True)),
            usage=Usage(calls=1, prompt_tokens=len(fitting), completion_tokens=len(segment.response_ids)),
            prompt_ids=segment.prompt_ids,
            response_ids=segment.response_ids,
            logprobs=segment.logprobs,
        )

    def _fit(self, prompt: list[int], request: Request) -> list[int]:
        limit = self._prompt_tokens
        if len(prompt) <= limit:
            return prompt
        if self._strict:
            raise TokenBudgetError(
                f"The prompt of {request.name!r} has {len(prompt)} tokens, {len(prompt) - limit} over its budget of "
                f"{limit}. Read smaller chunks, show fewer memories, or raise the budget."
            )
        head = limit // 2
        return prompt[:head] + prompt[len(prompt) - (limit - head) :]

    def _segment(
        self, request: Request, prompt: list[int], made: Generated, room: int, *, truncated: bool
    ) -> Segment:  # fmt: skip
        logprobs = None if made.logprobs is None else tuple(made.logprobs)
        if logprobs is not None and len(logprobs) != len(made.ids):
            raise ValueError(f"{len(made.ids)} ids were sampled, with {len(logprobs)} log-probabilities.")
        return Segment(
            tuple(prompt),
            tuple(made.ids[:room]),
            None if logprobs is None else logprobs[:room],
            len(self.segments),
            truncated=truncated,
            finished=made.finished and len(made.ids) <= room,
            name=request.name,
        )
