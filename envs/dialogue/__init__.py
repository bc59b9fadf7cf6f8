"""The embedded conversation world ``SyntheticDialogue``: invented people talk over dated sessions, and change.

What is asked was said, or was never said: whoever listens can tell, and nobody else can.
"""

from __future__ import annotations

from .benchmark import SyntheticDialogue
from .validation import validate

__all__ = ["SyntheticDialogue", "validate"]
