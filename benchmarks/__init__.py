"""Speed and memory, as ratios against a peer in the same process. ``python -m benchmarks`` runs the quick ones."""
