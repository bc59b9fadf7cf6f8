"""Where tests find the real benchmark files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# How busy the machine is decides no test; CI tries the same examples each time, a person's machine new ones.
settings.register_profile("memgym", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "memgym")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real benchmark files, or a skip that says how to provide it."""
    folder = Path(os.environ.get("MEMGYM_TEST_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no benchmark files at {folder}: set MEMGYM_TEST_DATA to a folder that holds them")
    return folder
