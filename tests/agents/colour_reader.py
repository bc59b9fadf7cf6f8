"""A chat model that reads the tests' own small world: it answers from its inputs only, as the rules model does."""

from __future__ import annotations

import json
import re
from typing import Any

from memgym.model import Reply, Request, Usage

FACT = re.compile(r"The colour of thing (\d+) is (\w+)\.")


class ColourReader:
    """Knows the colours that a text states; notes down only those that are asked for."""

    name = "reader"

    def __init__(self) -> None:
        self.requests: list[Request] = []

    async def chat(self, request: Request) -> Reply:
        self.requests.append(request)
        return Reply(json.dumps(getattr(self, request.name)(**request.inputs)), Usage(calls=1))

    def answer(self, question: str, text: str) -> dict[str, str]:
        known = dict(FACT.findall(text))
        return {"answer": known.get(question.rstrip("?").split()[-1], "unknown")}

    def note(self, questions: list[str], scratchpad: str, text: str, limit: int) -> dict[str, str]:
        facts = [match.group() for match in FACT.finditer(f"{scratchpad} {text}")]
        return {"scratchpad": " ".join(facts)}

    def asked(self, name: str) -> list[dict[str, Any]]:
        return [dict(request.inputs) for request in self.requests if request.name == name]
