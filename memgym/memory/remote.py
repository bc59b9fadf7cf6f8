"""Vectors from a server that speaks OpenAI's embeddings endpoint: OpenAI, vLLM, llama.cpp, Ollama, TEI.

Separate because it alone talks over a network: batches, retries, and answers that must be checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from memgym.memory.encoders import Vectors, filled, fingerprint, unit

PROBE = "dimension"


class OpenAIEncoder:
    """An embedding model behind an OpenAI-compatible endpoint.

    The dimension is what the server answers to one short text when the encoder is made, and each later answer is
    checked against it. ``dimensions`` asks the server for shorter vectors, where the model can. ``query_instruction``
    stands before queries, verbatim, and nothing before documents. ``api_key`` None takes OPENAI_API_KEY; a server of
    your own that wants none takes any text. ``retries`` are the client's own, with growing waits. The weights are the
    server's business, so the fingerprint holds the model's name only.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        dimensions: int | None = None,
        query_instruction: str = "",
        batch: int = 128,
        retries: int = 4,
        timeout: float = 120.0,
    ) -> None:
        if batch < 1:
            raise ValueError(f"A batch holds 1 text or more, not {batch!r}.")
        from openai import OpenAI

        self._client = OpenAI(base_url=base_url, api_key=api_key, max_retries=retries, timeout=timeout)
        self._extra: dict[str, Any] = {} if dimensions is None else {"dimensions": dimensions}
        self.model, self.query_instruction, self.batch = model, query_instruction, batch
        self.name = f"openai:{model}"
        self.sided = bool(query_instruction)
        self.dimension = dimensions or 0
        self.dimension = self._request([PROBE]).shape[1]
        self.fingerprint = fingerprint(self.name, self.dimension, query_instruction)

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Return float32 [n, dimension] of unit rows; a blank text is a zero row and is not sent."""
        prefix = self.query_instruction if query else ""
        return filled(texts, self.dimension, lambda some: self._encode([prefix + text for text in some]))

    def _encode(self, texts: list[str]) -> Vectors:
        batches = (texts[at : at + self.batch] for at in range(0, len(texts), self.batch))
        return np.concatenate([self._request(batch) for batch in batches])

    def _request(self, texts: list[str]) -> Vectors:
        reply = self._client.embeddings.create(model=self.model, input=texts, encoding_format="float", **self._extra)
        rows = [one.embedding for one in sorted(reply.data, key=lambda one: one.index)]
        if len(rows) != len(texts):
            raise ValueError(f"The server answered {len(rows)} vectors to {len(texts)} texts for model {self.model!r}.")
        sizes = {len(row) for row in rows}
        expected = self.dimension or len(rows[0])
        if sizes != {expected} or not expected:
            raise ValueError(
                f"The server answered vectors of dimension {sorted(sizes)} for {self.model!r}, expected {expected}. "
                "Has the model behind this name changed? Make a new encoder, and a new memory for its vectors; "
                "if you asked for `dimensions`, leave it out for a model that cannot shorten its vectors."
            )
        return unit(np.array(rows))
