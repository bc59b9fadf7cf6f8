"""``memgym new``: writes the skeleton of a part as a package of its own, with a test that passes as it stands.

The new package is found by its entry point; nothing in this project has to change for it.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Annotated

import typer

from memgym import registry

NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*([-_][A-Za-z0-9]+)*")

PROJECT = """\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "$package"
version = "0.1.0"
description = "The benchmark $name for memgym"
requires-python = ">=3.11"
dependencies = ["memgym"]

[project.entry-points."memgym.benchmarks"]
"$name" = "$module:$class_name"

[tool.setuptools]
py-modules = ["$module"]

[tool.pytest.ini_options]
testpaths = ["tests"]
pythonpath = ["."]
"""

MODULE = '''\
"""$name: say here what is asked, where the data is from, its licence, and each deviation from the original."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from memgym.envs.qa import LongContextQA
from memgym.task import Document, Question, Sample

SHIP = Document("The Heron", "The Heron is a ship. Its captain is Ada Lind.")
PORT = Document("Ada Lind", "Ada Lind is a captain. She was born in Marstal.")
SAMPLES = (
    Sample(
        id="heron-1",
        questions=(
            Question(
                text="Where was the captain of the Heron born?",
                answers=("Marstal",),
                evidence=("Its captain is Ada Lind.", "She was born in Marstal."),
            ),
        ),
        documents=(SHIP, PORT),
    ),
)
COLOURS = ("red", "green", "white", "black")
DISTRACTORS = tuple(
    Document(f"Buoy {number}", f"Buoy {number} is painted {COLOURS[number % 4]}.") for number in range(1, 400)
)


class $class_name(LongContextQA):
    """Questions over a haystack of documents. Replace the samples above by your own reader of your own files."""

    name: ClassVar[str] = "$name"

    def records(self) -> Sequence[Sample]:
        """Return every sample; the evidence of a question occurs word for word in the documents."""
        return SAMPLES

    def distractors(self) -> Sequence[Document]:
        """Return documents that fill the haystack."""
        return DISTRACTORS
'''

TEST = '''\
"""What every benchmark promises; keep these tests, and add those of your own rules."""

from __future__ import annotations

from gymnasium.utils.env_checker import check_env
from memgym.env import MemoryEnv
from memgym.operations import Action

from $module import $class_name


def make_env() -> MemoryEnv:
    return MemoryEnv($class_name())


def test_the_environment_passes_the_checker_of_gymnasium() -> None:
    check_env(make_env(), skip_render_check=True)


def test_the_cheat_wins_every_sample() -> None:
    env = make_env()
    for sample in $class_name().records():
        env.reset(seed=0, options={"sample": sample.id})
        over = False
        while not over:
            _, reward, terminated, truncated, _ = env.step(Action(command=env.cheat()))
            over = terminated or truncated
        assert reward == 1.0


def test_the_evidence_occurs_in_the_documents() -> None:
    for sample in $class_name().records():
        text = "\\n".join(document.render() for document in sample.documents)
        assert all(evidence in text for question in sample.questions for evidence in question.evidence)


def test_the_same_seed_shows_the_same_text() -> None:
    first, second = (make_env().reset(seed=7)[0] for _ in range(2))
    assert first == second
'''
FILES: Mapping[str, Mapping[str, str]] = {
    "benchmark": {"pyproject.toml": PROJECT, "$module.py": MODULE, "tests/test_$module.py": TEST},
}

MAKERS: Mapping[str, str] = {"model": "new-model"}
"""What is made by a command of a wing instead, and by which."""


def new(
    kind: Annotated[str, typer.Argument(help=f"What to write: {', '.join((*FILES, *MAKERS))}.")],
    name: Annotated[str, typer.Argument(help="Its name, as it will stand in MemGym/NAME; of a model, its folder.")],
    out: Annotated[Path, typer.Option(help="The folder in which the new folder is made.")] = Path(),
    seed: Annotated[int | None, typer.Option(help="Seed of a model's weights.")] = None,
    source: Annotated[str | None, typer.Option("--from", help="What a model is made from: tiny, smollm2.")] = None,
) -> None:
    """Write the skeleton of a benchmark, a package whose tests pass as they stand; or a small model to train."""
    given = {key: value for key, value in (("seed", seed), ("source", source)) if value is not None}
    if kind in MAKERS:
        registry.load("command", MAKERS[kind])(out / name, **given)
        return
    if given:
        raise ValueError(f"--seed and --from are of a model, not of a {kind}: memgym new model NAME.")
    folder = write(kind, name, out)
    typer.echo(f"Wrote {folder}. Next: pip install -e {folder} && python -m pytest {folder}")


def write(kind: str, name: str, out: Path) -> Path:
    """Write the files of a new package into a new folder of ``out`` and return it.

    Raises UnknownName for a kind without a skeleton, ValueError for a name that cannot be used, FileExistsError.
    """
    if kind not in FILES:
        raise registry.unknown("kind of skeleton", kind, (*FILES, *MAKERS))
    words = _words(check_name(kind, name))
    folder = out / words["package"]
    if folder.exists():
        raise FileExistsError(f"{folder} exists already; give another name, or another folder with --out.")
    folder.mkdir(parents=True)
    for path, text in FILES[kind].items():
        file = folder / Template(path).substitute(words)
        file.parent.mkdir(exist_ok=True)
        file.write_text(Template(text).substitute(words), "utf-8")
    return folder


def check_name(kind: str, name: str) -> str:
    """Return a name that a new thing can have; a ValueError says what is wrong with any other."""
    if not NAME.fullmatch(name):
        raise ValueError(
            f"The name {name!r} cannot be used: expected a letter, then letters and digits, "
            "with single hyphens or underscores between them, for instance 'Ship-Logs'."
        )
    if keyword.iskeyword(_words(name)["class_name"]):
        raise ValueError(f"The name {name!r} cannot be used: {_words(name)['class_name']} is a word of Python.")
    taken = {known.casefold() for known in registry.names(kind)}
    if name.casefold() in taken:
        raise ValueError(f"There is a {kind} {name!r} already; the new one needs another name.")
    return name


def _words(name: str) -> dict[str, str]:
    parts = re.split("[-_]", name)
    package = "-".join(["memgym", *(part.lower() for part in parts)])
    class_name = "".join(part[0].upper() + part[1:] for part in parts)
    return {"name": name, "package": package, "module": package.replace("-", "_"), "class_name": class_name}
