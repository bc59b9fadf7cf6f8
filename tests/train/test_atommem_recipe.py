"""AtomMem's published configuration, value by value, against our recipe and against what verl is told of it.

Sources: the paper (arXiv 2601.08323v3), and the run script of its code (run_memory_longcontext.sh, commit 7b50580) with
what that calls; data: its scripts that build the tasks.
"""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from memgym.train.recipe import Recipe
from memgym.train.recipe_files import load_recipe
from memgym.train.verl.config import Places, settings

NAME = "atommem-hotpotqa-8gpu"
ACTOR, REF, ROLLOUT = "actor_rollout_ref.actor", "actor_rollout_ref.ref", "actor_rollout_ref.rollout"

PUBLISHED: list[tuple[str, Any, str]] = [
    ("env.id", "MemGym/HotpotQA-200doc", "paper 4.1.1"),
    ("env.options.documents", 200, "paper 4.1.1"),
    ("env.options.questions", "atommem", "data"),
    ("env.options.chunk_tokens", 4000, "paper 4.3, script"),
    ("env.options.overlap", 100, "script"),
    ("env.options.max_steps", 41, "script: max_chunks 40, ended above it"),
    ("env.options.k", 6, "paper 4.3, script"),
    ("env.options.query_limit", 3, "script"),
    ("env.options.advance", "on_write", "script"),
    ("env.options.reads", "persistent", "script"),
    ("env.options.encoder", "sentence-transformers:Qwen/Qwen3-Embedding-0.6B", "paper 4.3"),
    ("env.options.reward", "em_math", "script; paper 4.3: EM"),
    ("env.dialect", "atommem", "script"),
    ("env.operations", "all", "paper 3.3"),
    ("data.split", "train", "paper 4.1.1"),
    ("data.epochs", 5, "script"),
    ("agent.options.history", 0, "paper 3.3, script"),
    ("model.path", "Qwen/Qwen3-8B", "paper 4.3"),
    ("sft", None, "paper v3"),
    ("reward.name", "outcome", "paper 3.4, 4.3"),
    ("reward.shaping.format", 0, "script"),
    ("reward.shaping.memory", 0, "script"),
    ("rollout.engine", "vllm", "script"),
    ("test.settings.800 documents.documents", 800, "paper 4.1.1"),
    ("test.masks", ("w/o update", "w/o delete", "w/o scratchpad", "w/o store", "w/o both"), "paper, Table 2"),
    ("hardware.nodes", 1, "script"),
]
"""What verl has no key for: our recipe's own."""

VERL: list[tuple[str, Any, str]] = [
    ("algorithm.adv_estimator", "grpo", "paper 3.4, script"),
    ("algorithm.norm_adv_by_std_in_grpo", False, "paper 3.4, script: grpo_use_adv False"),
    ("algorithm.use_kl_in_reward", False, "script"),
    ("data.train_batch_size", 8, "script"),
    ("data.max_prompt_length", 16384, "script"),
    ("data.max_response_length", 4096, "script"),
    ("actor_rollout_ref.model.path", "Qwen/Qwen3-8B", "paper 4.3"),
    ("actor_rollout_ref.model.enable_gradient_checkpointing", True, "script"),
    (f"{ROLLOUT}.n", 8, "script"),
    (f"{ROLLOUT}.temperature", 1.0, "script"),
    (f"{ROLLOUT}.top_p", 0.99, "script"),
    (f"{ROLLOUT}.name", "vllm", "script"),
    (f"{ROLLOUT}.gpu_memory_utilization", 0.65, "script"),
    (f"{ROLLOUT}.tensor_model_parallel_size", 1, "script"),
    (f"{ROLLOUT}.val_kwargs.do_sample", False, "script: greedy"),
    (f"{ACTOR}.ppo_mini_batch_size", 8, "paper 4.3: on-policy; script"),
    (f"{ACTOR}.ppo_epochs", 1, "paper 4.3: one update a rollout; script"),
    (f"{ACTOR}.use_dynamic_bsz", True, "script"),
    (f"{ACTOR}.ppo_max_token_len_per_gpu", 32768, "script"),
    (f"{ACTOR}.optim.lr", 1e-6, "script"),
    (f"{ACTOR}.optim.lr_warmup_steps", 20, "script"),
    (f"{ACTOR}.optim.lr_scheduler_type", "constant", "script"),
    (f"{ACTOR}.optim.weight_decay", 0.01, "code"),
    (f"{ACTOR}.optim.clip_grad", 1.0, "code"),
    (f"{ACTOR}.clip_ratio_low", 0.2, "code"),
    (f"{ACTOR}.clip_ratio_high", 0.28, "script"),
    (f"{ACTOR}.clip_ratio_c", 3.0, "code"),
    (f"{ACTOR}.loss_agg_mode", "token-mean", "script"),
    (f"{ACTOR}.use_kl_loss", True, "paper 3.4, script"),
    (f"{ACTOR}.kl_loss_coef", 0.001, "script"),
    (f"{ACTOR}.kl_loss_type", "low_var_kl", "script"),
    (f"{ACTOR}.entropy_coeff", 0.0, "script"),
    (f"{ACTOR}.fsdp_config.param_offload", True, "script"),
    (f"{ACTOR}.fsdp_config.optimizer_offload", True, "script"),
    (f"{REF}.fsdp_config.param_offload", True, "script"),
    (f"{ACTOR}.fsdp_config.fsdp_size", 8, "script"),
    ("trainer.total_epochs", 5, "script"),
    ("trainer.save_freq", 10, "script"),
    ("trainer.test_freq", 20, "script"),
    ("trainer.n_gpus_per_node", 8, "paper, Limitation"),
    ("trainer.nnodes", 1, "script"),
    ("trainer.v1.trainer_mode", "memgym_sync", "paper 4.3: on-policy"),
]


def recipe() -> Recipe:
    return load_recipe(NAME)


def at(values: Any, key: str) -> Any:
    for part in key.split("."):
        values = values[part] if isinstance(values, dict) else getattr(values, part)
    return values


@pytest.mark.parametrize(("key", "value", "source"), PUBLISHED, ids=[one[0] for one in PUBLISHED])
def test_the_recipe_has_the_published_value(key: str, value: Any, source: str) -> None:
    assert at(recipe(), key) == value, source


@pytest.mark.parametrize(("key", "value", "source"), VERL, ids=[one[0] for one in VERL])
def test_verl_is_told_the_published_value(key: str, value: Any, source: str) -> None:
    told = settings(recipe(), Places.within(Path("run"), "Qwen/Qwen3-8B"))
    assert told[key] == value, source


def test_every_value_in_the_file_names_its_source() -> None:
    """A value has a comment that begins with a source, in its line or right above it."""
    lines = files("memgym.train.recipes").joinpath(f"{NAME}.yaml").read_text("utf-8").splitlines()
    source = re.compile(r"# .*\b(paper|script|code|data|ours|as above)\b")
    above, lacking = "", []
    for line in lines[lines.index("env:") :]:
        if re.match(r" *[a-z0-9_ ]+: *[^# ]", line) and not source.search(line) and not source.search(above):
            lacking.append(line)
        above = f"{above} {line}" if line.lstrip().startswith("#") else ""
    assert lacking == []


def test_the_mean_of_the_paper_is_a_preset_of_the_loss() -> None:
    told = settings(load_recipe(NAME, ["grpo.loss=paper"]), Places.within(Path("run"), "m"))
    assert told[f"{ACTOR}.loss_agg_mode"] == "seq-mean-token-sum"


def test_dr_grpo_divides_by_a_constant() -> None:
    told = settings(load_recipe(NAME, ["grpo.loss=dr-grpo"]), Places.within(Path("run"), "m"))
    assert (told[f"{ACTOR}.loss_agg_mode"], told[f"{ACTOR}.loss_scale_factor"]) == ("seq-mean-token-sum-norm", 4096)


def test_the_smoke_run_differs_from_the_recipe_in_its_sizes_only() -> None:
    """Everything that says what is learned, and how, is as published."""
    small, full = load_recipe("atommem-hotpotqa-smoke"), recipe()
    for key in ("env.id", "env.dialect", "env.operations", "agent.name", "sft", "reward", "data.schedule"):
        assert at(small, key) == at(full, key), key
    for key in ("advance", "reads", "k", "by", "query_limit", "reward", "cut"):
        assert small.env.options[key] == full.env.options[key], key
    sizes = {"steps": full.grpo.steps, "batch": full.grpo.batch, "group": full.grpo.group}
    assert small.grpo.model_copy(update=sizes) == full.grpo
