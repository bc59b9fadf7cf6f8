"""``memgym new benchmark``: the written package is found when installed, and its own tests pass as written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memgym.cli import main
from memgym.scaffold import check_name, write

ROOT = Path(__file__).resolve().parent.parent.parent


def run(*arguments: str, cwd: Path, path: Path) -> str:
    paths = os.pathsep.join(one for one in (str(path), os.environ.get("PYTHONPATH", "")) if one)
    done = subprocess.run(
        [sys.executable, *arguments],
        check=False,
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write("benchmark", "Ship-Logs", tmp_path_factory.mktemp("packages"))


@pytest.fixture(scope="module")
def installed(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("target")
    options = ("--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--target", str(target))
    run("-m", "pip", "install", *options, str(package), cwd=target, path=target)
    return target


def test_the_command_says_where_it_wrote_and_what_is_next(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["new", "benchmark", "Ship-Logs", "--out", str(tmp_path)])
    assert ended.value.code == 0
    assert "pip install -e" in capsys.readouterr().out
    assert sorted(str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*.*")) == [
        "memgym-ship-logs/memgym_ship_logs.py",
        "memgym-ship-logs/pyproject.toml",
        "memgym-ship-logs/tests/test_memgym_ship_logs.py",
    ]


@pytest.mark.slow
def test_an_installed_skeleton_is_an_environment_that_gymnasium_makes(installed: Path, tmp_path: Path) -> None:
    code = "import gymnasium, memgym; print(gymnasium.make('MemGym/Ship-Logs').reset(seed=0)[0]['task'])"
    assert "captain of the Heron" in run("-c", code, cwd=tmp_path, path=installed)


@pytest.mark.slow
def test_an_installed_skeleton_is_listed(installed: Path, tmp_path: Path) -> None:
    assert "MemGym/Ship-Logs" in run("-m", "memgym", "list", "envs", cwd=tmp_path, path=installed)


@pytest.mark.slow
def test_the_tests_of_a_skeleton_pass_as_written(package: Path, installed: Path) -> None:
    said = run("-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=package, path=installed)
    assert "4 passed" in said


@pytest.mark.slow
@pytest.mark.parametrize("checker", [("check",), ("format", "--check")])
def test_a_skeleton_is_in_style(package: Path, checker: tuple[str, ...]) -> None:
    run("-m", "ruff", *checker, "--line-length", "120", ".", cwd=package, path=package)


@pytest.mark.slow
def test_a_skeleton_is_fully_typed(package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Type checkers of other projects do not follow an editable install, so they are shown the installed layout."""
    (tmp_path / "memgym").mkdir()
    for path in (*(ROOT / "memgym").iterdir(), *(ROOT / wing for wing in ("envs", "agents", "eval", "train"))):
        (tmp_path / "memgym" / path.name).symlink_to(path)
    monkeypatch.setenv("MYPYPATH", str(tmp_path))
    run("-m", "mypy", "--strict", "--follow-imports", "silent", "memgym_ship_logs.py", cwd=package, path=package)


@pytest.mark.parametrize(
    "name", ["", "9lives", "a b", "a--b", "-a", "a-", "../up", "sl/ash", "né", "日本", "a:b", "\0"]
)
def test_a_name_that_could_not_be_a_module_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="cannot be used"):
        check_name("benchmark", name)


@pytest.mark.parametrize("name", ["none", "True", "false"])
def test_a_word_of_python_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="word of Python"):
        check_name("benchmark", name)


@pytest.mark.parametrize("name", ["HotpotQA", "hotpotqa"])
def test_a_name_that_is_taken_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="another name"):
        check_name("benchmark", name)


def test_a_folder_that_exists_is_left_as_it_is(tmp_path: Path) -> None:
    folder = write("benchmark", "Ship-Logs", tmp_path)
    (folder / "pyproject.toml").write_text("mine", "utf-8")
    with pytest.raises(FileExistsError, match="exists already"):
        write("benchmark", "Ship-Logs", tmp_path)
    assert (folder / "pyproject.toml").read_text("utf-8") == "mine"


def test_a_kind_without_a_skeleton_proposes_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["new", "benchmrak", "X"])
    assert "Did you mean 'benchmark'?" in capsys.readouterr().err
