"""The one import rule, read from the syntax of every file: the hall knows no wing, and no wing knows another."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
WINGS = ("envs", "agents", "eval", "train")
ROOMS = ("memgym", *WINGS)
FILES = sorted(path.relative_to(ROOT) for room in ROOMS for path in (ROOT / room).rglob("*.py"))
LONGEST = 400
NO_NAME = {"util", "utils", "helper", "helpers", "misc", "common", "shared", "stuff"}
HEAVY = {
    "accelerate",
    "datasets",
    "faiss",
    "huggingface_hub",
    "json_repair",
    "matplotlib",
    "onnxruntime",
    "openai",
    "pandas",
    "peft",
    "ray",
    "scipy",
    "sentence_transformers",
    "sklearn",
    "tokenizers",
    "torch",
    "transformers",
    "verl",
}


INSIDE_VERL = {
    f"train/verl/{name}.py" for name in ("agent_loop", "main", "trainer", "cpu/engine", "cpu/platform", "cpu/rollout")
}
"""They hold subclasses of verl's own classes, and are imported by verl's processes, or where verl was just required."""


@dataclass(frozen=True)
class Import:
    """One import statement: the line, the module as an absolute name, and how it was written."""

    line: int
    module: str
    relative: bool
    top: bool


def module_of(path: Path) -> str:
    """Return the name that a file is imported by: ``envs/qa.py`` is ``memgym.envs.qa``."""
    parts = path.with_suffix("").parts
    parts = parts[:-1] if parts[-1] == "__init__" else parts
    return ".".join(parts if parts[0] == "memgym" else ("memgym", *parts))


def imports_of(path: Path) -> Iterator[Import]:
    yield from _imports(ast.parse((ROOT / path).read_text("utf-8")), _package(path), top=True)


def _package(path: Path) -> list[str]:
    parts = module_of(path).split(".")
    return parts if path.name == "__init__.py" else parts[:-1]


def _imports(parent: ast.AST, package: list[str], *, top: bool) -> Iterator[Import]:
    for node in ast.iter_child_nodes(parent):
        if isinstance(node, ast.Import):
            for one in node.names:
                yield Import(node.lineno, one.name, False, top)
        elif isinstance(node, ast.ImportFrom):
            yield from _from(node, package, top)
        else:
            later = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) or _only_for_types(node)
            yield from _imports(node, package, top=top and not later)


def _from(node: ast.ImportFrom, package: list[str], top: bool) -> Iterator[Import]:
    """``from memgym import envs`` reaches the wing too, so each imported name counts as a module of its own."""
    base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
    module = ".".join(part for part in (base, node.module) if part)
    yield Import(node.lineno, module, bool(node.level), top)
    for one in node.names:
        yield Import(node.lineno, f"{module}.{one.name}", bool(node.level), top)


def _only_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def _wing(module: str) -> str | None:
    parts = module.split(".")
    return parts[1] if parts[0] == "memgym" and len(parts) > 1 and parts[1] in WINGS else None


def _breach(path: Path, one: Import) -> str | None:
    """Say how an import breaks the rule, or None."""
    here, there = _wing(module_of(path)), _wing(one.module)
    if one.module.split(".")[0] in WINGS and not one.relative:
        return "is a second copy of a wing: the package is memgym"
    if here is None:
        return "takes the hall into a wing: go through memgym.registry" if there else None
    if there and there != here:
        return f"takes {here} into {there}: go through memgym.registry"
    if there == here and not one.relative:
        return "is the wing's own room: import it relatively"
    if one.relative and there != here:
        return "leaves the wing by a relative import: write the hall's full name"
    return None


def _breaches(path: Path) -> list[str]:
    said = ((one, _breach(path, one)) for one in imports_of(path))
    return [f"{path}:{one.line}: {one.module} {breach}" for one, breach in said if breach]


@pytest.mark.parametrize("path", FILES, ids=str)
def test_every_import_keeps_the_rule_of_the_hall_and_the_wings(path: Path) -> None:
    assert _breaches(path) == []


@pytest.mark.parametrize("path", FILES, ids=str)
def test_nothing_heavy_is_imported_at_module_level(path: Path) -> None:
    if path.as_posix() in INSIDE_VERL:
        pytest.skip("verl imports it")
    heavy = [f"{path}:{one.line}: {one.module}" for one in imports_of(path) if one.top and _root(one) in HEAVY]
    assert heavy == []


@pytest.mark.parametrize("path", [path for path in FILES if path.as_posix() not in INSIDE_VERL], ids=str)
def test_what_stands_inside_verl_is_imported_at_the_top_of_nothing_else(path: Path) -> None:
    inside = {module_of(Path(one)) for one in INSIDE_VERL}
    assert [one.module for one in imports_of(path) if one.top and one.module in inside] == []


def _root(one: Import) -> str:
    return one.module.split(".")[0]


@pytest.mark.parametrize("path", FILES, ids=str)
def test_a_file_is_short_enough_to_be_read_at_once(path: Path) -> None:
    assert len((ROOT / path).read_text("utf-8").splitlines()) < LONGEST


def test_every_module_has_a_name_that_says_what_is_in_it() -> None:
    assert [str(path) for path in FILES if NO_NAME & {part.removesuffix(".py") for part in path.parts}] == []


def test_every_folder_with_python_files_is_a_package() -> None:
    """A folder without ``__init__.py`` works from a checkout and is missing from the wheel."""
    folders = {path.parent for path in FILES}
    assert [str(folder) for folder in sorted(folders) if not (ROOT / folder / "__init__.py").is_file()] == []


@pytest.mark.parametrize(
    ("path", "source", "breach"),
    [
        ("memgym/env.py", "from memgym.envs.qa import QA", "takes the hall into a wing"),
        ("memgym/env.py", "def f():\n    from memgym import agents", "takes the hall into a wing"),
        ("memgym/memory/memory.py", "from ..envs import qa", "takes the hall into a wing"),
        ("envs/qa.py", "import memgym.agents.llm", "takes envs into agents"),
        ("envs/qa.py", "from ..agents import llm", "takes envs into agents"),
        ("envs/qa.py", "from memgym.envs.rewards import f1", "own room"),
        ("envs/qa.py", "from envs.rewards import f1", "second copy"),
        ("envs/qa.py", "from ..task import Task", "leaves the wing"),
        ("envs/qa.py", "match x:\n    case 1:\n        import agents", "second copy"),
        ("envs/qa.py", "if x:\n    try:\n        y()\n    except E:\n        import agents", "second copy"),
    ],
)
def test_the_rule_sees_each_way_to_break_it(
    path: str, source: str, breach: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(source, "utf-8")
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    assert breach in " ".join(_breaches(Path(path)))


@pytest.mark.parametrize("source", ["from memgym.task import Task", "from .rewards import f1", "from . import rewards"])
def test_the_rule_lets_a_wing_use_the_hall_and_its_own_rooms(
    source: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "envs").mkdir()
    (tmp_path / "envs" / "qa.py").write_text(source, "utf-8")
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    assert _breaches(Path("envs/qa.py")) == []
