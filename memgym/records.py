"""What happened, as JSON Lines: one episode a line, every step in it, no clock and no machine in it.

A record holds what is needed to play it again (``memgym.replay``), and what a score needs without playing it again.
Observations are kept as digests: a replay makes the texts anew and proves by the digest that they are the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from memgym.model import Usage
from memgym.operations import Result, Status
from memgym.task import Outcome

SCHEMA = 1
NO_USAGE = Usage()


@dataclass(frozen=True, slots=True)
class Episode:
    """One episode to play, as plain data: who plays what, from which seed and which memory.

    ``options`` are the environment's beyond its id, ``memory`` the starting memory as ``Memory.to_json`` gives it
    (None: empty), ``tags`` what a protocol says of it ("phase": "test"). Members of a group share everything but
    ``member``, which moves the agent's random stream and nothing else. Two episodes with equal fields play equally.

    ``after`` is the id of an episode whose memory this one starts with, in place of ``memory``: a record then need not
    hold the memory. ``part`` is the part of the sample's task that is played (see ``memgym.parts``); empty: all of it.
    """

    id: str
    env: str
    agent: str
    seed: int
    sample: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    agent_options: Mapping[str, Any] = field(default_factory=dict)
    model: str | None = None
    model_options: Mapping[str, Any] = field(default_factory=dict)
    memory: Mapping[str, Any] | None = None
    frozen: bool = False
    member: int = 0
    tags: Mapping[str, str] = field(default_factory=dict)
    after: str | None = None
    part: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One step: what the agent wrote, how each part of it ended, what was then observed, and what the model cost.

    ``tokens`` counts the observation that follows and the action, by the core's tokenizer (cl100k).
    ``shown`` are the ids of the entries read; ``observation`` is the digest of the observation's texts.
    """

    action: str
    results: tuple[Result, ...]
    shown: tuple[str, ...]
    observation: str
    reward: float
    size: int
    tokens: tuple[int, int]
    usage: Usage = NO_USAGE

    def to_json(self) -> dict[str, Any]:
        return {
            "action": self.action,
            "results": [_result(one) for one in self.results],
            "shown": list(self.shown),
            "observation": self.observation,
            "reward": self.reward,
            "size": self.size,
            "tokens": list(self.tokens),
            "usage": {name: value for name, value in asdict(self.usage).items() if value},
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> StepRecord:
        results = tuple(
            _result_of(one["operation"], one["status"], tuple(one.get("ids", ())), one.get("reason", ""))
            for one in data["results"]
        )
        usage = data["usage"]
        return cls(
            data["action"], results, tuple(data["shown"]), data["observation"], data["reward"], data["size"],
            (data["tokens"][0], data["tokens"][1]), NO_USAGE if usage == {} else Usage(**usage),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class EpisodeRecord:
    """One episode as it went. ``error`` is set where it could not be played to the end; it then has no outcome.

    ``setting`` is everything that made it beyond the Episode: resolved options, the data's checksum, versions, which
    retrieval ran. ``start`` is the digest of the first observation, ``memory`` that of the memory at the end.
    """

    episode: Episode
    sample: str
    group: str
    start: str
    start_tokens: int
    steps: tuple[StepRecord, ...]
    outcome: Outcome | None
    terminated: bool
    truncated: bool
    memory: str
    setting: Mapping[str, Any]
    privileged: bool = False
    error: str | None = None

    @property
    def usage(self) -> Usage:
        """What all model calls of the episode cost together."""
        return sum((step.usage for step in self.steps if step.usage is not NO_USAGE), Usage())

    def to_json(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "episode": asdict(self.episode),
            "sample": self.sample,
            "group": self.group,
            "start": self.start,
            "start_tokens": self.start_tokens,
            "steps": [step.to_json() for step in self.steps],
            "outcome": None if self.outcome is None else _outcome(self.outcome),
            "terminated": self.terminated,
            "truncated": self.truncated,
            "memory": self.memory,
            "setting": dict(self.setting),
            "privileged": self.privileged,
            "error": self.error,
        }

    def line(self) -> str:
        """Return the record as one line of JSON; non-ASCII is escaped, so that any text survives any tool."""
        return json.dumps(self.to_json(), separators=(",", ":"))

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> EpisodeRecord:
        if data.get("schema") != SCHEMA:
            raise ValueError(f"This record has schema {data.get('schema')!r}; this version reads {SCHEMA}.")
        outcome = data["outcome"]
        return cls(
            Episode(**data["episode"]), data["sample"], data["group"], data["start"], data["start_tokens"],
            tuple(StepRecord.from_json(one) for one in data["steps"]),
            None if outcome is None else Outcome(
                outcome["reward"], outcome["metrics"], tuple(outcome["predictions"]),
                tuple(tuple(one) for one in outcome["references"]), tuple(outcome.get("scored_by", ())),
                tuple(outcome.get("categories", ())), tuple(outcome.get("stored", ())),
                tuple(outcome.get("shown", ())), tuple(outcome.get("questions", ())), tuple(outcome.get("judged", ())),
            ),
            data["terminated"], data["truncated"], data["memory"], data["setting"], data["privileged"], data["error"],
        )  # fmt: skip


@lru_cache(maxsize=16_384)
def _result_of(operation: str, status: str, ids: tuple[str, ...], reason: str) -> Result:
    # Most results are like one before; making each anew is a third of the time of reading a large file.
    return Result(operation, Status(status), ids, reason)


def digest(texts: Mapping[str, str]) -> str:
    """Return a short hash of an observation; the same text gives the same hash on any machine."""
    state = hashlib.blake2b(digest_size=8)
    for name, text in texts.items():
        data = text.encode("utf-8", "surrogatepass")
        state.update(f"{name}:{len(data)}:".encode())
        state.update(data)
    return state.hexdigest()


def read_records(path: str | Path) -> Iterator[EpisodeRecord]:
    """Yield the records of a file. A broken last line (a killed run) is left out; any other is a ValueError."""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                record = EpisodeRecord.from_json(json.loads(line))
            except (ValueError, LookupError, TypeError, AttributeError) as broken:
                if isinstance(broken, json.JSONDecodeError) and not line.endswith("\n"):
                    return
                raise ValueError(f"{path}, line {number} is not a record: {broken}") from broken
            yield record


def _result(result: Result) -> dict[str, Any]:
    data: dict[str, Any] = {"operation": result.operation, "status": str(result.status)}
    if result.ids:
        data["ids"] = list(result.ids)
    if result.reason:
        data["reason"] = result.reason
    return data


def _outcome(outcome: Outcome) -> dict[str, Any]:
    data = {
        "reward": outcome.reward,
        "metrics": dict(outcome.metrics),
        "predictions": list(outcome.predictions),
        "references": [list(one) for one in outcome.references],
    }
    if outcome.scored_by:
        data["scored_by"] = list(outcome.scored_by)
    if outcome.categories:
        data["categories"] = list(outcome.categories)
    if outcome.shown:
        data |= {"stored": list(outcome.stored), "shown": list(outcome.shown)}
    if outcome.questions:
        data["questions"] = list(outcome.questions)
    if outcome.judged:
        data["judged"] = list(outcome.judged)
    return data
