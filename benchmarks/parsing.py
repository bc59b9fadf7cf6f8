"""What it costs to read and to write an action in each dialect, beside ``json.loads`` of the same action as JSON.

``python -m benchmarks.parsing`` prints it alone.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.rows import Row, show
from benchmarks.timing import medians
from memgym.dialects import Dialect
from memgym.dialects.atommem import AtomMemDialect
from memgym.dialects.tools import ToolsDialect
from memgym.dialects.xml import XmlDialect
from memgym.operations import Action, Answer, Create, Delete, Evolve, Link, Read, Scratchpad, pairs

TIMES = 200
NOTE = "Mia moved to Oslo in May 2021 for a job at the port."
NOTED = Create(NOTE, keywords=("Mia", "Oslo", "port"), tags=("people", "work"), context="Mia's life", time="May 2021")
ACTIONS = {
    "create, read": Action((Create(NOTE), Read("Where does Mia work?"))),
    "annotated create, read": Action((NOTED, Read("Where does Mia work?", k=6, by="hybrid"))),
    "scratchpad, answer": Action((Scratchpad("Found: Mia works at a port."),), Answer("Oslo")),
    "link, evolve": Action((Link("m3", ("m1", "m2")), Evolve("m3", tags=("people",), attributes=pairs(mood="calm")))),
    "delete, create of 4000 characters": Action((Delete("#2"), Create(NOTE * 77))),
}
DIALECTS: dict[str, Dialect] = {"xml": XmlDialect(), "atommem": AtomMemDialect(), "tools": ToolsDialect()}
THOUGHT = "<think>The chunk says that Mia moved, which is new.</think>\n"
BOUNDS = {"xml reads": 8.0, "xml reads after thinking": 18.0, "atommem reads": 12.0, "tools reads": 12.0}
"""What must hold: about twice what was measured, so that only a change of the order fails."""


def rows() -> Iterator[Row]:
    """Measure every action in every dialect that can express it."""
    for name, action in ACTIONS.items():
        plain = json.dumps(json.loads(DIALECTS["tools"].format(action)))
        work = {"json": repeated(json.loads, plain)}
        for dialect, words in DIALECTS.items():
            try:
                text = words.format(action)
            except ValueError:
                continue
            work[f"{dialect} reads"] = repeated(words.parse, text)
            work[f"{dialect} reads after thinking"] = repeated(words.parse, THOUGHT + text)
            work[f"{dialect} writes"] = repeated(words.format, action)
        spent = medians(work, times=TIMES)
        peer = spent.pop("json")
        for what, cost in spent.items():
            yield Row(f"{what}: {name}", cost, "json.loads", peer, BOUNDS.get(what))


def repeated(function: Callable[[Any], object], argument: object) -> Callable[[int], None]:
    """Return what calls a function a number of times."""

    def run(times: int) -> None:
        for _ in range(times):
            function(argument)

    return run


if __name__ == "__main__":
    sys.exit(0 if show(rows()) else 1)
