"""A chat model of a policy on a CPU that answers many requests in one batch: for tests of what was trained.

Separate from ``transformers:PATH``, which answers one request at a time and knows nothing of the budgets of training.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memgym.extras import require
from memgym.model import ModelError, Reply, Request
from memgym.pretrained import pretrained

from .gathering import Gathering
from .sampling import BatchSampler
from .segments import Generated, Sampling, SegmentModel

_WHAT = ("train", "A policy")


class BatchedModel:
    """A causal language model that is loaded once and answers what was asked meanwhile together.

    Args:
        model: a folder or a hub name, as ``from_pretrained`` takes it.
        prompt_limit, response_limit: most tokens of a prompt, whose middle is else cut out, and of a reply; as in
            training.
        rows: most requests in one batch. threads: CPU threads of torch for the whole process; None leaves them.
        template: more variables for the chat template.

    A reply does not depend on what else was in its batch, but for the last bits of sums of floating-point numbers.
    """

    def __init__(
        self,
        model: str,
        *,
        prompt_limit: int = 4096,
        response_limit: int = 512,
        rows: int = 64,
        threads: int | None = None,
        template: Mapping[str, Any] | None = None,
    ) -> None:
        torch, transformers = require("torch", *_WHAT), require("transformers", *_WHAT)
        if threads is not None:
            torch.set_num_threads(threads)
        self.name = f"policy:{model}"
        self._model = model
        self._prompt_limit, self._response_limit = prompt_limit, response_limit
        self._template = dict(template or {})
        self._tokenizer = pretrained(transformers.AutoTokenizer, model)
        network = pretrained(transformers.AutoModelForCausalLM, model, dtype=torch.float32).eval()
        sampler = BatchSampler(network, ends_of(network, self._tokenizer), rows=rows)
        self._gathering = Gathering(sampler.generate, most=rows)

    def describe(self) -> dict[str, Any]:
        """Return what identifies the model for a record."""
        return {
            "model": self._model,
            "prompt_limit": self._prompt_limit,
            "response_limit": self._response_limit,
        }

    async def chat(self, request: Request) -> Reply:
        """Answer a request; raises ModelError when the network fails."""
        asked = SegmentModel(
            self._tokenizer,
            self._generate,
            prompt_tokens=self._prompt_limit,
            response_tokens=self._response_limit,
            template=self._template,
        )
        return await asked.chat(request)

    async def _generate(self, prompt: Sequence[int], sampling: Sampling) -> Generated:
        try:
            return await self._gathering.ask(prompt, sampling)
        except (RuntimeError, ValueError, IndexError) as error:
            raise ModelError(f"{self.name} failed: {error}. Fewer or shorter prompts may help.") from error


def ends_of(network: Any, tokenizer: Any) -> list[int]:
    """Return the tokens that end a reply: those of the model's generation settings, and the tokenizer's."""
    said = network.generation_config.eos_token_id
    listed = said if isinstance(said, list) else [said]
    return sorted({one for one in (*listed, tokenizer.eos_token_id) if one is not None})
