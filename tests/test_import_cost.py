"""What ``import memgym`` loads and costs. The cost is CPU time as a share of Gymnasium's own, in the same process."""

from __future__ import annotations

import json
import subprocess
import sys
from statistics import median
from typing import Any

FORBIDDEN = {
    "asyncio",
    "datasets",
    "faiss",
    "httpx",
    "json_repair",
    "matplotlib",
    "onnxruntime",
    "openai",
    "orjson",
    "pandas",
    "pydantic",
    "rich",
    "scipy",
    "sentence_transformers",
    "sklearn",
    "sqlite3",
    "Stemmer",
    "splintr",
    "tokenizers",
    "torch",
    "transformers",
    "typer",
    "yaml",
}
TRIALS = 5
SHARE = 0.1
PROBE = """
import json, sys, time
start = time.process_time()
import gymnasium
middle = time.process_time()
before = set(sys.modules)
import memgym
end = time.process_time()
print(json.dumps({"gymnasium": middle - start, "memgym": end - middle, "modules": sorted(set(sys.modules) - before), "all": sorted(sys.modules)}))
"""


def probe() -> dict[str, Any]:
    done = subprocess.run([sys.executable, "-c", PROBE], check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_import_loads_no_model_library_even_through_gymnasium() -> None:
    assert {module.split(".")[0] for module in probe()["all"]} & {
        "torch",
        "transformers",
        "pandas",
        "pydantic",
    } == set()


def test_import_loads_nothing_heavy_beyond_gymnasium() -> None:
    assert {module.split(".")[0] for module in probe()["modules"]} & FORBIDDEN == set()


def test_import_loads_of_memgym_only_the_registry_and_the_catalogs() -> None:
    loaded = {module for module in probe()["modules"] if module.split(".")[0] == "memgym"}
    wings = {f"memgym.{wing}{end}" for wing in ("envs", "agents", "eval", "train") for end in ("", ".catalog")}
    assert loaded == {"memgym", "memgym.registry", "memgym.catalog"} | wings


def test_import_costs_a_small_share_of_importing_gymnasium() -> None:
    trials = [probe() for _ in range(TRIALS)]
    share = median(trial["memgym"] / trial["gymnasium"] for trial in trials)
    cost = median(trial["memgym"] for trial in trials)
    print(f"import memgym: {cost:.4f} CPU s after gymnasium, {share:.1%} of gymnasium's own")
    assert share < SHARE
