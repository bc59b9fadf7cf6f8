"""What verl makes of a recipe: a table of verl's keys and values, as Hydra overrides and as a composed, checked config.

Every key that a recipe decides stands here and nowhere else. Written for verl 0.9.1; composing needs the extra "train"
but no GPU and no Ray.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from memgym.extras import require

from ..recipe import TESTED_MODES, Recipe

AGENT_LOOP = "memgym_agent"
"""The name of our agent loop in the file that ``agent_loop_config_path`` names."""
TRAINER_MODES = {"sync": "memgym_sync"}
"""Our trainers by the mode of a recipe; other modes are verl's own."""
ENGINES = {"cpu": "hf_cpu", "cuda": "vllm"}
CPU_ENGINE_MODULE = "memgym.train.verl.cpu.engine"
"""Registers the FSDP2 engine on CPUs; loaded by verl in each worker as ``model.external_lib``."""
MAIN = "verl.trainer.main_ppo"
_CONFIG = "verl.trainer.config"
_EXTRA = ("train", "verl's configuration")
_ACTOR, _REF = "actor_rollout_ref.actor", "actor_rollout_ref.ref"
_ROLLOUT, _MODEL = "actor_rollout_ref.rollout", "actor_rollout_ref.model"
_CPU_LOGICAL = 16
"""Logical CPUs that Ray is told of on a small machine: its actors only wait for each other."""


class UntestedMode(ValueError):
    """A trainer mode that this project has not run."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where a run finds and leaves its files: the policy, verl's rows, the agent loop's file, the run folder."""

    model: str
    train_rows: str
    validation_rows: str
    agent_loops: str
    folder: str

    @classmethod
    def within(cls, folder: Path, model: str) -> Places:
        """Return the usual places of a run folder."""
        inside = folder / "verl"
        return cls(
            model, str(inside / "train.parquet"), str(inside / "validation.parquet"), str(inside / "agent.yaml"),
            str(folder),
        )  # fmt: skip


def check_mode(recipe: Recipe, *, untested: bool = False) -> None:
    """Raise UntestedMode for a mode that was never run here, unless that is what is wanted."""
    if recipe.rollout.mode not in TESTED_MODES and not untested:
        raise UntestedMode(
            f"rollout.mode={recipe.rollout.mode} is verl's, and was not run with memgym: only "
            f"{', '.join(TESTED_MODES)} was. Its optimizer steps count sequences, not trajectories, so that it is not "
            "on-policy. To try it all the same: --untested."
        )


def settings(recipe: Recipe, places: Places) -> dict[str, Any]:
    """Return verl's values for a recipe by dotted key. What is not among them is verl's default."""
    parts = (_algorithm, _optimizer, _loss, _device, _rollout, _data, _trainer)
    return {key: value for part in parts for key, value in part(recipe, places)}


def overrides(values: Mapping[str, Any]) -> list[str]:
    """Return the values in Hydra's grammar, for ``python -m verl.trainer.main_ppo``.

    "++" sets a key whether or not verl's own config has it.
    """
    return [f"++{key}={_grammar(value)}" for key, value in values.items()]


def compose(values: Mapping[str, Any]) -> Any:
    """Return verl's whole config with these values. A key that neither verl nor OURS has is a ValueError."""
    hydra = require("hydra", *_EXTRA)
    require("verl", *_EXTRA)
    with hydra.initialize_config_module(_CONFIG, version_base=None):
        plain = hydra.compose("ppo_trainer")
        _known(plain, values)
        return hydra.compose("ppo_trainer", overrides(values))


def validate(config: Any) -> None:
    """Run verl's own checks of a composed config; they raise what verl raises. Needs no GPU."""
    checks, needs = require("verl.utils.config", *_EXTRA), require("verl.trainer.ppo.utils", *_EXTRA)
    with redirect_stdout(StringIO()):
        checks.validate_config(
            config, use_reference_policy=needs.need_reference_policy(config), use_critic=needs.need_critic(config)
        )
    inside = config.actor_rollout_ref
    for part in (inside.rollout, inside.ref.fsdp_config, inside.actor.optim, config.algorithm):
        checks.omega_conf_to_dataclass(part)


OURS = (
    f"{_MODEL}.override_config.attn_implementation",
    *(
        f"{worker}.fsdp_config.mixed_precision.{name}_dtype"
        for worker in (_ACTOR, _REF)
        for name in ("param", "reduce", "buffer")
    ),
    "ray_kwargs.ray_init.num_gpus",
    "ray_kwargs.ray_init.include_dashboard",
)
"""Keys that verl reads though its default config does not name them."""


def _known(plain: Any, values: Mapping[str, Any]) -> None:
    known = require("omegaconf", *_EXTRA).OmegaConf.to_container(plain, resolve=False)
    for key in values:
        if key not in OURS and not _has(known, key.split(".")):
            raise ValueError(f"verl {_version()} has no key {key}: this version of memgym was written for verl 0.9.1.")


def _has(values: Any, parts: Sequence[str]) -> bool:
    if not parts:
        return True
    return isinstance(values, Mapping) and parts[0] in values and _has(values[parts[0]], parts[1:])


def _version() -> str:
    from importlib.metadata import version

    return version("verl")


def _grammar(value: Any) -> str:
    """Write a value so that Hydra reads it back: a text is quoted, a list and a mapping are written out."""
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace("'", "\\'") if value.endswith("\\") else value.replace("'", "\\'")
        return f"'{escaped}'"
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key}:{_grammar(one)}" for key, one in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(_grammar(one) for one in value) + "]"
    return json.dumps(value)


Values = Iterator[tuple[str, Any]]


def _algorithm(recipe: Recipe, _: Places) -> Values:
    yield "algorithm.adv_estimator", "grpo"
    yield "algorithm.norm_adv_by_std_in_grpo", recipe.grpo.scale_by_std
    yield "algorithm.use_kl_in_reward", False
    # With one optimizer step a rollout the old policy is the one that played: what it said need not be computed anew.
    yield "algorithm.rollout_correction.bypass_mode", recipe.rollout.reuse_log_probs
    yield "critic.enable", False


def _optimizer(recipe: Recipe, _: Places) -> Values:
    grpo = recipe.grpo
    yield f"{_ACTOR}.optim.lr", grpo.lr
    yield f"{_ACTOR}.optim.lr_warmup_steps", grpo.warmup_steps
    yield f"{_ACTOR}.optim.lr_scheduler_type", grpo.lr_schedule
    yield f"{_ACTOR}.optim.weight_decay", grpo.weight_decay
    yield f"{_ACTOR}.optim.clip_grad", grpo.grad_clip
    yield f"{_ACTOR}.grad_clip", grpo.grad_clip
    # On-policy: the whole rollout in one mini-batch, once. memgym_sync sees to it that rows do not multiply steps.
    yield f"{_ACTOR}.ppo_mini_batch_size", grpo.batch
    yield f"{_ACTOR}.ppo_epochs", 1
    yield f"{_ACTOR}.use_dynamic_bsz", True
    yield f"{_ACTOR}.ppo_max_token_len_per_gpu", recipe.rollout.device_tokens
    yield f"{_ACTOR}.data_loader_seed", recipe.seed


def _loss(recipe: Recipe, _: Places) -> Values:
    """The presets of the loss; every mean over sequences is one over trajectories in memgym_sync."""
    grpo = recipe.grpo
    modes = {"atommem-code": "token-mean", "dr-grpo": "seq-mean-token-sum-norm", "paper": "seq-mean-token-sum"}
    yield f"{_ACTOR}.loss_agg_mode", modes[grpo.loss]
    if grpo.loss == "dr-grpo":
        yield f"{_ACTOR}.loss_scale_factor", recipe.rollout.response_tokens
    yield f"{_ACTOR}.use_kl_loss", grpo.kl > 0
    yield f"{_ACTOR}.kl_loss_coef", grpo.kl
    yield f"{_ACTOR}.kl_loss_type", grpo.kl_type
    yield f"{_ACTOR}.entropy_coeff", grpo.entropy
    yield f"{_ACTOR}.clip_ratio", grpo.clip_low
    yield f"{_ACTOR}.clip_ratio_low", grpo.clip_low
    yield f"{_ACTOR}.clip_ratio_high", grpo.clip_high
    yield f"{_ACTOR}.clip_ratio_c", grpo.clip_dual


def _device(recipe: Recipe, places: Places) -> Values:
    hardware, model = recipe.hardware, recipe.model
    yield f"{_MODEL}.path", places.model
    yield f"{_MODEL}.trust_remote_code", model.trust_remote_code
    yield f"{_MODEL}.enable_gradient_checkpointing", hardware.gradient_checkpointing
    yield f"{_ACTOR}.strategy", "fsdp2"
    yield f"{_REF}.strategy", "fsdp2"
    yield f"{_ACTOR}.fsdp_config.param_offload", hardware.offload
    yield f"{_ACTOR}.fsdp_config.optimizer_offload", hardware.offload
    yield f"{_REF}.fsdp_config.param_offload", hardware.offload
    yield f"{_ACTOR}.fsdp_config.fsdp_size", hardware.shards
    yield f"{_REF}.fsdp_config.fsdp_size", hardware.shards
    yield f"{_ACTOR}.fsdp_config.seed", recipe.seed
    yield "trainer.device", hardware.device
    yield "trainer.n_gpus_per_node", hardware.gpus
    yield "trainer.nnodes", hardware.nodes
    if hardware.device == "cpu":
        yield from _on_cpu(hardware.gpus)


def _on_cpu(processes: int) -> Values:
    """What verl needs to hear in order to run without an accelerator; the CPU plug-in does the rest."""
    yield f"{_MODEL}.external_lib", CPU_ENGINE_MODULE
    yield f"{_MODEL}.use_remove_padding", False
    yield f"{_MODEL}.override_config.attn_implementation", "sdpa"
    for worker in (_ACTOR, _REF):
        yield f"{worker}.use_torch_compile", False
        yield f"{worker}.fsdp_config.use_torch_compile", False
        for name in ("param", "reduce", "buffer"):
            yield f"{worker}.fsdp_config.mixed_precision.{name}_dtype", "fp32"
    yield f"{_ROLLOUT}.load_format", "auto"
    yield f"{_ROLLOUT}.free_cache_engine", False
    yield "reward.num_workers", 0  # the agent loop says what is earned
    yield "transfer_queue.backend.SimpleStorage.num_data_storage_units", 1
    yield "ray_kwargs.ray_init.num_gpus", processes
    yield "ray_kwargs.ray_init.num_cpus", _CPU_LOGICAL
    yield "ray_kwargs.ray_init.include_dashboard", False


def _rollout(recipe: Recipe, places: Places) -> Values:
    rollout, validation = recipe.rollout, recipe.validation
    yield f"{_ROLLOUT}.name", rollout.engine or ENGINES[recipe.hardware.device]
    yield f"{_ROLLOUT}.n", recipe.grpo.group
    yield f"{_ROLLOUT}.temperature", rollout.temperature
    yield f"{_ROLLOUT}.top_p", rollout.top_p
    yield f"{_ROLLOUT}.seed", recipe.seed
    yield f"{_ROLLOUT}.dtype", recipe.model.dtype
    yield f"{_ROLLOUT}.tensor_model_parallel_size", rollout.tensor_parallel
    yield f"{_ROLLOUT}.gpu_memory_utilization", rollout.gpu_share
    yield f"{_ROLLOUT}.max_num_batched_tokens", max(8192, rollout.prompt_tokens + rollout.response_tokens)
    yield f"{_ROLLOUT}.val_kwargs.do_sample", validation.temperature > 0
    yield f"{_ROLLOUT}.val_kwargs.temperature", validation.temperature
    yield f"{_ROLLOUT}.val_kwargs.top_p", validation.top_p
    yield f"{_ROLLOUT}.agent.num_workers", rollout.workers
    yield f"{_ROLLOUT}.agent.default_agent_loop", AGENT_LOOP
    yield f"{_ROLLOUT}.agent.agent_loop_config_path", places.agent_loops


def _data(recipe: Recipe, places: Places) -> Values:
    yield "data.train_files", places.train_rows
    yield "data.val_files", places.validation_rows
    yield "data.train_batch_size", recipe.grpo.batch
    yield "data.max_prompt_length", recipe.rollout.prompt_tokens
    yield "data.max_response_length", recipe.rollout.response_tokens
    # Rows come in the order of the schedule, or a curriculum would be none.
    yield "data.shuffle", False
    yield "data.seed", recipe.seed
    yield "data.return_raw_chat", True
    yield "data.dataloader_num_workers", 0
    yield "data.apply_chat_template_kwargs", recipe.model.template


def _trainer(recipe: Recipe, places: Places) -> Values:
    checkpoints, validation = recipe.checkpoints, recipe.validation
    yield "trainer.v1.trainer_mode", TRAINER_MODES.get(recipe.rollout.mode, recipe.rollout.mode)
    yield "trainer.total_epochs", recipe.data.epochs
    yield "trainer.total_training_steps", recipe.steps
    yield "trainer.project_name", recipe.tracking.project
    yield "trainer.experiment_name", recipe.name
    # The file is where our own metrics come from.
    yield "trainer.logger", list(dict.fromkeys([*recipe.tracking.backends, "file"]))
    yield "trainer.val_before_train", validation.before
    yield "trainer.test_freq", validation.every
    yield "trainer.save_freq", checkpoints.every
    yield "trainer.max_actor_ckpt_to_keep", checkpoints.keep
    yield "trainer.resume_mode", "auto"
    yield "trainer.default_local_dir", f"{places.folder}/checkpoints"
    yield "trainer.validation_data_dir", f"{places.folder}/validation"
