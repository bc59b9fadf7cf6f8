"""PPO of Stable-Baselines3 on the structured view: one seed's learning, its policy saved and loaded again.

The library is used as it is; what is said here is the world, the features, and with which decisions a policy begins.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from memgym.extras import require
from memgym.rollout import make_env
from memgym.structured import StructuredMemory, lexicon_of, make_view

from .scripts import Policy

_WHAT = "PPO on the structured view"
_SEEDS = 20260301
"""Where the test episodes' order comes from; no seed of learning is near."""


class PpoRecipe(BaseModel):
    """Everything that determines a run, but for the seeds. Learning is on ``train``, the table on ``test`` samples.

    ``prior`` are the probabilities of skip, create, update and delete, the last two over all slots together, with
    which an untrained policy begins: of uniform decisions almost none is rewarded. The lexicon is that many words, the
    most frequent of ``lexicon_samples`` training samples.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    env: str = "MemGym/Synthetic-tiny"
    options: dict[str, Any] = Field(default_factory=dict)
    reader: str = "rules"
    rounds: int = Field(2, ge=1)
    train: str = "train"
    test: str = "test"
    lexicon: int = Field(48, ge=0)
    lexicon_samples: int = Field(200, ge=1)
    decisions: int = Field(88_000, ge=1)
    envs: int = Field(16, ge=1)
    steps: int = Field(36, ge=2)
    batch: int = Field(144, ge=2)
    epochs: int = Field(8, ge=1)
    learning_rate: float = Field(3e-3, gt=0)
    clip: float = Field(0.3, gt=0)
    gae_lambda: float = Field(0.95, ge=0, le=1)
    entropy: float = Field(0.0, ge=0)
    width: int = Field(64, ge=1)
    prior: tuple[float, float, float, float] = (0.45, 0.4, 0.12, 0.03)


@dataclass(frozen=True, slots=True)
class Learned:
    """What came of one seed. ``rewards`` are those of the training episodes in the order in which they ended.

    ``seconds`` is CPU time of the process from the first environment to the end of learning, without imports.
    """

    seed: int
    model: Any
    lexicon: tuple[str, ...]
    rewards: tuple[float, ...]
    seconds: float


def lexicon(recipe: PpoRecipe) -> tuple[str, ...]:
    """Return the words that the features tell apart, from training samples alone."""
    benchmark = make_env(recipe.env, **{**recipe.options, "split": recipe.train}).benchmark
    ids = benchmark.schedule(np.random.default_rng(0), recipe.lexicon_samples)
    samples = [benchmark.sample(id) for id in ids]
    read = [one.text for sample in samples for one in sample.documents]
    return lexicon_of([*read, *(one.text for sample in samples for one in sample.questions)], recipe.lexicon)


def view(recipe: PpoRecipe, split: str, words: tuple[str, ...], **options: Any) -> StructuredMemory:
    """Return the view that a recipe plays, on one split."""
    options = {**recipe.options, "split": split, **options}
    return make_view(recipe.env, lexicon=words, reader=recipe.reader, rounds=recipe.rounds, **options)


def learn(recipe: PpoRecipe, seed: int, say: Callable[[str], None] = lambda text: None) -> Learned:
    """Learn one policy from scratch, from the reward at the end of each episode alone (no discount, no shaping)."""
    library, torch = require("stable_baselines3", "sb3", _WHAT), require("torch", "sb3", _WHAT)
    batches = require("stable_baselines3.common.vec_env", "sb3", _WHAT)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # networks this small are slower on several
    start = time.process_time()
    words = lexicon(recipe)
    worlds = batches.DummyVecEnv([lambda: view(recipe, recipe.train, words)] * recipe.envs)
    model = library.PPO(
        "MlpPolicy", worlds, seed=seed, device="cpu", gamma=1.0, n_steps=recipe.steps, batch_size=recipe.batch,
        n_epochs=recipe.epochs, learning_rate=recipe.learning_rate, clip_range=recipe.clip,
        gae_lambda=recipe.gae_lambda, ent_coef=recipe.entropy,
        policy_kwargs={"net_arch": [recipe.width, recipe.width]},
    )  # fmt: skip
    begin_with(model, recipe.prior, torch)
    rewards: list[float] = []
    model.learn(recipe.decisions, callback=_watch(rewards, say))
    seconds = time.process_time() - start
    torch.set_num_threads(threads)
    return Learned(seed, model, words, tuple(rewards), seconds)


def begin_with(model: Any, prior: tuple[float, float, float, float], torch: Any) -> None:
    """Set the biases of the decisions so that the untrained policy takes them with about these probabilities."""
    slots = (model.action_space.n - 2) // 2
    each = [*prior[:2], *[prior[2] / slots] * slots, *[prior[3] / slots] * slots]
    with torch.no_grad():
        model.policy.action_net.bias.copy_(torch.log(torch.tensor(each) / sum(each)))


def _watch(rewards: list[float], say: Callable[[str], None]) -> Callable[[dict[str, Any], dict[str, Any]], bool]:
    """Return what the library calls after each step of all environments: it notes the rewards of ended episodes."""
    told = [0]

    def watch(local: dict[str, Any], _: dict[str, Any]) -> bool:
        rewards.extend(float(one) for one in local["rewards"][local["dones"]])
        if len(rewards) - told[0] >= 1000:
            told[0] = len(rewards)
            say(f"{len(rewards)} episodes, reward of the last 500: {np.mean(rewards[-500:]):.3f}")
        return True

    return watch


def decide(model: Any) -> Policy:
    """Return the policy of a model: the most probable decision on the features of now."""
    return lambda seen: int(model.predict(seen.observe(), deterministic=True)[0])


def evaluate(env: StructuredMemory, policy: Policy, episodes: int) -> list[float]:
    """Return the rewards of a policy on samples of the view's split; every policy plays the same ones in one order."""
    inner: Any = env.unwrapped
    ids = inner.benchmark.schedule(np.random.default_rng(_SEEDS), episodes)
    return [_play(env, policy, id, _SEEDS + at) for at, id in enumerate(ids)]


def _play(env: StructuredMemory, policy: Policy, sample: str, seed: int) -> float:
    env.reset(seed=seed, options={"sample": sample})
    while True:
        _, reward, terminated, truncated, _ = env.step(policy(env))
        if terminated or truncated:
            return reward


def save(learned: Learned, recipe: PpoRecipe, folder: Path) -> None:
    """Write the policy as the library's own file, and beside it what its numbers mean."""
    folder.mkdir(parents=True, exist_ok=True)
    learned.model.save(folder / "policy.zip")
    meaning = {"recipe": recipe.model_dump(mode="json"), "seed": learned.seed, "lexicon": list(learned.lexicon)}
    (folder / "policy.json").write_text(json.dumps(meaning, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def load(folder: Path, split: str | None = None, **options: Any) -> tuple[StructuredMemory, Policy]:
    """Return the view (on the test split, if no other is named) and the policy of a folder that ``save`` wrote.

    Like every model of this library the file is unpickled: load only what you trust.
    """
    library = require("stable_baselines3", "sb3", _WHAT)
    said = json.loads((folder / "policy.json").read_text(encoding="utf-8"))
    recipe = PpoRecipe.model_validate(said["recipe"])
    env = view(recipe, split or recipe.test, tuple(said["lexicon"]), **options)
    return env, decide(library.PPO.load(folder / "policy.zip", device="cpu"))
