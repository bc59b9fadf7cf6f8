"""What others keep vectors in, each as it is documented for short-lived stores. Imported only where it is measured."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]
_names = itertools.count()


class Plain:
    """The bar: one growing matrix, a dict of rows, BLAS, and a partial sort."""

    def __init__(self, dimension: int) -> None:
        self.matrix = np.empty((16, dimension), np.float32)
        self.rows: dict[int, int] = {}
        self.keys: list[int] = []

    def put(self, key: int, vector: Vector) -> None:
        row = len(self.keys)
        if row == len(self.matrix):
            self.matrix = np.concatenate([self.matrix, np.empty_like(self.matrix)])
        self.matrix[row] = vector
        self.rows[key] = row
        self.keys.append(key)

    def change(self, key: int, vector: Vector) -> None:
        self.matrix[self.rows[key]] = vector

    def remove(self, key: int) -> None:
        row, last = self.rows.pop(key), self.keys.pop()
        if last != key:
            self.matrix[row] = self.matrix[len(self.keys)]
            self.keys[row] = last
            self.rows[last] = row

    def nearest(self, vector: Vector, k: int) -> Sequence[Any]:
        count = len(self.keys)
        scores = self.matrix[:count] @ vector
        chosen = np.argpartition(scores, count - k)[count - k :] if count > k else np.arange(count)
        keys = self.keys
        return [keys[row] for row in chosen[np.argsort(-scores[chosen])].tolist()]


class Faiss:
    """IndexIDMap2 over a flat index."""

    def __init__(self, dimension: int) -> None:
        faiss: Any = importlib.import_module("faiss")
        self.index = faiss.IndexIDMap2(faiss.IndexFlatIP(dimension))

    def put(self, key: int, vector: Vector) -> None:
        self.index.add_with_ids(vector[None], np.array([key]))

    def change(self, key: int, vector: Vector) -> None:
        self.remove(key)
        self.put(key, vector)

    def remove(self, key: int) -> None:
        self.index.remove_ids(np.array([key]))

    def nearest(self, vector: Vector, k: int) -> Sequence[Any]:
        return self.index.search(vector[None], k)[1][0].tolist()  # type: ignore[no-any-return]


class Hnswlib:
    """M 16, efConstruction 100."""

    def __init__(self, dimension: int) -> None:
        self.index = importlib.import_module("hnswlib").Index("ip", dimension)
        self.index.init_index(4000, M=16, ef_construction=100)
        self.count = 0

    def put(self, key: int, vector: Vector) -> None:
        self.index.add_items(vector[None], [key], num_threads=1)
        self.count += 1

    def change(self, key: int, vector: Vector) -> None:
        self.index.add_items(vector[None], [key], num_threads=1)

    def remove(self, key: int) -> None:
        self.index.mark_deleted(key)
        self.count -= 1

    def nearest(self, vector: Vector, k: int) -> Sequence[Any]:
        k = min(k, self.count)
        return self.index.knn_query(vector[None], k, num_threads=1)[0][0].tolist() if k else []


class Qdrant:
    """The client's store in memory."""

    def __init__(self, dimension: int) -> None:
        client = importlib.import_module("qdrant_client")
        self.models: Any = importlib.import_module("qdrant_client.models")
        self.client = client.QdrantClient(":memory:")
        size = self.models.VectorParams(size=dimension, distance=self.models.Distance.DOT)
        self.client.create_collection("memory", vectors_config=size)

    def put(self, key: int, vector: Vector) -> None:
        self.client.upsert("memory", [self.models.PointStruct(id=key, vector=vector.tolist())])

    change = put

    def remove(self, key: int) -> None:
        self.client.delete("memory", self.models.PointIdsList(points=[key]))

    def nearest(self, vector: Vector, k: int) -> Sequence[Any]:
        return self.client.query_points("memory", vector.tolist(), limit=k).points  # type: ignore[no-any-return]


class Chroma:
    """The ephemeral client."""

    def __init__(self, dimension: int) -> None:
        chromadb = importlib.import_module("chromadb")
        settings = importlib.import_module("chromadb.config").Settings(anonymized_telemetry=False)
        self.client = chromadb.EphemeralClient(settings)
        self.store = self.client.create_collection(f"memory-{next(_names)}", embedding_function=None)

    def put(self, key: int, vector: Vector) -> None:
        self.store.add(ids=[str(key)], embeddings=[vector])

    def change(self, key: int, vector: Vector) -> None:
        self.store.update(ids=[str(key)], embeddings=[vector])

    def remove(self, key: int) -> None:
        self.store.delete(ids=[str(key)])

    def nearest(self, vector: Vector, k: int) -> Sequence[Any]:
        return self.store.query(query_embeddings=[vector], n_results=k)["ids"][0]  # type: ignore[no-any-return]


PEERS: dict[str, Callable[[int], Any]] = {
    "numpy growing matrix": Plain,
    "faiss IDMap2": Faiss,
    "hnswlib": Hnswlib,
    "qdrant in memory": Qdrant,
    "chromadb in memory": Chroma,
}
