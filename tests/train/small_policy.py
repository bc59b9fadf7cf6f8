"""A tiny causal language model with random weights and a tokenizer of bytes, for tests of training."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

TEMPLATE = (
    "{% for m in messages %}<|start|>{{ m['role'] }}\n{{ m['content'] }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|start|>assistant\n{% endif %}"
)
NEEDED = "needs the extra [train]"


def tokenizer() -> Any:
    tokenizers = pytest.importorskip("tokenizers", reason=NEEDED)
    transformers = pytest.importorskip("transformers", reason=NEEDED)
    parts = ["<|pad|>", "<|start|>", "<|end|>", *sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())]
    made = tokenizers.Tokenizer(tokenizers.models.BPE(vocab={part: at for at, part in enumerate(parts)}, merges=[]))
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    words = transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="<|pad|>", eos_token="<|end|>", additional_special_tokens=["<|start|>"]
    )
    words.chat_template = TEMPLATE
    return words


def network(words: Any, *, seed: int = 0, heads: int = 4, groups: int = 2) -> Any:
    """Return a model of 2 layers; its weights are large enough that what it says depends on what it reads."""
    torch = pytest.importorskip("torch", reason=NEEDED)
    transformers = pytest.importorskip("transformers", reason=NEEDED)
    settings = transformers.LlamaConfig(
        vocab_size=len(words), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=heads,
        num_key_value_heads=groups, max_position_embeddings=4096, tie_word_embeddings=True, initializer_range=0.2,
        pad_token_id=words.pad_token_id, eos_token_id=words.eos_token_id, bos_token_id=None,
    )  # fmt: skip
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return transformers.LlamaForCausalLM(settings).eval()


def save_policy(folder: Path) -> Path:
    words = tokenizer()
    words.save_pretrained(folder)
    network(words).save_pretrained(folder)
    return folder
