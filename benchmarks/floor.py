"""The least that a step with a memory can cost in Python: one growing matrix, a dict, ``json.loads``, and no checks.

No resolving, no statuses, no ties, no provenance, no evidence: what an episode needs beyond this is what we add.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from memgym.spaces import Unicode

Vectors = Mapping[str, NDArray[np.float32]]


class PlainStore:
    """Rows in a matrix that doubles; the last row takes the place of one that is deleted; scores by BLAS."""

    def __init__(self, dimension: int) -> None:
        self.matrix = np.empty((16, dimension), np.float32)
        self.row: dict[int, int] = {}
        self.ids: list[int] = []

    def put(self, id: int, vector: NDArray[np.float32]) -> None:
        row = self.row.get(id)
        if row is None:
            row = self.row[id] = len(self.ids)
            self.ids.append(id)
            if row == len(self.matrix):
                self.matrix = np.concatenate([self.matrix, np.empty_like(self.matrix)])
        self.matrix[row] = vector

    def delete(self, id: int) -> None:
        row, last = self.row.pop(id), self.ids.pop()
        if last != id:
            self.matrix[row] = self.matrix[len(self.ids)]
            self.ids[row] = last
            self.row[last] = row

    def read(self, query: NDArray[np.float32], k: int = 6) -> list[int]:
        scores = self.matrix[: len(self.ids)] @ query
        nearest = np.argpartition(scores, len(scores) - k)[len(scores) - k :]
        return [self.ids[row] for row in nearest[np.argsort(-scores[nearest])].tolist()]


class FloorEnv(gymnasium.Env[str, str]):
    """Answers the same function calls with a text; knows every vector beforehand. ``begin`` fills it."""

    observation_space = Unicode()
    action_space = Unicode()

    def __init__(self, vectors: Vectors) -> None:
        self.vectors = vectors

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[str, dict[str, Any]]:
        super().reset(seed=seed)
        self.store, self.texts, self.last = PlainStore(384), dict[int, str](), 0
        return "", {}

    def begin(self, start: list[str]) -> None:
        self.reset()
        for text in start:
            self._create(text)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        (call,) = json.loads(action)
        name, given = call["name"], call["arguments"]
        if name == "create_memory":
            self._create(given["text"])
            shown = f"created [{self.last}]"
        elif name == "read_memory":
            texts = self.texts
            found = self.store.read(self.vectors[given["query"]])
            shown = "\n".join([f"[{id}] {texts[id]}" for id in found])
        elif name == "update_memory":
            id = int(given["id"][1:])
            self.store.put(id, self.vectors[given["text"]])
            self.texts[id] = given["text"]
            shown = "updated"
        else:
            id = int(given["id"][1:])
            self.store.delete(id)
            del self.texts[id]
            shown = f"deleted [{id}]"
        return shown, 0.0, False, False, {}

    def _create(self, text: str) -> None:
        self.last += 1
        self.store.put(self.last, self.vectors[text])
        self.texts[self.last] = text
