"""Sampling many prompts at once from a transformers model in this process, fast on a CPU for small models.

``generate`` of transformers copies the whole key-value cache at every token and takes one seed for a batch. Here the
cache is written in place, rows that are done leave the batch, and each row has its own random numbers, so that what is
sampled for a prompt does not depend on what else was in the batch. Log-probabilities come from the same forward pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from memgym.extras import require

from .segments import Generated, Sampling

_ROOM = 128
"""By how many tokens a cache grows when it is full."""
_SHRINK = 0.7
"""The batch is gathered anew when no more than this share of its rows is still being written."""


class BatchSampler:
    """Writes replies to batches of prompts with a causal language model.

    Args:
        network: a transformers model in eval mode; its weights may be changed between calls.
        ends: the tokens that end a reply. pad: any token; it is never looked at.
        rows: how many prompts are at most in one forward pass. Longer prompts come first, so that rows are alike.

    Temperature 0 is greedy. Log-probabilities are those of the softmax at the sampling temperature over the whole
    vocabulary, before ``top_p`` and ``top_k``, as trainers compute them anew.
    """

    def __init__(self, network: Any, ends: Sequence[int], pad: int = 0, rows: int = 64) -> None:
        self._torch = require("torch", "train", "Sampling from a policy")
        self.network, self._ends, self._pad, self._rows = network, list(ends), pad, rows

    def generate(self, prompts: Sequence[Sequence[int]], samplings: Sequence[Sampling]) -> list[Generated]:
        """Return one reply a prompt, in their order. A sampling without a seed has seed 0."""
        order = sorted(range(len(prompts)), key=lambda at: -len(prompts[at]))
        done: dict[int, Generated] = {}
        with self._torch.inference_mode():
            for start in range(0, len(order), self._rows):
                chosen = order[start : start + self._rows]
                batch = _Batch(self, [prompts[at] for at in chosen], [samplings[at] for at in chosen])
                done.update(zip(chosen, batch.run(), strict=True))
        return [done[at] for at in range(len(prompts))]

    @property
    def ends(self) -> list[int]:
        return self._ends

    @property
    def pad(self) -> int:
        return self._pad


@dataclass(slots=True)
class _Row:
    """One prompt of a batch: how it is sampled, its random numbers, and what was written so far."""

    sampling: Sampling
    draws: Any
    ids: list[int]
    logprobs: list[float]
    finished: bool = False


class _Batch:
    """One batch of prompts, padded on the left: one forward pass over them, then one for each token."""

    def __init__(self, sampler: BatchSampler, prompts: Sequence[Sequence[int]], samplings: Sequence[Sampling]) -> None:
        torch = self._torch = sampler._torch
        self._network, self._ends = sampler.network, frozenset(sampler.ends)
        width = max(len(prompt) for prompt in prompts)
        pads = [width - len(prompt) for prompt in prompts]
        self._ids = torch.tensor(
            [[sampler.pad] * pad + list(prompt) for pad, prompt in zip(pads, prompts, strict=True)]
        )
        self._mask = (torch.arange(width) >= torch.tensor(pads)[:, None]).long()
        self._position = (self._mask.cumsum(1) - 1).clamp(min=0)
        self._cache = growing_cache(self._network.config)
        self._rows = [_Row(one, np.random.default_rng(one.seed or 0), [], []) for one in samplings]
        self._active = list(self._rows)

    def run(self) -> list[Generated]:
        while self._active:
            logits = self._network(
                self._ids,
                attention_mask=self._mask,
                position_ids=self._position,
                past_key_values=self._cache,
                use_cache=True,
                logits_to_keep=1,
            ).logits[:, -1]
            self._take(self._choose(logits.float()))
        return [Generated(row.ids, row.logprobs, row.finished) for row in self._rows]

    def _choose(self, logits: Any) -> Any:
        """Return the next token of each row of the batch; rows that are done get one too, and nobody looks at it."""
        torch = self._torch
        heat = torch.tensor([row.sampling.temperature for row in self._active])
        scaled = torch.log_softmax(logits / torch.where(heat > 0, heat, 1.0)[:, None], dim=-1)
        draws = torch.tensor([0.0 if row.finished else row.draws.random() for row in self._active])
        drawn = drawn_tokens(torch, self._kept(scaled), draws)
        tokens = torch.where(heat > 0, drawn, logits.argmax(-1))
        logprobs = scaled.gather(1, tokens[:, None])[:, 0].tolist()
        for row, token, logprob in zip(self._active, tokens.tolist(), logprobs, strict=True):
            if not row.finished and len(row.ids) < row.sampling.max_tokens:
                row.ids.append(token)
                row.logprobs.append(logprob)
                row.finished = token in self._ends
        return tokens

    def _kept(self, scaled: Any) -> Any:
        """Return probabilities that are 0 outside of each row's ``top_k`` and ``top_p``."""
        probabilities = scaled.exp()
        for at, row in enumerate(self._active):
            if 0 < row.sampling.top_k < probabilities.shape[1] or row.sampling.top_p < 1:
                probabilities[at] = _cut(self._torch, probabilities[at], row.sampling)
        return probabilities

    def _take(self, tokens: Any) -> None:
        """Make the chosen tokens the next input; let go of the rows that are done when they are many."""
        torch = self._torch
        going = [at for at, row in enumerate(self._active) if not self._over(row)]
        position = self._position[:, -1:] + 1
        if len(going) <= _SHRINK * len(self._active):
            rows = torch.tensor(going, dtype=torch.long)
            self._active = [self._active[at] for at in going]
            self._cache.reorder_cache(rows)
            tokens, position, self._mask = tokens[rows], position[rows], self._mask[rows]
        self._ids, self._position = tokens[:, None], position
        self._mask = torch.cat([self._mask, self._mask.new_ones(len(self._active), 1)], dim=1)

    def _over(self, row: _Row) -> bool:
        return row.finished or len(row.ids) >= row.sampling.max_tokens


def drawn_tokens(torch: Any, probabilities: Any, draws: Any) -> Any:
    """Return, of each row, the token in whose part of [0, 1) its draw falls; one of probability 0 is never returned."""
    sums = probabilities.double().cumsum(1)
    tokens = torch.searchsorted(sums, draws.double()[:, None] * sums[:, -1:], right=True)[:, 0]
    last = probabilities.shape[1] - 1 - probabilities.flip(1).ne(0).int().argmax(1)
    return torch.minimum(tokens, last)


def _cut(torch: Any, probabilities: Any, sampling: Sampling) -> Any:
    ordered, tokens = probabilities.sort(descending=True, stable=True)
    before = ordered.cumsum(0) - ordered
    kept = before < sampling.top_p
    if sampling.top_k > 0:
        kept[sampling.top_k :] = False
    return torch.zeros_like(probabilities).scatter(0, tokens[kept], ordered[kept])


def growing_cache(config: Any) -> Any:
    """Return a key-value cache whose layers of full attention are written in place, and grow by 128 tokens at a time.

    Other layers (a sliding window, a convolution) have what transformers gives them.
    """
    from transformers.cache_utils import DynamicCache, DynamicLayer

    class Layer(DynamicLayer):
        """``keys`` and ``values`` are views of the filled part of larger tensors."""

        def update(self, key_states: Any, value_states: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
            keys, values = key_states, value_states
            if not self.is_initialized:
                self.lazy_initialization(keys, values)
                self._held = [keys.new_empty(0), values.new_empty(0)]
            filled, length = self.get_seq_length(), keys.shape[2]
            if self._held[0].numel() == 0 or self._held[0].shape[2] < filled + length:
                self._held = [_grown(one, new, filled) for one, new in zip(self._held, (keys, values), strict=True)]
            for held, new in zip(self._held, (keys, values), strict=True):
                held[:, :, filled : filled + length] = new
            self.keys, self.values = (held[:, :, : filled + length] for held in self._held)
            return self.keys, self.values

        def reorder_cache(self, beam_idx: Any) -> None:
            filled = self.get_seq_length()
            self._held = [held[beam_idx] for held in self._held]
            self.keys, self.values = (held[:, :, :filled] for held in self._held)

    cache = DynamicCache(config=config)
    cache.layers = [Layer() if type(layer) is DynamicLayer else layer for layer in cache.layers]
    return cache


def _grown(held: Any, new: Any, filled: int) -> Any:
    rows, heads, length, size = new.shape
    larger = new.new_empty(rows, heads, filled + length + _ROOM, size)
    if filled:
        larger[:, :, :filled] = held[:, :, :filled]
    return larger
