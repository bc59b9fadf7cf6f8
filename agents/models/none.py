"""The model "none": for measuring what memory stores and shows where no language model is at hand."""

from __future__ import annotations

import json

from memgym.model import Reply, Request, Usage

SAID = "unknown"


class NoModel:
    """Says "unknown" to everything, costs nothing, and is never scored: tables show "-" for its answers."""

    name = "none"

    async def chat(self, request: Request) -> Reply:
        fields = (request.schema or {}).get("properties", {})
        return Reply(json.dumps(dict.fromkeys(fields, SAID)), Usage())
