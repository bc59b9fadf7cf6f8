"""The constraints pin everything that this project asks for itself, within the ranges of pyproject.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PINNED_EXTRAS = (
    "test", "embed", "plot", "map", "browser", "data", "alfworld", "train", "sb3", "ray", "metrics", "bertscore",
    "smollm2",
)  # fmt: skip
LINES = [
    line for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines() if line and not line.startswith("#")
]
PINS = [Requirement(line) for line in LINES]
ASKED = [
    *PROJECT["dependencies"],
    *(
        one
        for extra in PINNED_EXTRAS
        for one in PROJECT["optional-dependencies"][extra]
        if not one.startswith("torch>")
    ),
]


@pytest.mark.parametrize("asked", ASKED)
def test_what_the_project_asks_for_is_pinned_within_its_range(asked: str) -> None:
    want = Requirement(asked)
    pins = [pin for pin in PINS if canonicalize_name(pin.name) == canonicalize_name(want.name)]
    assert pins, f"{want.name} is not in constraints.txt"
    for pin in pins:
        [exact] = pin.specifier
        assert want.specifier.contains(exact.version)


@pytest.mark.parametrize("line", LINES)
def test_a_pin_is_one_exact_public_version_without_a_place_or_a_hash(line: str) -> None:
    pin = Requirement(line)
    [exact] = pin.specifier
    assert exact.operator == "=="
    assert "+" not in exact.version
    assert pin.url is None
    assert "--" not in line


def test_no_build_of_torch_is_pinned() -> None:
    assert not {pin.name for pin in PINS} & {"torch", "triton"}
