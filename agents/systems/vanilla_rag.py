"""Vanilla RAG as a memory system: passages as they come, read by meaning. The plain pipeline that the others refine.

It is made of built-in parts only; the agents ``bm25-rag``, ``dense-rag`` and ``hybrid-rag`` do the same in fewer steps.
There is no paper to deviate from: a read returns as many passages as the environment says (6).
"""

from __future__ import annotations

from typing import ClassVar

from ..lifecycle.system import MemorySystem


class VanillaRag(MemorySystem):
    """Passages as they come, read by meaning."""

    name = "vanilla-rag"
    system: ClassVar = {
        "formation": "passage.formation",
        "backend": "vector.backend",
        "evolution": "none.evolution",
        "retrieval": "dense.retrieval",
        "utilization": "prompt.utilization",
    }
