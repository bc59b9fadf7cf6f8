"""A policy without a network for tests of training: a tokenizer of single characters, and replies said beforehand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memgym.records import Episode, EpisodeRecord
from memgym.rollout import Cast, rollout
from memgym.train.segments import Generated, Sampling, SegmentModel

END = 0x110000
"""The end token; every other id is a character."""
LOGPROB = -0.5


class Letters:
    """Each character is a token; the chat template writes "role:content" and a bar after each message."""

    chat_template = "letters"
    eos_token_id = END

    def apply_chat_template(self, messages: Sequence[Mapping[str, str]], **_: Any) -> str:
        return "".join(f"{one['role']}:{one['content']}|" for one in messages)

    def __call__(self, text: str, **_: Any) -> dict[str, list[int]]:
        return {"input_ids": [ord(letter) for letter in text]}

    def decode(self, ids: Iterable[int], **_: Any) -> str:
        return "".join(chr(one) for one in ids if one != END)


class Script:
    """Generates its texts one after another, each with the end token; an exception among them is raised.

    ``prompts`` and ``samplings`` are what it was asked with.
    """

    def __init__(self, *says: str | Exception) -> None:
        self._says = list(says)
        self.prompts: list[list[int]] = []
        self.samplings: list[Sampling] = []

    async def __call__(self, prompt_ids: Sequence[int], sampling: Sampling) -> Generated:
        said = self._says[len(self.prompts)]
        self.prompts.append(list(prompt_ids))
        self.samplings.append(sampling)
        if isinstance(said, Exception):
            raise said
        ids = [*(ord(letter) for letter in said), END]
        return Generated(ids, [LOGPROB] * len(ids))


def segment_model(script: Script, **options: Any) -> SegmentModel:
    return SegmentModel(Letters(), script, **{"prompt_tokens": 100_000, "response_tokens": 1000, **options})


async def played(script: Script, episode: Episode, **options: Any) -> tuple[EpisodeRecord, SegmentModel]:
    """Play an episode with what a script says; return its record and the model with its segments."""
    model = segment_model(script, **options)
    return await rollout(episode, Cast(), model), model
