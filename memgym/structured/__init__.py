"""The structured view: one decision a sentence as a number, for learners that know neither text nor operations.

Apart from the wrappers, because it decides what an agent sees (hand-made features) and who answers (a given reader).
"""

from __future__ import annotations

from memgym.structured.features import FEATURES, SLOT_FEATURES, Features, lexicon_of
from memgym.structured.view import StructuredMemory, make_view, sentences

__all__ = ["FEATURES", "SLOT_FEATURES", "Features", "StructuredMemory", "lexicon_of", "make_view", "sentences"]
