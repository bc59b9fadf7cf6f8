"""Ablations: each a recipe with one thing changed, trained from its start."""
