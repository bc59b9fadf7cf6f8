"""The agent loop with a stub in place of verl's servers: outputs, masks, rewards, seeds, and what fails."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from types import SimpleNamespace
from typing import Any

import pytest
from scripted_policy import END, Letters
from small_policy import NEEDED
from small_world import colours

from memgym.records import Episode

pytest.importorskip("verl", reason=NEEDED)

READ, ANSWER = "<create_memory>The colour of thing 0 is red.</create_memory>", "<answer>red</answer>"
OPTIONS = {"advance": "always", "things": 2}


@pytest.fixture(autouse=True, scope="module")
def world() -> Iterator[None]:
    with colours():
        yield


class Servers:
    """Says READ while it is shown a document and ANSWER when it is asked; ``wrong`` may raise instead."""

    def __init__(self, wrong: Callable[[int], None] = lambda call: None, version: int = 7) -> None:
        self.params: list[dict[str, Any]] = []
        self._wrong, self._version = wrong, version

    async def generate(self, request_id: str, *, prompt_ids: list[int], sampling_params: dict[str, Any]) -> Any:
        self.params.append(sampling_params)
        self._wrong(len(self.params))
        text = ANSWER if "What is the colour" in Letters().decode(prompt_ids).rpartition("Present input")[2] else READ
        ids = [*map(ord, text), END]
        return SimpleNamespace(
            token_ids=ids, log_probs=[-0.1] * len(ids), stop_reason="completed",
            extra_fields={"global_steps": self._version},
        )  # fmt: skip


def loop(servers: Servers, **options: Any) -> Any:
    """Build the loop without verl's constructor, which wants a real tokenizer and model."""
    from memgym.train.rewards import Reward
    from memgym.train.verl.agent_loop import MemGymAgentLoop

    made = MemGymAgentLoop.__new__(MemGymAgentLoop)
    made.tokenizer, made.server_manager = Letters(), servers
    made.rollout_config = SimpleNamespace(prompt_length=options.pop("prompt_length", 10_000), response_length=500)
    made.data_config = {}
    made._reward, made._strict, made._seeded = Reward(), options.pop("strict", False), options.pop("seeded", True)
    return made


def run(servers: Servers, *, member: int = 0, step: int = 3, seed: int = 11, **options: Any) -> list[Any]:
    episode = Episode("e", "Colours", "llm", seed, "s0", OPTIONS, {"max_tokens": 200})
    row = {"extra_info": {"index": 0, "episode": json.dumps(asdict(episode))}, "session_id": member}

    async def play() -> list[Any]:
        made = loop(servers, **options)
        made._main = asyncio.get_running_loop()
        return list(await made.run({"temperature": 1.0, "top_p": 1.0}, **row, global_steps=step))

    return asyncio.run(play())


def gone(call: int) -> None:
    raise RuntimeError("server gone")


def gone_at_second(call: int) -> None:
    if call == 2:
        gone(call)


def test_an_episode_is_one_output_a_step_with_the_reward_at_the_last() -> None:
    got = run(Servers())

    assert [one.response_ids for one in got] == [[*map(ord, READ), END]] * 2 + [[*map(ord, ANSWER), END]]
    assert [one.response_mask for one in got] == [[1] * len(one.response_ids) for one in got]
    assert [one.reward_score for one in got] == [None, None, 1.0]
    assert [one.num_turns for one in got] == [1, 2, 3]


def test_outputs_say_which_weights_wrote_them() -> None:
    fields = [one.extra_fields for one in run(Servers(version=7))]

    assert {(one["min_global_steps"], one["max_global_steps"]) for one in fields} == {(7, 7)}


def test_the_last_output_carries_the_measures_and_verl_gets_them_for_validation() -> None:
    last = run(Servers())[-1].extra_fields

    assert last["measures"]["operations/create"] == pytest.approx(2 / 3)
    assert last["measures"]["reward"] == 1.0
    assert "reward" not in last["reward_extra_info"]
    assert last["reward_extra_info"]["memory/final"] == last["measures"]["memory/final"]


def test_a_failed_episode_returns_its_real_outputs_with_reward_nothing() -> None:
    got = run(Servers(gone_at_second))

    assert [one.reward_score for one in got] == [0.0]
    assert got[0].response_mask == [1] * len(got[0].response_ids)
    assert got[0].extra_fields["measures"]["failed"] == 1


def test_one_that_fails_before_anything_was_written_is_one_masked_output() -> None:
    [got] = run(Servers(gone))

    assert (got.response_mask, got.reward_score) == ([0], 0.0)
    assert got.extra_fields["min_global_steps"] == 3


def test_an_over_long_prompt_fails_a_strict_episode_and_is_cut_and_counted_elsewhere() -> None:
    [strict] = run(Servers(), prompt_length=300, strict=True)
    cut = run(Servers(), prompt_length=300)

    assert strict.response_mask == [0]
    assert max(len(one.prompt_ids) for one in cut) == 300
    assert cut[-1].extra_fields["measures"]["truncated"] == len(cut)


def test_members_of_a_group_differ_by_their_seeds_only() -> None:
    first, same, other, later = Servers(), Servers(), Servers(), Servers()
    got = [run(first), run(same), run(other, member=1), run(later, step=4)]
    seeds = [[one["seed"] for one in servers.params] for servers in (first, same, other, later)]

    assert seeds[0] == seeds[1]
    assert len({seed for listed in (seeds[0], seeds[2], seeds[3]) for seed in listed}) == 9
    assert len({tuple(one.prompt_ids) for outputs in got for one in outputs[:1]}) == 1


def test_engines_of_gpus_get_no_seed() -> None:
    servers = Servers()
    run(servers, seeded=False)

    assert all("seed" not in one for one in servers.params)
