"""A tiny policy as a Hugging Face folder: a stock architecture, initialised from a seed, with its tokenizer.

Short convolutions before attention (LFM2) let a layer see what the previous words were, so that copying a name's fact
is learned after about a million tokens; two layers of plain attention with as many weights had not learned it by then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memgym.extras import require

from .tokens import make_tokenizer, world_text

LAYERS = ("conv", "full_attention", "conv", "full_attention")
_WHAT = ("train", "A tiny policy")


def make_policy(
    folder: Path,
    *,
    seed: int = 0,
    env: str = "MemGym/Whereabouts",
    options: Mapping[str, Any] | None = None,
    agent: Mapping[str, Any] | None = None,
    teacher: str = "undirected",
    episodes: int = 300,
    vocabulary: int = 768,
    width: int = 96,
    heads: int = 4,
    layers: Sequence[str] = LAYERS,
    context: int = 512,
    embedding: float = 0.5,
    weights: float = 0.05,
) -> None:
    """Write a new policy into ``folder``, which ``AutoModelForCausalLM`` and ``AutoTokenizer`` load.

    Args:
        seed: Of the weights and of the text on which the tokenizer is trained.
        env, options: The world whose text that is, of its split "train" unless ``options`` say otherwise.
        agent: Options of the agent "llm" that will play; its prompts are part of the text. None: the compact prompt.
        teacher: The agent that plays these ``episodes``.
        vocabulary: Most tokens, besides those of the dialect's tags.
        width, heads, layers, context: The size of the network: LFM2, with layers "conv" and "full_attention".
        embedding, weights: Standard deviations at the start. Small embeddings are drowned by what the layers add.
    """
    torch, transformers = require("torch", *_WHAT), require("transformers", *_WHAT)
    said = {"prompt": "compact"} if agent is None else dict(agent)
    text = world_text(env, {"split": "train"} if options is None else options, said, teacher, episodes, seed)
    tokenizer = make_tokenizer(text, vocabulary)
    config = transformers.Lfm2Config(
        vocab_size=len(tokenizer), hidden_size=width, intermediate_size=2 * width, num_attention_heads=heads,
        num_key_value_heads=heads, num_hidden_layers=len(layers), layer_types=list(layers), conv_L_cache=3,
        block_auto_adjust_ff_dim=False, max_position_embeddings=context, tie_word_embeddings=False,
        initializer_range=weights, rope_parameters={"rope_type": "default", "rope_theta": 10000.0},
        pad_token_id=tokenizer.pad_token_id, bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id,
    )  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = transformers.Lfm2ForCausalLM(config)
        with torch.no_grad():
            network.get_input_embeddings().weight.normal_(0.0, embedding)
    network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
