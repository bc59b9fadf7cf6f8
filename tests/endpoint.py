"""An OpenAI-compatible endpoint of the tests' own: a real HTTP server on loopback that answers as a test says."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from memgym.agents.models.openai import OpenAIModel
from memgym.model import Message, Reply, Request

REQUEST = Request("answer", (Message("user", "Where?"),), max_tokens=9)
WITH_SCHEMA = Request("answer", (Message("user", "Where?"),), schema={"type": "object"})
GOOD: dict[str, Any] = {
    "id": "1",
    "object": "chat.completion",
    "created": 0,
    "model": "small",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Oslo"}}],
    "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12},
}


class Server:
    """An endpoint that answers by ``respond(body, number)``: a status and what to send, as JSON or raw text."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.respond: Callable[[dict[str, Any], int], tuple[int, Any]] = lambda body, number: (200, GOOD)
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.bodies.append(body)
                outer.headers.append({name.lower(): value for name, value in self.headers.items()})
                status, answer = outer.respond(body, len(outer.bodies))
                data = (answer if isinstance(answer, str) else json.dumps(answer)).encode()
                try:
                    self.send_response(status)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(data)))
                    self.send_header("retry-after-ms", "1")
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:
                    self.close_connection = True  # the client gave up first

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.thread = threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01})
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/v1"


@contextmanager
def serving() -> Iterator[Server]:
    """An endpoint that is up until the block ends."""
    server = Server()
    server.thread.start()
    try:
        yield server
    finally:
        server.http.shutdown()
        server.http.server_close()
        server.thread.join()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """An endpoint that is up, while nothing in the surroundings names another."""
    for name in ("MEMGYM_BASE_URL", "OPENAI_BASE_URL", "MEMGYM_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with serving() as server:
        yield server


def chat(model: OpenAIModel, *requests: Request) -> list[Reply]:
    """Answer the requests at once, in an event loop of their own."""

    async def all_of_them() -> list[Reply]:
        try:
            return list(await asyncio.gather(*(model.chat(request) for request in requests)))
        finally:
            await model.close()

    return asyncio.run(all_of_them())


def refuse_schema(body: dict[str, Any], number: int) -> tuple[int, Any]:
    return (400, {"error": {"message": "no response_format"}}) if "response_format" in body else (200, GOOD)
