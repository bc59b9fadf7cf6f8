"""What a training run is, as data: a frozen pydantic model a section of the YAML file, each field with its meaning.

Here is how it is optimised and on what it runs; what is learned, by whom and for what is in ``sections``. Reading
files, ``extends`` and dotted overrides is in ``recipe_files``; what verl makes of it in ``verl.config``.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from memgym import registry
from memgym.masks import allowed

from .sections import Actor, Data, Model, Part, Reward, Sft, World

TESTED_MODES = ("sync",)
"""Trainer modes that this project has run; the others are verl's, and need ``--untested``."""
MODES = (*TESTED_MODES, "colocate_async", "separate_async")


class Grpo(Part):
    """Group-relative policy optimisation: ``batch`` samples a step, ``group`` rollouts of each, one optimizer step.

    The advantage is the reward less its group's mean, on every response token of every step of the episode.
    ``loss`` says how tokens are averaged: "atommem-code" all alike over the batch; "dr-grpo" by a constant, the
    longest response; "paper" by the number of trajectories. ``kl`` weighs the divergence from the first policy.
    ``steps`` None: as many as ``data.samples`` and ``data.epochs`` give.
    """

    steps: int | None = Field(default=None, ge=1)
    batch: int = Field(default=8, ge=1)
    group: int = Field(default=8, ge=2)
    lr: float = Field(default=1e-6, gt=0)
    warmup_steps: int = Field(default=0, ge=0)
    lr_schedule: Literal["constant", "cosine"] = "constant"
    weight_decay: float = Field(default=0.01, ge=0)
    grad_clip: float = Field(default=1.0, gt=0)
    clip_low: float = Field(default=0.2, ge=0)
    clip_high: float = Field(default=0.28, ge=0)
    clip_dual: float = Field(default=3.0, gt=1)
    kl: float = Field(default=0.001, ge=0)
    kl_type: Literal["kl", "abs", "mse", "low_var_kl"] = "low_var_kl"
    entropy: float = Field(default=0.0, ge=0)
    scale_by_std: bool = False
    loss: Literal["atommem-code", "dr-grpo", "paper"] = "atommem-code"


class Rollout(Part):
    """How the policy plays: sampling, the longest prompt and response in tokens, and the engine that generates.

    ``engine`` "" is vllm on GPUs and the transformers server on CPUs. ``device_tokens`` is how many tokens a device
    takes in one forward pass of training. ``reuse_log_probs``: the trainer takes the log-probabilities that the engine
    told as those of the old policy (verl's bypass mode), which saves a forward pass where both compute alike, as on a
    CPU. ``mode`` is verl's trainer mode; see TESTED_MODES.
    """

    temperature: float = Field(default=1.0, gt=0)
    top_p: float = Field(default=1.0, gt=0, le=1)
    prompt_tokens: int = Field(default=16384, ge=1)
    response_tokens: int = Field(default=4096, ge=1)
    device_tokens: int = Field(default=32768, ge=1)
    engine: str = ""
    gpu_share: float = Field(default=0.65, gt=0, le=1)
    tensor_parallel: int = Field(default=1, ge=1)
    workers: int = Field(default=8, ge=1)
    reuse_log_probs: bool = False
    mode: str = "sync"

    @model_validator(mode="after")
    def _known(self) -> Rollout:
        if self.reuse_log_probs and self.top_p < 1.0:
            raise ValueError(
                f"rollout.reuse_log_probs needs top_p=1, not {self.top_p}: the probabilities of a cut distribution are "
                "not those that the trainer computes."
            )
        if self.mode not in MODES:
            raise ValueError(str(registry.unknown("trainer mode", self.mode, MODES)))
        if self.device_tokens < self.prompt_tokens + self.response_tokens:
            raise ValueError(
                f"rollout.device_tokens is {self.device_tokens}; at least prompt_tokens + response_tokens = "
                f"{self.prompt_tokens + self.response_tokens} was expected, so that a device holds one step."
            )
        return self


class Validation(Part):
    """Samples that are played now and then while training, with temperature 0 unless said otherwise."""

    split: str | None = "validation"
    samples: int = Field(default=64, ge=1)
    every: int = Field(default=10, ge=1)
    before: bool = True
    temperature: float = Field(default=0.0, ge=0)
    top_p: float = Field(default=1.0, gt=0, le=1)
    options: dict[str, Any] = Field(default_factory=dict)


class HeldOut(Part):
    """The table after training: the policy before and after, beside scripted agents, on samples not seen before.

    ``agents`` read and answer with the policy as it was before GRPO; so do ``bounds``, which are no competitors: they
    show where the scale ends, and the table says so. ``settings`` name further environment options
    (``{800 documents: {documents: 800}}``); each is a table of its own. ``masks`` are allowed operations under which
    the trained policy is played too ("w/o update"), as AtomMem's Table 2.
    """

    split: str | None = "test"
    samples: int = Field(default=200, ge=1)
    agents: tuple[str, ...] = ()
    bounds: tuple[str, ...] = ()
    settings: dict[str, dict[str, Any]] = Field(default_factory=dict)
    masks: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _named(self) -> HeldOut:
        for agent in (*self.agents, *self.bounds):
            registry.target("agent", agent)
        for mask in self.masks:
            allowed(mask)
        return self


class Hardware(Part):
    """Where it runs. ``gpus`` a node; on a CPU it is the number of training processes, each with ``threads``."""

    device: Literal["cpu", "cuda"] = "cuda"
    gpus: int = Field(default=8, ge=1)
    nodes: int = Field(default=1, ge=1)
    threads: int = Field(default=1, ge=1)
    offload: bool = False
    gradient_checkpointing: bool = True
    shards: int = Field(default=-1, ge=-1)


class Tracking(Part):
    """Where verl reports to beside the run folder: console, file, tensorboard, wandb, swanlab, mlflow and others."""

    backends: tuple[str, ...] = ("console", "file")
    project: str = "memgym"


class Checkpoints(Part):
    """When the whole state of training is kept, and how many of them; the last step always is."""

    every: int = Field(default=10, ge=1)
    keep: int = Field(default=2, ge=1)


class Recipe(Part):
    """A training run. ``folder`` is where it is kept (None: the next free one in runs/)."""

    name: str
    about: str = ""
    seed: int = Field(default=0, ge=0)
    env: World = World()
    data: Data = Data()
    agent: Actor = Actor()
    model: Model = Model()
    sft: Sft | None = None
    reward: Reward = Reward()
    grpo: Grpo = Grpo()
    rollout: Rollout = Rollout()
    validation: Validation = Validation()
    test: HeldOut = HeldOut()
    hardware: Hardware = Hardware()
    tracking: Tracking = Tracking()
    checkpoints: Checkpoints = Checkpoints()
    folder: str | None = None

    @model_validator(mode="after")
    def _sized(self) -> Recipe:
        if self.grpo.steps is None and self.data.samples is None:
            raise ValueError("grpo.steps or data.samples has to be given, or training has no end.")
        if self.data.samples is not None and self.data.samples < self.grpo.batch:
            raise ValueError(f"data.samples is {self.data.samples}: fewer than one batch, {self.grpo.batch}.")
        return self

    @property
    def steps(self) -> int:
        """How many optimizer steps are made: every epoch drops what does not fill a batch, as verl does."""
        if self.grpo.steps is not None:
            return self.grpo.steps
        return (self.data.samples or 0) // self.grpo.batch * self.data.epochs

    @property
    def samples(self) -> int:
        """How many samples an epoch has."""
        return self.data.samples or self.steps * self.grpo.batch
