"""Every name in every catalog stands for something that can be imported, with or without the optional packages."""

from __future__ import annotations

import subprocess
import sys

import gymnasium
import pytest

from memgym import registry

OPTIONAL = ("alfworld", "datasets", "faiss", "fast_downward", "jericho", "matplotlib", "onnxruntime", "pandas", "sentence_transformers", "textworld", "tokenizers", "torch", "transformers")  # fmt: skip
ROWS = [(kind, name) for kind in registry.KINDS for name in registry.names(kind)]


@pytest.mark.parametrize(("kind", "name"), ROWS)
def test_a_name_stands_for_something_callable(kind: str, name: str) -> None:
    assert callable(registry.load(kind, name))


@pytest.mark.parametrize(("kind", "name"), ROWS)
def test_what_a_name_stands_for_has_a_docstring(kind: str, name: str) -> None:
    assert (registry.load(kind, name).__doc__ or "").strip()


def test_no_name_needs_an_optional_package_to_be_imported() -> None:
    """Each row is imported in a process in which the optional packages cannot be found."""
    probe = f"""
import sys
for optional in {OPTIONAL!r}:
    sys.modules[optional] = None
from memgym import registry
for kind in registry.KINDS:
    for name in registry.names(kind):
        try:
            registry.load(kind, name)
        except ImportError as error:
            print(kind, name, error)
"""
    done = subprocess.run([sys.executable, "-c", probe], check=True, capture_output=True, text=True)
    assert done.stdout == ""


@pytest.mark.parametrize("name", registry.names("environment"))
def test_an_environment_is_registered_with_gymnasium_and_names_a_known_benchmark(name: str) -> None:
    assert name in gymnasium.registry
    assert registry.environment(name)["benchmark"] in registry.names("benchmark")
