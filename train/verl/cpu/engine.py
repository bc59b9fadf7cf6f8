"""verl's FSDP2 engine on CPUs: float32, no offload. Imported by verl as ``actor_rollout_ref.model.external_lib``."""

from __future__ import annotations

from typing import Any

import torch
from torch.distributed.fsdp import MixedPrecisionPolicy
from verl.utils.fsdp_utils import apply_fsdp2, fsdp2_load_full_state_dict
from verl.workers.engine.base import EngineRegistry
from verl.workers.engine.fsdp.transformer_impl import FSDPEngineWithLMHead


@EngineRegistry.register(model_type="language_model", backend=["fsdp2"], device=["cpu"])
class CPUEngine(FSDPEngineWithLMHead):
    """The engine of GPUs, but for how a module is wrapped and that there is nowhere to move it to."""

    def _build_fsdp_module(self, module: Any) -> Any:
        self._autocast_dtype, self.scaler = torch.float32, None
        self._is_offload_param = self._is_offload_optimizer = False
        shards = {
            "mesh": self.device_mesh,
            "mp_policy": MixedPrecisionPolicy(param_dtype=torch.float32, reduce_dtype=torch.float32),
            "offload_policy": None,
            "reshard_after_forward": self.engine_config.reshard_after_forward,
        }
        weights = module.state_dict()
        apply_fsdp2(module, shards, self.engine_config)
        fsdp2_load_full_state_dict(module, weights, self.device_mesh, None)
        return module

    def to(self, device: str, model: bool = True, optimizer: bool = True, grad: bool = True) -> None:
        return None
