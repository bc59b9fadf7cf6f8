"""Tiny policies: causal language models of about a million parameters or less, made from a seed, with no download."""

from __future__ import annotations

from .making import make_policy

__all__ = ["make_policy"]
