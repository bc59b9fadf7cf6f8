"""The tokenizer of a tiny policy: trained on text of the environment that it will play, and kept with its checkpoint.

Separate from the network: a vocabulary that is trained anew would change what every stored weight means.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memgym.dialects.names import NAMES
from memgym.extras import require
from memgym.records import Episode
from memgym.rollout import play

from ..demonstrations import demonstrations

PAD, END, BEGIN, REPLY = "<|pad|>", "<|end|>", "<|begin|>", "<|reply|>"
SPECIAL = (PAD, END, BEGIN, REPLY)
_PIECES = r" ?[\p{L}\p{N}]+| ?[^\p{L}\p{N}\s]|\s"
_TEMPLATE = (
    "{{ '" + BEGIN + "' }}{% for message in messages %}{% if message['content'] %}"
    "{% if message['role'] == 'assistant' %}{{ '" + REPLY + "' + message['content'] + '" + END + "' }}"
    "{% else %}{{ message['content'] }}{% endif %}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}{{ '" + REPLY + "' }}{% endif %}"
)


def make_tokenizer(texts: Iterator[str], vocabulary: int) -> Any:
    """Return a byte-level BPE tokenizer of at most ``vocabulary`` tokens, trained on ``texts``.

    The tags of the XML dialect are single tokens, words take their leading space, and any text at all can be encoded.
    The chat template adds one token before a conversation and one before a reply, and nothing else.
    """
    tokenizers = require("tokenizers", "train", "Making a tokenizer")
    transformers = require("transformers", "train", "Making a tokenizer")
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    before = tokenizers.pre_tokenizers
    made.pre_tokenizer = before.Sequence(
        [
            before.Split(tokenizers.Regex(_PIECES), behavior="isolated"),
            before.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    made.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=list(SPECIAL),
        initial_alphabet=sorted(before.ByteLevel.alphabet()),
        show_progress=False,
    )
    made.train_from_iterator(_without_tags(texts), trainer)
    made.add_tokens([tokenizers.AddedToken(tag, normalized=False) for tag in tags()])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token=PAD, eos_token=END, bos_token=BEGIN, additional_special_tokens=[REPLY],
        chat_template=_TEMPLATE, clean_up_tokenization_spaces=False, padding_side="left",
    )  # fmt: skip


def tags() -> list[str]:
    """Return the tags of the XML dialect as its tokens, in a fixed order."""
    named = {"update", "delete"}
    opened = [f"<{NAMES[kind]}>" for kind in NAMES if kind not in named and kind not in ("advance", "link", "evolve")]
    closed = [f"</{NAMES[kind]}>" for kind in NAMES if kind not in ("delete", "advance", "link", "evolve")]
    return [*opened, *(f'<{NAMES[kind]} id="' for kind in sorted(named)), '">', '"/>', *closed, "<advance/>"]


def _without_tags(texts: Iterator[str]) -> Iterator[str]:
    tag = re.compile("|".join(map(re.escape, tags())))
    for text in texts:
        yield tag.sub("\n", text)


def world_text(
    env: str, options: Mapping[str, Any], agent: Mapping[str, Any], teacher: str, episodes: int, seed: int
) -> Iterator[str]:
    """Yield what the agent "llm" with the options ``agent`` is shown in episodes of a teacher, and what that writes."""
    played = play([Episode(f"text/{at}", env, teacher, seed + at, options=dict(options)) for at in range(episodes)])
    for steps in demonstrations(played, "llm", agent):
        for step in steps:
            yield from (message.content for message in step.request.messages)
            yield step.reply
