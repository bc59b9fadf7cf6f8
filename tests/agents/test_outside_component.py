"""A component and a system of somebody else's package: installed, they are found, listed, matched, shown and benched."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = """\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "memgym-headlines"
version = "0.1.0"
dependencies = ["memgym"]

[project.entry-points."memgym.components"]
"headlines.formation" = "memgym_headlines:HeadlineFormation"
"headlines.retrieval" = "memgym_headlines:HeadlineRetrieval"

[project.entry-points."memgym.systems"]
headlines = "memgym_headlines:Headlines"

[tool.setuptools]
py-modules = ["memgym_headlines"]
"""
MODULE = '''\
"""Headlines: each passage is kept under a headline, a key of this package's own.

Source: nobody's paper.
"""

from memgym.agents.lifecycle.builtin import TextSearch
from memgym.agents.lifecycle.components import Formation
from memgym.agents.lifecycle.system import MemorySystem
from memgym.contracts import add_key
from memgym.operations import Create

add_key("headline", "content", "the first words of an entry, in capitals")


class HeadlineFormation(Formation):
    """Puts a headline over each passage. words: how long it is."""

    name = "headlines.formation"
    requires = frozenset({"raw_text"})
    provides = frozenset({"text_content", "headline"})

    def __init__(self, model=None, *, words: int = 3) -> None:
        self.words = words

    async def form(self, piece, observation):
        first = " ".join(piece.text.split()[: self.words]).upper()
        return [Create(f"{first}\\n{piece.title}\\n{piece.text}")]


class HeadlineRetrieval(TextSearch):
    """Searches entries that have headlines."""

    name = "headlines.retrieval"
    requires = TextSearch.requires | {"headline"}


class Headlines(MemorySystem):
    """Passages under headlines."""

    name = "headlines"
    system = {
        "formation": "headlines.formation",
        "backend": "text.backend",
        "retrieval": "headlines.retrieval",
    }
'''
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the package is installed, as `pip install` does it."""
    package = tmp_path_factory.mktemp("package")
    (package / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    (package / "memgym_headlines.py").write_text(MODULE, encoding="utf-8")
    target = tmp_path_factory.mktemp("target")
    options = ("--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--target", str(target))
    run("-m", "pip", "install", *options, str(package), path=target)
    return target


def run(*arguments: str, path: Path) -> str:
    """Run Python in the folder of the installed package; return what it said."""
    paths = os.pathsep.join(one for one in (str(path), os.environ.get("PYTHONPATH", "")) if one)
    done = subprocess.run(
        [sys.executable, *arguments], check=False, capture_output=True, text=True, cwd=path,
        env={**os.environ, "PYTHONPATH": paths, "COLUMNS": "200"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def memgym(*arguments: str, path: Path) -> str:
    return run("-m", "memgym", *arguments, path=path)


def test_its_names_are_listed_with_its_own_first_lines(target: Path) -> None:
    listed = json.loads(memgym("list", "components", "--json", path=target))
    assert {"headlines.formation", "headlines.retrieval"} <= {row["name"] for row in listed}
    agents = {row["name"]: row["about"] for row in json.loads(memgym("list", "agents", "--json", path=target))}
    assert agents["headlines"] == "Passages under headlines."


def test_it_is_matched_by_its_own_key(target: Path) -> None:
    found = json.loads(memgym("match", "--benchmark", "synthetic", "--json", path=target))
    with_retrieval = [one for one in found["pipelines_valid"] if "headlines.retrieval" in one]
    assert with_retrieval
    assert {one[0] for one in with_retrieval} == {"headlines.formation"}
    assert any("headlines.formation" in one and "a-mem.retrieval" in one for one in found["pipelines_valid"])
    said = memgym("match", "--explain", "passage.formation", "text.backend", "headlines.retrieval", path=target)
    assert "requires headline" in said
    assert "headlines.formation would provide it" in said


def test_it_is_shown_with_its_source_and_defaults(target: Path) -> None:
    shown = memgym("show", "agent", "headlines", path=target)
    assert "Source: nobody's paper." in shown
    assert "options: words=3" in shown
    assert "asks: act, answer" in shown


def test_it_is_benched_alone_and_as_a_part_of_a_published_system(target: Path, tmp_path: Path) -> None:
    config = tmp_path / "run.yaml"
    config.write_text(
        """\
env: MemGym/Synthetic-50doc
env_options: {encoder: hashing}
episodes: 2
bounds: false
agents:
  - agent: headlines
  - agent: headlines
    label: long
    options: {options: {formation: {words: 9}}}
  - agent: vanilla-rag
    label: hybrid
    options: {formation: headlines.formation, options: {backend: {encoder: hashing}}}
""",
        encoding="utf-8",
    )
    memgym("bench", "--config", str(config), "--out", str(tmp_path / "run"), path=target)
    records = [json.loads(line) for line in (tmp_path / "run" / "records.jsonl").read_text("utf-8").splitlines()]
    assert {record["episode"]["id"].partition("/")[0] for record in records} == {"headlines", "long", "hybrid"}
    assert [record["error"] for record in records] == [None] * 6
    first = next(step["action"] for step in records[0]["steps"] if "create" in step["action"])
    assert first.split(">")[1].splitlines()[0].isupper()
    assert "6 of 6 episodes are equal" in memgym("replay", str(tmp_path / "run" / "records.jsonl"), path=target)
