"""Policies that need no hub: tiny ones made from a seed, and a real one from the file that a package brings."""

from __future__ import annotations

from .making import make_policy

__all__ = ["make_policy"]
