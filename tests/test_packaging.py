"""What a wheel holds, and that every way to install imports each module once, under one name."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
WINGS = ("envs", "agents", "eval", "train")
DATA = {".txt", ".json", ".yaml", ".html"}
PROBE = """
import json, sys
import memgym
from importlib import import_module
from pathlib import Path
for wing in ("envs", "agents", "eval", "train"):
    import_module(f"memgym.{wing}.catalog")
from memgym import registry
for kind in ("metric", "command", "tokenizer"):
    for name in registry.names(kind):
        registry.load(kind, name)
files = {}
for name, module in list(sys.modules.items()):
    where = getattr(module, "__file__", None)
    if where and name != "__main__":
        files.setdefault(where, []).append(name)
print(json.dumps({
    "twice": sorted(names for names in files.values() if len({n for n in names if "memgym" in n}) > 1),
    "bare": sorted({name.split(".")[0] for name in sys.modules} & {"envs", "agents", "eval", "train"}),
    "homes": {name: module.__file__ for name, module in sys.modules.items() if name.split(".")[0] == "memgym"},
}))
"""


def expected() -> set[str]:
    """Return the paths that the wheel must hold: the five rooms' modules, markers and data."""
    files: set[str] = set()
    for room in ("memgym", *WINGS):
        for path in (ROOT / room).rglob("*"):
            if path.suffix in {".py", *DATA} or path.name == "py.typed":
                parts = path.relative_to(ROOT).parts
                files.add("/".join(parts if room == "memgym" else ("memgym", *parts)))
    return files


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what a build reads, so that building leaves nothing in the checkout."""
    copy = tmp_path_factory.mktemp("source")
    for room in ("memgym", *WINGS):
        shutil.copytree(ROOT / room, copy / room, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    return copy


@pytest.fixture(scope="session")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(source))
    [built] = folder.glob("memgym-*.whl")
    return built


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel installed in it, to be put on PYTHONPATH."""
    folder = tmp_path_factory.mktemp("installed")
    pip("install", "--no-deps", "--no-index", "--target", str(folder), str(wheel))
    return folder


def pip(*arguments: str) -> None:
    done = subprocess.run([sys.executable, "-m", "pip", *arguments], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def python(*arguments: str, cwd: Path, path: Path | None = None) -> str:
    environment = {**os.environ, "PYTHONPATH": str(path or "")}
    done = subprocess.run(
        [sys.executable, *arguments], check=False, capture_output=True, text=True, cwd=cwd, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def probe(cwd: Path, path: Path | None = None) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(python("-c", PROBE, cwd=cwd, path=path))
    return found


@pytest.mark.slow
def test_the_wheel_holds_the_tree_and_nothing_else(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == expected()


@pytest.mark.slow
@pytest.mark.parametrize("package", ["memgym", *(f"memgym/{wing}" for wing in WINGS)])
def test_the_wheel_holds_each_of_the_five_packages(wheel: Path, package: str) -> None:
    assert f"{package}/__init__.py" in zipfile.ZipFile(wheel).namelist()


@pytest.mark.slow
def test_the_wheel_says_that_it_is_typed(wheel: Path) -> None:
    assert "memgym/py.typed" in zipfile.ZipFile(wheel).namelist()


@pytest.mark.slow
def test_a_new_sub_package_reaches_the_wheel_without_being_listed(source: Path, tmp_path: Path) -> None:
    copy = tmp_path / "source"
    shutil.copytree(source, copy)
    (copy / "agents" / "brand" / "new").mkdir(parents=True)
    for folder in (copy / "agents" / "brand", copy / "agents" / "brand" / "new"):
        (folder / "__init__.py").touch()
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(tmp_path), str(copy))
    [built] = tmp_path.glob("memgym-*.whl")
    assert "memgym/agents/brand/new/__init__.py" in zipfile.ZipFile(built).namelist()


@pytest.mark.slow
def test_an_installed_wheel_imports_its_own_modules_once(installed: Path, tmp_path: Path) -> None:
    found = probe(cwd=tmp_path, path=installed)
    assert (found["twice"], found["bare"]) == ([], [])
    assert {Path(home).is_relative_to(installed) for home in found["homes"].values()} == {True}


@pytest.mark.slow
def test_an_installed_wheel_run_from_the_checkout_imports_the_checkout_once(installed: Path) -> None:
    found = probe(cwd=ROOT, path=installed)
    assert (found["twice"], found["bare"]) == ([], [])
    assert {Path(home).is_relative_to(ROOT) for home in found["homes"].values()} == {True}


def test_this_installation_imports_each_module_once(tmp_path: Path) -> None:
    found = probe(cwd=tmp_path)
    assert (found["twice"], found["bare"]) == ([], [])


def test_the_checkout_itself_imports_each_module_once() -> None:
    found = probe(cwd=ROOT)
    assert (found["twice"], found["bare"]) == ([], [])


@pytest.mark.slow
def test_python_dash_m_memgym_works_from_an_installed_wheel(installed: Path, tmp_path: Path) -> None:
    assert "bench" in python("-m", "memgym", "--help", cwd=tmp_path, path=installed)


def test_python_dash_m_memgym_works_in_the_checkout() -> None:
    assert "bench" in python("-m", "memgym", "--help", cwd=ROOT)
