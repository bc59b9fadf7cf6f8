"""What a policy would have seen where a recorded agent acted: the same episode again, prompt by prompt.

The hall's rollout plays it, with the policy's own agent and a model that says what the record says; so a warm start
shows the policy exactly the prompts that it will get.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memgym.model import ModelError, Reply, Request
from memgym.records import EpisodeRecord
from memgym.rollout import Cast, rollout

_SCRIPT = "script"


@dataclass(frozen=True, slots=True)
class Demonstration:
    """One step: what a policy would have been asked, and what the recorded agent did."""

    request: Request
    reply: str


class _Script:
    """A chat model that says what it was given, in order, and keeps what it was asked."""

    name = _SCRIPT

    def __init__(self) -> None:
        self.say: Sequence[str] = ()
        self.kept: list[Demonstration] = []

    async def chat(self, request: Request) -> Reply:
        if len(self.kept) >= len(self.say):
            raise ModelError(f"Only {len(self.say)} replies were recorded: the agent asks more than once a step.")
        reply = self.say[len(self.kept)]
        self.kept.append(Demonstration(request, reply))
        return Reply(reply)


def demonstrations(
    records: Iterable[EpisodeRecord], agent: str, options: Mapping[str, Any]
) -> Iterator[list[Demonstration]]:
    """Yield the steps of each record as ``agent`` would have seen them; one that comes out otherwise is a ValueError.

    ``agent`` has to call its model once a step and return its reply, as "llm" does.
    """
    script = _Script()
    cast = Cast({_SCRIPT: script})
    for record in records:
        script.say, script.kept = [step.action for step in record.steps], []
        again = asyncio.run(rollout(_played_by(record, agent, options), cast))
        if again.error is not None or [step.observation for step in again.steps] != [
            one.observation for one in record.steps
        ]:
            raise ValueError(
                f"The episode {record.episode.id!r} came out otherwise with the agent {agent!r}: "
                f"{again.error or 'it saw something else'}."
            )
        yield script.kept


def _played_by(record: EpisodeRecord, agent: str, options: Mapping[str, Any]) -> Any:
    return replace(record.episode, agent=agent, agent_options=dict(options), model=_SCRIPT, model_options={})
