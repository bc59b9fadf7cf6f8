"""Maps of entries: projections are what they say, and the figure of merit agrees with its library."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from memgym.cli import app
from memgym.eval.bench import run_bench
from memgym.eval.config import AgentConfig, RunConfig
from memgym.eval.report.map_page import Point, grouping_of, points_of
from memgym.eval.report.projection import (
    cosine_distances,
    pca,
    plane_distances,
    separation,
    silhouette,
    tsne,
    vectors,
)  # fmt: skip
from memgym.eval.report.runs import read_run
from memgym.registry import UnknownName

RNG = np.random.default_rng(0)
TWO = np.concatenate([RNG.normal(0, 0.2, (20, 5)), RNG.normal(3, 0.2, (20, 5))])
LABELS = [0] * 20 + [1] * 20


def test_pca_keeps_the_variance_that_it_says() -> None:
    at, shares = pca(TWO)
    total = ((TWO - TWO.mean(axis=0)) ** 2).sum()
    assert (at**2).sum(axis=0) / total == pytest.approx(shares)
    assert 1 >= shares[0] > shares[1] >= 0


def test_pca_of_equal_points_is_a_point() -> None:
    at, shares = pca(np.ones((4, 3)))
    assert (at == 0).all()
    assert shares == (0.0, 0.0)


def test_groups_that_lie_apart_are_above_chance_and_shuffled_ones_are_not() -> None:
    distances = plane_distances(TWO)
    apart = separation(distances, LABELS)
    assert apart.silhouette > 0.8 > apart.high
    mixed = separation(distances, RNG.permutation(LABELS))
    assert mixed.silhouette < 0.3


@pytest.mark.parametrize("labels", [[0] * 40, list(range(40))])
def test_one_group_and_groups_of_one_have_no_silhouette(labels: list[int]) -> None:
    assert math.isnan(silhouette(plane_distances(TWO), labels))


@pytest.mark.parametrize("seed", range(5))
def test_the_silhouette_is_that_of_scikit_learn(seed: int) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(seed)
    data, labels = rng.normal(size=(30, 4)), [*range(4), *rng.integers(0, 4, 26)]
    expected = metrics.silhouette_score(data, labels)
    assert silhouette(plane_distances(data), labels) == pytest.approx(expected)


def test_a_group_of_one_counts_0_as_in_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    labels = [0, *[1] * 19, *[2] * 20]
    assert silhouette(plane_distances(TWO), labels) == pytest.approx(metrics.silhouette_score(TWO, labels))


def test_tsne_is_the_same_every_time() -> None:
    pytest.importorskip("sklearn")
    assert (tsne(TWO) == tsne(TWO)).all()


def test_vectors_have_length_1_and_equal_texts_equal_vectors() -> None:
    made = vectors(["a cat", "a dog", "a cat", "記憶"], "hashing")
    assert np.linalg.norm(made, axis=1) == pytest.approx(1)
    assert (made[0] == made[2]).all()
    assert cosine_distances(made)[0, 2] == pytest.approx(0, abs=1e-6)


def point(**changes: str) -> Point:
    return Point(**{"text": "t", "run": "r", "agent": "a", "store": "s", "episode": "e", **changes})


def test_points_are_grouped_by_the_first_name_that_differs() -> None:
    assert grouping_of([point(), point(run="x", agent="y")], None) == "run"
    assert grouping_of([point(), point(agent="y", store="z")], None) == "agent"
    assert grouping_of([point(), point(store="z")], None) == "store"
    assert grouping_of([point(), point(store="z")], "episode") == "episode"


def test_an_unknown_grouping_is_an_error_with_the_valid_ones() -> None:
    with pytest.raises(UnknownName, match="store"):
        grouping_of([point()], "stores")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("map") / "run"
    agents = [AgentConfig(agent=name) for name in ("bm25-rag", "oracle", "no-memory")]
    run_bench(RunConfig(env="MemGym/Synthetic-50doc", agents=agents, episodes=2, bounds=False), out=path)
    return path


def test_points_are_what_memory_held_at_the_end(folder: Path) -> None:
    run = read_run(folder)
    sizes = {record.episode.id: record.steps[-1].size for record in run.records}
    assert len(points_of([run], 2)) == sum(sizes.values())
    assert len(points_of([run], 1)) == sum(size for id, size in sizes.items() if id.endswith("/000000"))


def test_the_command_draws_a_page_that_says_how_it_grouped(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "map.html"
    result = CliRunner().invoke(app, ["map", str(folder), "--method", "pca", "--limit", "40", "--out", str(out)])
    assert result.exit_code == 0, result.output
    page = out.read_text("utf-8")
    assert "Separation by agent" in page
    assert "meant for tests" in page


def test_an_unknown_method_is_one_line_with_the_nearest(folder: Path) -> None:
    result = CliRunner().invoke(app, ["map", str(folder), "--method", "tnse"])
    assert (result.exit_code, "tsne" in result.output) == (2, True)


def test_memories_without_entries_cannot_be_drawn(tmp_path: Path) -> None:
    run_bench(
        RunConfig(env="MemGym/Synthetic-50doc", agents=[AgentConfig(agent="no-memory")], episodes=1, bounds=False),
        out=tmp_path / "run",
    )
    result = CliRunner().invoke(app, ["map", str(tmp_path / "run")])
    assert (result.exit_code, "3 or more" in result.output) == (2, True)
