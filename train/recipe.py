"""What a training run is, as data: one frozen pydantic model a section of the YAML file, each field with its meaning.

Reading files, ``extends`` and dotted overrides is in ``recipe_files``; what verl makes of it in ``verl.config``.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from memgym import registry
from memgym.masks import allowed

Share = Field(default=0.0, ge=0, le=1)
LOSSES = ("atommem-code", "dr-grpo", "paper")
TESTED_MODES = ("sync",)
"""Trainer modes that this project has run; the others are verl's, and need ``--untested``."""
MODES = (*TESTED_MODES, "colocate_async", "separate_async")


class Part(BaseModel):
    """A section of a recipe; an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class World(Part):
    """The environment: its id and options, the dialect, and which operations are allowed (an ablation is a mask).

    ``options`` are those of ``MemoryEnv`` and of the benchmark: documents, chunk_tokens, capacity, k, encoder, reward.
    """

    id: str = "MemGym/Synthetic-50doc"
    options: dict[str, Any] = Field(default_factory=dict)
    dialect: str = "xml"
    dialect_options: dict[str, Any] = Field(default_factory=dict)
    operations: str | tuple[str, ...] = "all"

    @model_validator(mode="after")
    def _named(self) -> World:
        registry.environment(self.id)
        registry.target("dialect", self.dialect)
        allowed(self.operations)
        for name in ("dialect", "dialect_options", "operations", "split"):
            if name in self.options:
                place = "data.split" if name == "split" else f"env.{name}"
                raise ValueError(f"env.options.{name} is said by {place}.")
        return self

    @property
    def settings(self) -> dict[str, Any]:
        """All options of the environment but the split, which differs between training and tests."""
        masked = self.operations if isinstance(self.operations, str) else list(self.operations)
        said = {"dialect": self.dialect, "operations": masked, **self.options}
        return {**said, "dialect_options": self.dialect_options} if self.dialect_options else said


class Data(Part):
    """What is trained on. ``samples`` are those of an epoch (None: as many as ``grpo.steps`` need, each once).

    ``schedule`` is a protocol of the eval wing with its knobs, whose episodes are played in its order: "isolated", or
    "curriculum" with stages of environment options (documents, hops, capacity). ``split`` None: the benchmark has none.
    """

    split: str | None = "train"
    samples: int | None = Field(default=None, ge=1)
    epochs: int = Field(default=1, ge=1)
    schedule: dict[str, Any] = Field(default_factory=lambda: {"name": "isolated"})


class Actor(Part):
    """The agent that the policy plays as; "llm" writes operations itself. ``options`` as in ``memgym show``."""

    name: str = "llm"
    options: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _named(self) -> Actor:
        registry.target("agent", self.name)
        return self


class Model(Part):
    """The policy: a folder, a Hugging Face id, or "tiny", which is made from ``options`` (docs/training.md).

    ``template`` are more variables for the chat template (``{enable_thinking: false}`` for Qwen3).
    """

    path: str = "tiny"
    options: dict[str, Any] = Field(default_factory=dict)
    template: dict[str, Any] = Field(default_factory=dict)
    dtype: Literal["float32", "bfloat16"] = "bfloat16"
    trust_remote_code: bool = False


class Sft(Part):
    """The warm start: traces of a teacher, those that scored at least ``keep``, one example a step.

    ``model`` answers the teacher's requests where it asks any ("rules", "openai:NAME"). ``options`` are the teacher's.
    """

    teacher: str = "llm"
    options: dict[str, Any] = Field(default_factory=dict)
    model: str | None = "rules"
    model_options: dict[str, Any] = Field(default_factory=dict)
    episodes: int = Field(default=1000, ge=1)
    keep: float = Field(default=0.5, ge=0, le=1)
    epochs: float = Field(default=3, gt=0)
    batch: int = Field(default=16, ge=1)
    lr: float = Field(default=1e-3, gt=0)
    warmup: float = Field(default=0.03, ge=0, le=1)
    max_tokens: int = Field(default=2048, ge=1)


class Shaping(Part):
    """Weights of terms that are taken off a reward, each in [0, 1] before it is weighed; off by default.

    ``format``: the share of malformed operations. ``memory``: the mean number of entries over the capacity (without
    one: over 100).
    """

    format: float = Share
    memory: float = Share


class Reward(Part):
    """What an episode earns: "outcome", the environment's own (EM by question, success of a task); a metric; "judge".

    A metric ("em", "em_math", "f1") scores answers question by question; a "judge" is asked of ``model`` about each.
    """

    name: str = "outcome"
    model: str | None = None
    model_options: dict[str, Any] = Field(default_factory=dict)
    shaping: Shaping = Shaping()

    @model_validator(mode="after")
    def _named(self) -> Reward:
        known = ["outcome", "judge", *registry.names("metric")]
        if self.name not in known:
            raise ValueError(str(registry.unknown("reward", self.name, known)))
        if (self.name == "judge") is (self.model is None):
            raise ValueError("reward.model is the model of a judge: give it with reward.name=judge, and only then.")
        return self


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
    takes in one forward pass of training. ``mode`` is verl's trainer mode; see TESTED_MODES.
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
    mode: str = "sync"

    @model_validator(mode="after")
    def _known(self) -> Rollout:
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

    ``agents`` read and answer with the policy as it was before GRPO. ``settings`` name further environment options
    (``{800 documents: {documents: 800}}``); each is a table of its own.
    """

    split: str | None = "test"
    samples: int = Field(default=200, ge=1)
    agents: tuple[str, ...] = ()
    settings: dict[str, dict[str, Any]] = Field(default_factory=dict)


class Hardware(Part):
    """Where it runs. ``gpus`` a node; on a CPU it is the number of training processes."""

    device: Literal["cpu", "cuda"] = "cuda"
    gpus: int = Field(default=8, ge=1)
    nodes: int = Field(default=1, ge=1)
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
