"""Where the entries of memories lie: their vectors, two pictures of them, and how well a grouping separates.

A picture in two dimensions shows groups that are not there; the silhouette of the vectors themselves, beside that of
shuffled groups, says what there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memgym.extras import require
from memgym.memory.encoders import make_encoder

SHUFFLES = 100
SEED = 20260101

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Separation:
    """The mean silhouette of a grouping, and the range in which 95 % of shuffled groupings lie. NaN: undefined."""

    silhouette: float
    low: float
    high: float


def vectors(texts: Sequence[str], encoder: str) -> Floats:
    """Return one vector of length 1 a text; each different text is encoded once."""
    distinct = list(dict.fromkeys(texts))
    made = np.asarray(make_encoder(encoder).encode(distinct), np.float64)
    made /= np.maximum(np.linalg.norm(made, axis=1, keepdims=True), 1e-12)
    place = {text: at for at, text in enumerate(distinct)}
    found: Floats = made[[place[text] for text in texts]]
    return found


def pca(data: Floats) -> tuple[Floats, tuple[float, float]]:
    """Return the first two principal components of each row, and the share of variance that each explains."""
    centred = data - data.mean(axis=0)
    left, sizes, axes = np.linalg.svd(centred, full_matrices=False)
    total = float((sizes**2).sum())
    kept = np.zeros((len(data), 2))
    kept[:, : min(2, len(sizes))] = (left * sizes)[:, :2]
    # A component may point either way: let its largest loading be positive, so that any machine draws the same.
    for at in range(min(2, len(sizes))):
        kept[:, at] *= np.sign(axes[at][np.argmax(np.abs(axes[at]))]) or 1.0
    shares = [float(size**2) / total if total else 0.0 for size in sizes[:2]]
    return kept, (shares[0] if shares else 0.0, shares[1] if len(shares) > 1 else 0.0)


def tsne(data: Floats, seed: int = SEED) -> Floats:
    """Return t-SNE's two dimensions (van der Maaten and Hinton 2008), begun from PCA; needs the extra "map"."""
    require("sklearn", "map", "t-SNE")
    from sklearn.manifold import TSNE

    perplexity = min(30.0, max(1.0, (len(data) - 1) / 3))
    made = TSNE(2, perplexity=perplexity, init="pca", metric="euclidean", random_state=seed).fit_transform(data)
    return np.asarray(made, np.float64)


def silhouette(distances: Floats, labels: ArrayLike) -> float:
    """Return the mean silhouette (Rousseeuw 1987) of groups under a matrix of distances; a group of one counts 0.

    NaN where there are fewer than two groups, or as many as points.
    """
    groups = np.asarray(labels)
    names, sizes = np.unique(groups, return_counts=True)
    if not 2 <= len(names) < len(groups):
        return float("nan")
    sums = np.stack([distances[:, groups == name].sum(axis=1) for name in names], axis=1)
    own = np.searchsorted(names, groups)
    rows = np.arange(len(groups))
    within = sums[rows, own] / np.maximum(sizes[own] - 1, 1)
    means = sums / sizes
    means[rows, own] = np.inf
    between = means.min(axis=1)
    larger = np.maximum(within, between)
    scores = np.where((sizes[own] > 1) & (larger > 0), (between - within) / np.where(larger > 0, larger, 1), 0.0)
    return float(scores.mean())


def separation(distances: Floats, labels: Sequence[int], seed: int = SEED) -> Separation:
    """Return the silhouette of a grouping beside those of 100 groupings of the same sizes by chance."""
    rng = np.random.default_rng(seed)
    chance = [silhouette(distances, rng.permutation(labels)) for _ in range(SHUFFLES)]
    low, high = np.percentile(chance, [2.5, 97.5])
    return Separation(silhouette(distances, labels), float(low), float(high))


def cosine_distances(data: Floats) -> Floats:
    """Return 1 - cosine of every two rows of length 1, 0 on the diagonal."""
    found: Floats = np.clip(1.0 - data @ data.T, 0.0, 2.0)
    np.fill_diagonal(found, 0.0)
    return found


def plane_distances(data: Floats) -> Floats:
    """Return the Euclidean distance of every two points of a picture."""
    found: Floats = np.linalg.norm(data[:, None] - data[None], axis=2)
    return found
