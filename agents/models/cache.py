"""Keeps replies on disk, one JSON file each, so that a run which is repeated or resumed pays for nothing twice.

Separate from the models, because any number of processes may share one folder.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memgym.model import Reply, Request, Usage

_log = logging.getLogger(__name__)


def digest(request: Request, about: Mapping[str, Any]) -> str:
    """Return the content digest of a request to the model that ``about`` describes (its name, endpoint, settings).

    It covers messages, schema, temperature, max_tokens and seed; not the request's name nor its inputs, which a
    model that reads text never sees.
    """
    content = {
        "about": dict(about),
        "messages": [[message.role, message.content] for message in request.messages],
        "schema": request.schema,
        "temperature": request.temperature,
        "max_tokens": request.max_tokens,
        "seed": request.seed,
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


class ResponseCache:
    """Replies by digest under ``folder``, as ``ab/cd/abcd....json``. Safe for several processes: a file appears whole.

    Two that write the same reply at once both succeed, and one of them stays.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder).expanduser()

    def path(self, key: str) -> Path:
        return self.folder / key[:2] / key[2:4] / f"{key}.json"

    def get(self, key: str) -> Reply | None:
        """Return the stored reply, or None. A damaged file is a miss, and the log names it.

        Its usage has the tokens of the original call, cost 0 and ``cached`` 1.
        """
        path = self.path(key)
        try:
            data = json.loads(path.read_bytes())
            return _reply(data)
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError) as damage:
            _log.warning("The cached reply %s is damaged (%r) and will be asked for again.", path, damage)
            return None

    def put(self, key: str, reply: Reply) -> None:
        """Store a reply; an existing one is replaced in one go."""
        path = self.path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
        try:
            with os.fdopen(handle, "w", encoding="ascii") as file:
                json.dump(_json(reply), file)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise


def _json(reply: Reply) -> dict[str, Any]:
    return {
        "text": reply.text,
        "prompt_tokens": reply.usage.prompt_tokens,
        "completion_tokens": reply.usage.completion_tokens,
        "logprobs": reply.logprobs,
    }


def _reply(data: Mapping[str, Any]) -> Reply:
    if not isinstance(data["text"], str):
        raise TypeError("text is not a string")
    logprobs = data["logprobs"]
    return Reply(
        text=data["text"],
        usage=Usage(
            calls=1,
            prompt_tokens=int(data["prompt_tokens"]),
            completion_tokens=int(data["completion_tokens"]),
            cached=1,
        ),
        logprobs=None if logprobs is None else tuple(float(one) for one in logprobs),
    )
