"""The on-policy trainer "memgym_sync": one optimizer step a rollout, and denominators that count trajectories.

verl's own synchronous trainer cuts a batch into mini-batches of sequences. A trajectory of K segments is K sequences,
so that it would make about K optimizer steps on one rollout, each off-policy by those before, and weigh long
trajectories more where a loss averages over sequences. Written for verl 0.9.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import pstdev
from typing import Any

import transfer_queue as queue
from omegaconf import open_dict
from verl.trainer.ppo.v1.trainer_base import register_trainer
from verl.trainer.ppo.v1.trainer_sync import PPOTrainerSync
from verl.utils.metric import reduce_metrics
from verl.utils.py_functional import rename_dict

from ..measures import mean_measures
from .agent_loop import MEASURES

NAME = "memgym_sync"
_POLL = 0.05
"""Seconds between looks for finished groups; verl's own 2 s are longer than a step of a small model."""


@register_trainer(NAME)
class OnPolicyTrainer(PPOTrainerSync):
    """Stock PPOTrainerSync, but for the size of a mini-batch, the denominators, and metrics of episodes."""

    def __init__(self, config: Any) -> None:
        with open_dict(config):
            # Every other value selects verl's asynchronous paths.
            config.trainer.v1.trainer_mode = "sync"
        super().__init__(config)
        self.replay_buffer.poll_interval = _POLL

    def _get_required_batch_multiple(self, dp_size: int) -> int:
        return dp_size

    def _update_actor(self, batch: Any, metrics: dict[str, Any]) -> Any:
        actor, rollout = self.config.actor_rollout_ref.actor, self.config.actor_rollout_ref.rollout
        count = len(trajectories(batch.keys, batch.tags))
        batch.extra_info.update(
            calculate_entropy=actor.calculate_entropy or actor.entropy_coeff != 0.0,
            distillation_use_topk=False,
            distillation_only=False,
            global_batch_size=count,
            mini_batch_size=len(batch),
            epochs=1,
            seed=actor.data_loader_seed,
            dataloader_kwargs={"shuffle": False},
            temperature=rollout.temperature,
        )
        made = rename_dict(self.actor_rollout_wg.update_actor(batch)["metrics"], "actor/")
        made["perf/mfu/actor"] = made.pop("actor/mfu")
        metrics["actor/optimizer_steps"] = len(made["actor/grad_norm"])
        metrics.update(reduce_metrics(made))
        metrics.update({"training/trajectories": count, "training/segments": len(batch)})
        return batch

    def _compute_metrics(self, batch: Any, metrics: dict[str, Any], *args: Any, **named: Any) -> None:
        super()._compute_metrics(batch, metrics, *args, **named)
        finals = trajectories(batch.keys, batch.tags)
        data = queue.kv_batch_get(
            keys=list(finals.values()), partition_id=batch.partition_id, select_fields=["extra_fields"]
        )
        fields = [getattr(one, "data", one) for one in data["extra_fields"]]
        numbers = {name: one[MEASURES] for name, one in zip(finals, fields, strict=True)}
        metrics.update({f"episode/{name}": value for name, value in mean_measures(list(numbers.values())).items()})
        metrics["group/without_spread"] = without_spread({name: one["reward"] for name, one in numbers.items()})


def trajectories(keys: Sequence[str], tags: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the key of the last output of each trajectory; padding is none. A key is {group}_{member}_{output}."""
    last: dict[str, tuple[int, str]] = {}
    for key, tag in zip(keys, tags, strict=True):
        name, _, index = key.rpartition("_")
        if not tag.get("is_padding", False) and int(index) >= last.get(name, (-1, ""))[0]:
            last[name] = (int(index), key)
    return {name: key for name, (_, key) in last.items()}


def without_spread(rewards: Mapping[str, float]) -> float:
    """Return the share of groups whose members all earned the same, from which nothing is learnt."""
    groups: dict[str, list[float]] = {}
    for name, reward in rewards.items():
        groups.setdefault(name.rpartition("_")[0], []).append(reward)
    return sum(pstdev(group) == 0 for group in groups.values()) / max(1, len(groups))
