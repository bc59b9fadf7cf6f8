"""A Hugging Face model in this process (extra "transformers"): for a GPU at hand, for tests, and for trainers,
because it returns the token ids and log-probabilities that it sampled.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

from memgym.extras import require
from memgym.model import Message, ModelError, Reply, Request, Usage, chat_text
from memgym.pretrained import pretrained

_EXTRA = "transformers"
_WHAT = "An in-process transformers model"


class TransformersModel:
    """A causal language model that is loaded once and answers one request at a time, in a thread.

    Args:
        model: a folder or a hub name, as ``from_pretrained`` takes it.
        dtype: "auto" (as stored), "float32", "bfloat16", ...; device: "cpu", "cuda", "cuda:1", ...
        threads: CPU threads of torch for the whole process; None leaves them. 1 is best on a shared machine.
        template: more variables for the chat template ({"enable_thinking": False} for Qwen3).

    Temperature 0 is greedy; above it, tokens are drawn from the whole softmax with the request's seed (0 if it has
    none), and torch's own random state is as before. The model's stored sampling defaults (top_p, top_k, penalties)
    are not used. ``logprobs`` are of the raw distribution, at temperature 1. The end token is part of
    ``response_ids``. The JSON schema of a request is not enforced here: its text says the form.

    A tokenizer without a chat template gets this format: "System: ...", blank line, "User: ...", blank line,
    "Assistant:". Errors of the engine (memory, a prompt that is too long) are ModelError.
    """

    def __init__(
        self,
        model: str,
        dtype: str = "auto",
        device: str = "cpu",
        *,
        threads: int | None = None,
        template: Mapping[str, Any] | None = None,
    ) -> None:
        self._torch = require("torch", _EXTRA, _WHAT)
        transformers = require("transformers", _EXTRA, _WHAT)
        if threads is not None:
            self._torch.set_num_threads(threads)
        self.model = model
        self.name = f"transformers:{model}"
        self._template = dict(template or {})
        self._device = device
        self._tokenizer = pretrained(transformers.AutoTokenizer, model)
        loaded = pretrained(transformers.AutoModelForCausalLM, model, dtype=dtype)
        self._network = loaded.to(device).eval()
        self._ends = _ends(self._network, self._tokenizer)
        # generate() fills what a call leaves open from here, and a stored top_k would change what is sampled.
        self._network.generation_config = transformers.GenerationConfig()
        self._lock = threading.Lock()

    def describe(self) -> dict[str, Any]:
        """Return what identifies the model for a record."""
        return {"model": self.model, "dtype": str(self._network.dtype), "device": self._device}

    async def chat(self, request: Request) -> Reply:
        """Answer a request; raises ModelError when the engine fails. Calls wait for each other."""
        return await asyncio.to_thread(self._answer, request)

    def render(self, messages: Sequence[Message]) -> str:
        """Return the prompt as text: by the tokenizer's chat template, else in the plain format above."""
        return chat_text(self._tokenizer, messages, self._template)

    def _answer(self, request: Request) -> Reply:
        import jinja2

        try:
            with self._lock:
                prompt = self._encode(request.messages)
                response, logprobs = self._generate(prompt, self._room(request, len(prompt)), request)
        except (RuntimeError, ValueError, IndexError, jinja2.TemplateError) as error:
            if isinstance(error, ModelError):
                raise
            raise ModelError(
                f"{self.name} on {self._device} failed at {request.name!r}: {error}. A shorter prompt, fewer "
                "max_tokens or another device may help."
            ) from error
        return Reply(
            text=str(self._tokenizer.decode(response, skip_special_tokens=True)),
            usage=Usage(calls=1, prompt_tokens=len(prompt), completion_tokens=len(response)),
            prompt_ids=tuple(prompt),
            response_ids=tuple(response),
            logprobs=tuple(logprobs),
        )

    def _encode(self, messages: Sequence[Message]) -> list[int]:
        # A chat template writes the special tokens itself; a second begin token would change every reply.
        plain = not self._tokenizer.chat_template
        return list(self._tokenizer(self.render(messages), add_special_tokens=plain)["input_ids"])

    def _room(self, request: Request, used: int) -> int:
        """Return how many tokens may be written: what was asked for, or what the model's context leaves."""
        context: int | None = getattr(self._network.config, "max_position_embeddings", None)
        if context is None:
            return request.max_tokens
        if used >= context:
            raise ModelError(
                f"The prompt of {request.name!r} has {used} tokens; {self.name} takes {context} with its reply. "
                "Read smaller chunks, or use a model with a longer context."
            )
        return min(request.max_tokens, context - used)

    def _generate(self, prompt: list[int], room: int, request: Request) -> tuple[list[int], list[float]]:
        torch = self._torch
        ids = torch.tensor([prompt], device=self._device)
        chosen = _Chosen(torch, len(prompt))
        how: dict[str, Any] = {"do_sample": False}
        if request.temperature > 0:
            how = {"do_sample": True, "temperature": request.temperature, "top_k": 0, "top_p": 1.0}
        with torch.inference_mode(), self._seeded(request):
            written = self._network.generate(
                ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=room,
                eos_token_id=self._ends or None,
                pad_token_id=self._ends[0] if self._ends else 0,
                logits_processor=[chosen],
                **how,
            )
        response = written[0, len(prompt) :].tolist()
        return response, chosen.logprobs(response)

    def _seeded(self, request: Request) -> Any:
        """Return a context in which torch draws by the request's seed, and which restores its random state."""
        if request.temperature <= 0:
            return nullcontext()
        return _Fork(self._torch, request.seed or 0)


class _Fork:
    """``torch.random.fork_rng`` with a seed set inside: ``generate`` takes no generator of its own."""

    def __init__(self, torch: Any, seed: int) -> None:
        self._torch, self._seed = torch, seed
        self._fork = torch.random.fork_rng(devices=range(torch.cuda.device_count()))

    def __enter__(self) -> None:
        self._fork.__enter__()
        self._torch.manual_seed(self._seed)

    def __exit__(self, *error: Any) -> None:
        self._fork.__exit__(*error)


class _Chosen:
    """A logits processor that changes nothing and keeps, of each step, only the log-probability of what was chosen.

    ``output_logits`` would keep the whole vocabulary for every token: gigabytes for a long reply.
    """

    def __init__(self, torch: Any, prompt: int) -> None:
        self._torch = torch
        self._prompt = prompt
        self._row: Any = None
        self._kept: list[float] = []

    def __call__(self, ids: Any, scores: Any) -> Any:
        if self._row is not None and ids.shape[1] > self._prompt:
            self._kept.append(float(self._row[ids[0, -1]]))
        self._row = self._torch.log_softmax(scores[0].float(), dim=-1)
        return scores

    def logprobs(self, response: Sequence[int]) -> list[float]:
        """Return one value for each token of the response; the last one was chosen after the last call."""
        if len(self._kept) < len(response):
            self._kept.append(float(self._row[response[-1]]))
        return self._kept


def _ends(network: Any, tokenizer: Any) -> list[int]:
    """Return the tokens that end a reply: the model's own (a list for chat models), else the tokenizer's."""
    ends = network.generation_config.eos_token_id
    ends = tokenizer.eos_token_id if ends is None else ends
    return [] if ends is None else list(ends) if isinstance(ends, list | tuple) else [ends]
