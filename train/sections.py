"""Sections of a recipe that say what is learned, by whom and for what: world, data, agent, model, warm start, reward.

Separate from how it is optimised and on what it runs (``recipe``), so that each file can be read at once.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from memgym import registry
from memgym.masks import allowed

Share = Field(default=0.0, ge=0, le=1)


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
    """The policy: a folder, a Hugging Face id, or "tiny" or "smollm2", made from ``options`` (docs/policies.md).

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
