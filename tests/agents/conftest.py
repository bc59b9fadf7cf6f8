"""The endpoint that the tests of the OpenAI client talk to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from endpoint import Server


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("MEMGYM_BASE_URL", "OPENAI_BASE_URL", "MEMGYM_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    server = Server()
    server.thread.start()
    yield server
    server.http.shutdown()
    server.http.server_close()
    server.thread.join()
