"""The agent loop that verl runs for each member of a group: the hall's rollout plays, each call becomes an output.

verl is given one (prompt, response) pair a call and the reward with the last one; it forms the group's mean over
trajectories and puts a trajectory's advantage on every token of all its pairs.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

import numpy as np
from omegaconf import OmegaConf
from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopOutput

from memgym.records import Episode, EpisodeRecord
from memgym.rollout import rollout

from ..measures import measures
from ..rewards import Earned, make_reward
from ..segments import Generated, Sampling, Segment, SegmentModel
from .rows import from_text
from .stage import in_loop, stage

MEASURES = "measures"
"""The name under which an episode's numbers travel with its last output."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Trajectory:
    """One member of a group as it was played: its record, what the policy saw and wrote, and what it earned."""

    record: EpisodeRecord
    segments: Sequence[Segment]
    versions: Sequence[int]
    earned: Earned

    @property
    def numbers(self) -> dict[str, float]:
        """The measures of the episode, and its reward with every part of it."""
        parts = {f"reward/{name}": value for name, value in self.earned.terms.items()}
        base = {"reward": self.earned.reward, "reward/base": self.earned.base, "reward/unjudged": self.earned.unjudged}
        return {**measures(self.record, self.segments), **base, **parts}


class MemGymAgentLoop(AgentLoopBase):
    """Plays the episode of a row. Options come from the file that ``agent_loop_config_path`` names.

    reward: as ``rewards.make_reward`` takes it. strict: a prompt over the budget fails its episode; else its middle is
    cut out, and that is counted. seeded: each call has a seed of its own, of the episode's seed, the member and the
    step of training, so that a run can be repeated; the CPU server takes it, and GPU engines are slower with it.
    """

    def __init__(
        self, *args: Any, reward: Any = None, strict: bool = False, seeded: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self._reward = make_reward({} if reward is None else OmegaConf.to_container(OmegaConf.create(reward)))
        self._strict, self._seeded = strict, seeded
        self._main = asyncio.get_running_loop()

    async def run(self, sampling_params: dict[str, Any], **row: Any) -> list[AgentLoopOutput]:
        """Return an output for each call; whatever fails is a trajectory with reward 0, so that a group stays whole."""
        episode = replace(from_text(row["extra_info"]["episode"]), member=int(row.get("session_id", 0)))
        step = int(row["global_steps"])
        trajectory = await stage().run(self._play(episode, sampling_params, step))
        return outputs(trajectory, step, self.tokenizer.eos_token_id)

    async def _play(self, episode: Episode, sampling_params: Mapping[str, Any], step: int) -> Trajectory:
        config = self.rollout_config
        versions: list[int] = []

        async def generate(prompt: Sequence[int], sampling: Sampling) -> Generated:
            params = self._params(sampling_params, sampling, (episode.seed, episode.member, step, len(versions)))
            made = await in_loop(self._main, self._ask(list(prompt), params))
            if not made.token_ids:
                raise RuntimeError(f"The rollout server wrote nothing ({made.stop_reason}).")
            versions.append(int(made.extra_fields.get("global_steps") or step))
            return Generated(made.token_ids, made.log_probs or None, made.stop_reason != "length")

        model = SegmentModel(
            self.tokenizer,
            generate,
            prompt_tokens=config.prompt_length,
            response_tokens=config.response_length,
            strict=self._strict,
            template=OmegaConf.to_container(self.data_config.get("apply_chat_template_kwargs") or OmegaConf.create({})),
        )
        record = await rollout(episode, stage().cast, model)
        if record.error is not None:
            _log.warning("The episode %s failed at step %d: %s", episode.id, len(record.steps), record.error)
        return Trajectory(record, model.segments, versions, await self._reward(record))

    def _params(
        self, given: Mapping[str, Any], sampling: Sampling, stream: tuple[int, int, int, int]
    ) -> dict[str, Any]:
        params = {**given, "max_tokens": sampling.max_tokens}
        if self._seeded:
            params["seed"] = int(np.random.SeedSequence(stream).generate_state(1, np.uint64)[0] >> np.uint64(1))
        return params

    async def _ask(self, prompt: list[int], params: dict[str, Any]) -> Any:
        return await self.server_manager.generate(request_id=uuid4().hex, prompt_ids=prompt, sampling_params=params)


def outputs(trajectory: Trajectory, step: int, end: int) -> list[AgentLoopOutput]:
    """Return verl's outputs of a trajectory, the last one with the reward and the measures.

    A trajectory that failed before the policy wrote anything is one output that is masked out: it counts in its group.
    """
    segments = list(trajectory.segments)
    rows = [_output(one, version) for one, version in zip(segments, trajectory.versions, strict=True)]
    if not rows:
        rows = [_output(Segment((end,), (end,), (0.0,), 0), step, mask=[0])]
    for at, row in enumerate(rows):
        row.num_turns = at + 1
    numbers = trajectory.numbers
    rows[-1].reward_score = trajectory.earned.reward
    # verl adds the reward of a validation itself, under the same name.
    more = {name: value for name, value in numbers.items() if name != "reward"}
    rows[-1].extra_fields |= {MEASURES: numbers, "reward_extra_info": more}
    return rows


def _output(segment: Segment, version: int, mask: list[int] | None = None) -> AgentLoopOutput:
    return AgentLoopOutput(
        prompt_ids=list(segment.prompt_ids),
        response_ids=list(segment.response_ids),
        response_mask=list(segment.mask) if mask is None else mask,
        response_logprobs=None if segment.logprobs is None else list(segment.logprobs),
        metrics={},
        extra_fields={"min_global_steps": version, "max_global_steps": version},
    )
