"""Speed and memory, as ratios against a peer in the same process. ``python -m benchmarks`` runs the quick ones."""

PARTS = (
    "frameworks", "steps", "acting", "episodes", "rollouts", "stores", "lockstep", "text", "journal", "scale",
)  # fmt: skip
"""The modules that ``python -m benchmarks`` runs; each has ``rows(full)``."""
