"""``python -m benchmarks``: measure, print one table, save it as JSON; exit with 1 if a bound does not hold here.

The quick form takes under three minutes; ``--full`` measures more sizes and rounds, as long as it needs.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

from benchmarks import PARTS, machine  # noqa: E402
from benchmarks.rows import Row, save, show  # noqa: E402


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--full", action="store_true", help="more sizes and rounds")
    parser.add_argument("--only", action="append", choices=PARTS, metavar="PART", help=f"one of {', '.join(PARTS)}")
    parser.add_argument("--out", type=Path, help="write the results there as JSON")
    options = parser.parse_args(arguments)
    measured: list[Row] = []
    for name in options.only or PARTS:
        start = time.perf_counter()
        found = importlib.import_module(f"benchmarks.{name}").rows(options.full)
        measured += [replace(row, group=name) for row in found]
        print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    told = machine.describe()
    held = show(measured)
    print(machine.line(told))
    if options.out is not None:
        save(options.out, measured, told)
        print(f"Saved as {options.out}.")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
