"""What no file of the project names: a host that serves packages, a path of somebody's machine."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
HOSTS = re.compile(
    r"\b(pypi\.org|pythonhosted\.org|(download|data)\.pytorch\.org|registry\.npmjs\.org|proxy\.golang\.org|"
    r"(anaconda|conda)\.(org|com)|deb\.debian\.org|(index|extra-index)-url|find-links)\b"
)
PATHS = re.compile(r"(?<![\w.<~)/-])/(work|tmp|opt|root|home|mnt|Users)(?![\w-])")
THIS = Path(__file__).name
BINARY = {".png", ".svg", ".pdf", ".npz", ".gz", ".sqlite"}


def tracked() -> list[Path]:
    """Return the files that git tracks or would track, or every file where there is no git."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if listed.returncode:
        pytest.skip("not a git checkout: there is no list of the project's files")
    paths = [ROOT / line for line in listed.stdout.splitlines()]
    return [path for path in paths if path.is_file() and path.suffix not in BINARY and path.name != THIS]


def found(pattern: re.Pattern[str]) -> list[str]:
    lines = (
        (path, number, line)
        for path in tracked()
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), start=1)
    )
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}" for path, number, line in lines if pattern.search(line)
    ]


def test_no_file_names_a_host_that_serves_packages() -> None:
    assert found(HOSTS) == []


def test_no_file_names_a_path_of_a_machine() -> None:
    assert found(PATHS) == []


@pytest.mark.parametrize("line", ["cd /work/main", "'/tmp/x'", "see /opt", "PATH=/home/me", "(/root/.cache)"])
def test_a_path_of_a_machine_is_seen(line: str) -> None:
    assert PATHS.search(line)


@pytest.mark.parametrize("line", ["</work>", "and/or", "https://example.org/opt/in", "~/work/x", "/tmpfs", "../tmp/x"])
def test_other_slashes_are_let_through(line: str) -> None:
    assert not PATHS.search(line)


@pytest.mark.parametrize("line", ["pip install --extra-index-url X", "https://files.pythonhosted.org/packages"])
def test_a_package_host_is_seen(line: str) -> None:
    assert HOSTS.search(line)
