"""``python -m benchmarks``: measure, print one table, exit with 1 if a bound does not hold on this machine."""

from __future__ import annotations

import os
import sys

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

from benchmarks import steps  # noqa: E402
from benchmarks.rows import show  # noqa: E402

sys.exit(0 if show(steps.rows()) else 1)
