"""What a run is, as data: read from the command line or YAML, saved resolved beside its results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from memgym import registry
from memgym.agent import Agent
from memgym.contracts import FieldsError
from memgym.records import Episode

from .protocols.isolated import episodes
from .protocols.plan import Plan, Player
from .protocols.protocol import Protocol, make_protocol
from .runner import workers_of

DEFAULT_ENV = "MemGym/Synthetic-100doc"
DEFAULT_OPTIONS: dict[str, Any] = {"questions": 20}
DEFAULT_AGENTS = ("scratchpad-only", "dense-rag", "bm25-rag", "hybrid-rag")


class AgentConfig(BaseModel):
    """One row of the table: an agent by name, its options, and the environment options it plays under."""

    model_config = ConfigDict(extra="forbid")

    agent: str
    label: str = ""
    options: dict[str, Any] = Field(default_factory=dict)
    env_options: dict[str, Any] = Field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.label or self.agent


def without_secrets(options: dict[str, Any]) -> dict[str, Any]:
    """Refuse options that hold a key: a config is saved beside its results and goes into every record."""
    for name in options:
        if any(word in name.lower() for word in ("key", "token", "secret", "password")) and name != "max_tokens":
            raise ValueError(f"{name} would be written into the run folder; set MEMGYM_API_KEY instead.")
    return options


class JudgeConfig(BaseModel):
    """Who judges the answers of a run: a chat model, its options, and how many answers it is asked about at once."""

    model_config = ConfigDict(extra="forbid")

    model: str
    options: dict[str, Any] = Field(default_factory=dict)
    max_tokens: int = Field(default=1024, ge=1)
    concurrency: int = Field(default=16, ge=1)

    @field_validator("model")
    @classmethod
    def _somebody(cls, model: str) -> str:
        """Refuse a model that cannot give a verdict, and a name that nobody has, before anything is played."""
        if model == "none":
            raise ValueError("The model 'none' says nothing, so it judges nothing; give openai:NAME, for instance.")
        registry.model_kind(model)
        return model

    @field_validator("options")
    @classmethod
    def _no_secrets(cls, options: dict[str, Any]) -> dict[str, Any]:
        return without_secrets(options)


class RunConfig(BaseModel):
    """A comparison: every agent plays the same samples from the same seeds, under one protocol.

    ``protocol`` is its name with its knobs; "isolated", the default, begins each episode with an empty memory.
    ``model`` "none" stands for no language model: privileged agents then answer from the key, the others say nothing,
    and only what memory did is scored. ``concurrency`` is episodes at once in one process, ``workers`` how many
    processes, or "ray" or "ray:N" for those of a Ray cluster; neither changes a record.
    ``bounds``: a run that starts gets the rows that show where the scale begins and ends (no-memory, random,
    full-context, oracle), as far as they can play; ``left_out`` says why the others cannot.
    """

    model_config = ConfigDict(extra="forbid")

    env: str = DEFAULT_ENV
    env_options: dict[str, Any] = Field(default_factory=dict)
    agents: list[AgentConfig] = Field(default_factory=lambda: [AgentConfig(agent=name) for name in DEFAULT_AGENTS])
    model: str = ""
    model_options: dict[str, Any] = Field(default_factory=dict)
    protocol: dict[str, Any] = Field(default_factory=lambda: {"name": "isolated"})
    episodes: int = Field(default=20, ge=1)
    seed: int = Field(default=0, ge=0)
    workers: int | str = 1
    concurrency: int = Field(default=8, ge=1)
    bounds: bool = True
    left_out: dict[str, str] = Field(default_factory=dict)
    judge: JudgeConfig | None = None

    @model_validator(mode="after")
    def _name_the_model(self) -> RunConfig:
        """No model named: the ``rules`` reader on a synthetic benchmark, which it can read, and "none" elsewhere."""
        if not self.model:
            benchmark = registry.load("benchmark", registry.environment(self.env)["benchmark"])
            self.model = "rules" if benchmark.synthetic else "none"
        return self

    @field_validator("model_options")
    @classmethod
    def _no_secrets(cls, options: dict[str, Any]) -> dict[str, Any]:
        return without_secrets(options)

    @field_validator("workers")
    @classmethod
    def _known_workers(cls, workers: int | str) -> int | str:
        return workers_of(workers)

    @field_validator("protocol", mode="before")
    @classmethod
    def _resolve(cls, protocol: Any) -> dict[str, Any]:
        """Name every knob, so that a saved config says all."""
        return make_protocol(protocol).to_json()

    @property
    def scheduler(self) -> Protocol:
        """The protocol of this run."""
        return make_protocol(self.protocol)

    def save(self, path: Path) -> None:
        path.write_text(yaml.safe_dump(self.model_dump(), sort_keys=False, allow_unicode=True), encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> RunConfig:
        """Read a saved config; a file that is none is a ValueError (pydantic names the field)."""
        try:
            said = yaml.safe_load(path.read_text(encoding="utf-8"))
        except yaml.YAMLError as error:
            raise ValueError(f"{path} is not YAML: {' '.join(str(error).split())}") from None
        if not isinstance(said, dict):
            raise ValueError(
                f"{path} holds no run; names with values were expected, for instance 'env: {DEFAULT_ENV}'."
            )
        return cls.model_validate(said)


def plan_of(config: RunConfig) -> Plan:
    """Return what the run's protocol schedules from; what it cannot be scheduled from is an error here.

    The names of environment, agents, model and data are all looked up here, before anything is played.
    """
    names = [agent.name for agent in config.agents]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"Two agents are called {name!r}; give one of them a label, in a run as YAML (--config).")
    players = tuple(player_of(config, agent) for agent in config.agents)
    plan = Plan(config.env, players, config.episodes, config.seed, config.env_options)
    config.scheduler.check(plan)
    for agent in config.agents:
        if why := refusal(config, plan, agent):
            told = f"The agent {agent.name!r} cannot play {plan.benchmark.name}: {why}."
            raise FieldsError(f"{told} Name others with --agent; `memgym list agents` shows all.")
    return plan


def schedule(config: RunConfig) -> list[Episode]:
    """Return every episode of a run in which each is by itself (the protocol "isolated")."""
    return episodes(plan_of(config))


def built(agent: AgentConfig) -> Agent:
    """Build an agent without its model, so that options which do not fit are an error before anything is played."""
    try:
        return registry.make_agent(agent.agent, model=registry.make_model("none"), **agent.options)
    except registry.UnknownOptionError:
        raise
    except TypeError as error:
        raise ValueError(f"The options {agent.options} do not fit the agent {agent.agent!r}: {error}") from error


def _needs(agent: AgentConfig) -> dict[str, Any]:
    """Return the environment options that an agent asks for (a memory system: its backend's); what a user says wins."""
    return dict(getattr(built(agent), "needs", {}))


def refusal(config: RunConfig, plan: Plan, agent: AgentConfig) -> str:
    """Return why an agent would certainly fail every episode, on this benchmark or with this model; else ""."""
    try:
        built(agent).check(frozenset(plan.benchmark.provides))
    except ValueError as refused:
        return str(refused)
    model = registry.load("model", registry.model_kind(config.model))
    asked = set(getattr(registry.load("agent", agent.agent), "asks", ()))
    if hasattr(model, "kinds") and (unanswered := sorted(asked - model.kinds())):
        return f"the model {config.model!r} is no language model and does not answer {', '.join(unanswered)}"
    return ""


def player_of(config: RunConfig, agent: AgentConfig) -> Player:
    made = registry.load("agent", agent.agent)
    asks = "model" in registry.parameters(made) and not (config.model == "none" and made.privileged)
    return Player(
        name=agent.name,
        agent=agent.agent,
        env_options={**_needs(agent), **config.env_options, **agent.env_options},
        agent_options=agent.options,
        model=config.model if asks else None,
        model_options=config.model_options if asks else {},
    )
