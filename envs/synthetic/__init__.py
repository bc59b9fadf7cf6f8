"""The embedded procedural world ``Synthetic`` and its reader, the chat model "rules"; both share one language.

What a sample holds is invented and complete: whoever reads the documents can answer, and nobody else can.
"""

from __future__ import annotations

from .benchmark import Synthetic
from .validation import validate

__all__ = ["Synthetic", "validate"]
