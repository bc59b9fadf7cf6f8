"""The rollout server of the CPU room: one Ray actor with a transformers model that answers all waiting prompts at once.

``Replica`` and ``WeightSender`` are verl's two sides of a rollout engine: who starts the server, and who brings it the
weights of the policy after each step.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import ray
from verl.workers.rollout.base import BaseRollout
from verl.workers.rollout.replica import RolloutReplica, TokenOutput

from ...batched import ends_of
from ...gathering import Gathering
from ...sampling import BatchSampler
from ...segments import Sampling

_GATHER = 0.005
"""Seconds for which a batch waits for prompts that are on their way."""
_TIED = "lm_head.weight"


class Server:
    """Answers prompts in batches: while one is written, the next one gathers."""

    def __init__(self, path: str, response_tokens: int, name: str) -> None:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
        tokenizer = AutoTokenizer.from_pretrained(path)
        self._network = AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32).eval()
        sampler = BatchSampler(self._network, ends_of(self._network, tokenizer))
        self._gathering = Gathering(sampler.generate, pause=_GATHER)
        self._seeds = np.random.default_rng()
        self._response_tokens = response_tokens
        self._version: int | None = None
        self._open = asyncio.Event()
        self._open.set()
        self.name = name

    async def generate(
        self, prompt_ids: list[int], sampling_params: Mapping[str, Any], request_id: str, **_: Any
    ) -> TokenOutput:
        """Answer one prompt. ``sampling_params`` are verl's, and "seed"."""
        await self._open.wait()
        made = await self._gathering.ask(prompt_ids, self._sampling(sampling_params))
        return TokenOutput(
            token_ids=list(made.ids),
            log_probs=list(made.logprobs or ()),
            stop_reason="completed" if made.finished else "length",
            extra_fields={"global_steps": self._version},
        )

    def _sampling(self, given: Mapping[str, Any]) -> Sampling:
        return Sampling(
            max_tokens=int(given.get("max_tokens") or given.get("max_new_tokens") or self._response_tokens),
            temperature=float(given.get("temperature", 1.0)),
            seed=int(self._seeds.integers(2**63) if given.get("seed") is None else given["seed"]),
            top_p=float(given.get("top_p", 1.0)),
            top_k=max(0, int(given.get("top_k") or 0)),
        )

    async def load(self, weights: Mapping[str, Any], version: int | None) -> None:
        """Take the weights of the policy after a step; tied weights come once."""
        named = {name.replace("_orig_mod.", ""): tensor for name, tensor in weights.items()}
        missing, unknown = self._network.load_state_dict(named, strict=False)
        if unknown or [name for name in missing if name != _TIED]:
            raise ValueError(f"The weights do not fit the server's model: without {missing}, and with {unknown}.")
        self._version = version

    async def abort_all_requests(self, reject_request: bool = False) -> None:
        self._open.clear()

    async def resume_generation(self) -> None:
        self._open.set()

    async def wake_up(self, *_: Any, **__: Any) -> None: ...
    async def sleep(self, *_: Any, **__: Any) -> None: ...
    async def clear_kv_cache(self) -> None: ...
    async def release_kv_cache(self) -> None: ...
    async def resume_kv_cache(self) -> None: ...
    async def start_profile(self, **_: Any) -> None: ...
    async def stop_profile(self) -> None: ...


class Replica(RolloutReplica):
    """Starts the server of one training process."""

    async def launch_servers(self) -> None:
        name = _name(self.replica_rank)
        actor = ray.remote(Server).options(name=name, num_cpus=0, max_concurrency=self.max_concurrency)
        self._server_handle = actor.remote(self.model_config.get("path"), self.config.response_length, name)
        self.servers = [self._server_handle]
        self._server_address = name


class WeightSender(BaseRollout):
    """Lives in the training process and sends the server the whole policy after a step."""

    is_leader_rank = True

    def __init__(self, config: Any, model_config: Any, device_mesh: Any, replica_rank: int = -1) -> None:
        super().__init__(config, model_config, device_mesh)
        self._rank = int(os.environ["RANK"]) if replica_rank == -1 else replica_rank

    async def resume(self, tags: list[str]) -> None: ...
    async def release(self) -> None: ...

    async def update_weights(
        self, weights: Any, wire_format: str = "named_tensors", global_steps: int | None = None, **_: Any
    ) -> None:
        named = {name: tensor.detach().float().clone() for name, tensor in weights}
        await ray.get_actor(_name(self._rank)).load.remote(named, global_steps)


def _name(rank: int) -> str:
    return f"memgym_cpu_server_{rank}"
