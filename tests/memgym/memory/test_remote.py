"""The embeddings endpoint, against a server on this machine that can misbehave."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from memgym.memory.encoders import make_encoder
from memgym.memory.remote import OpenAIEncoder


def vector(text: str, dimension: int) -> list[float]:
    return [float(len(text)), 2.0, *[0.0] * (dimension - 2)]


def honest(server: Server, body: dict[str, Any]) -> list[dict[str, Any]]:
    rows = [vector(text, body.get("dimensions", server.dimension)) for text in body["input"]]
    return [{"object": "embedding", "index": at, "embedding": row} for at, row in enumerate(rows)]


@dataclass
class Server:
    """What the server answers, and what it was asked. ``failures`` requests are answered with 503 first."""

    url: str = ""
    dimension: int = 4
    failures: int = 0
    requests: list[dict[str, Any]] = field(default_factory=list)
    answer: Callable[[Server, dict[str, Any]], list[dict[str, Any]]] = honest


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if state.failures:
                state.failures -= 1
                self.send_response(503)
                self.send_header("retry-after-ms", "1")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            state.requests.append(body)
            reply = {"object": "list", "model": body["model"], "data": state.answer(state, body)}
            data = json.dumps({**reply, "usage": {"prompt_tokens": 1, "total_tokens": 1}}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            return

    listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{listener.server_port}/v1"
    thread = threading.Thread(target=listener.serve_forever)
    thread.start()
    yield state
    listener.shutdown()
    listener.server_close()
    thread.join()


def make(server: Server, **options: Any) -> OpenAIEncoder:
    return OpenAIEncoder("tiny", base_url=server.url, api_key="none", **options)


def test_the_dimension_is_what_the_server_answers(server: Server) -> None:
    server.dimension = 7
    encoder = make(server)
    assert encoder.dimension == 7
    assert encoder.encode(["abc", "a"]).shape == (2, 7)
    assert encoder.encode(["abc"])[0][:2] == pytest.approx(np.array([3, 2]) / 13**0.5)


def test_shorter_vectors_are_asked_for_and_checked(server: Server) -> None:
    encoder = make(server, dimensions=3)
    assert encoder.dimension == 3
    assert server.requests[-1]["dimensions"] == 3
    server.answer = lambda state, body: honest(state, {**body, "dimensions": 4})
    with pytest.raises(ValueError, match=r"\[4\] for 'tiny', expected 3.*leave it out"):
        make(server, dimensions=3)


def test_an_answer_of_another_dimension_is_refused_with_the_fix(server: Server) -> None:
    encoder = make(server)
    server.dimension = 5
    with pytest.raises(ValueError, match=r"\[5\] for 'tiny', expected 4. Has the model behind this name changed"):
        encoder.encode(["abc"])


def test_an_answer_with_too_few_vectors_is_refused(server: Server) -> None:
    encoder = make(server)
    server.answer = lambda state, body: honest(state, body)[:1]
    with pytest.raises(ValueError, match="1 vectors to 2 texts"):
        encoder.encode(["abc", "de"])


def test_rows_are_put_in_the_order_of_the_texts(server: Server) -> None:
    encoder = make(server)
    expected = encoder.encode(["a", "bbb", "cc"])
    server.answer = lambda state, body: honest(state, body)[::-1]
    assert np.array_equal(encoder.encode(["a", "bbb", "cc"]), expected)


def test_many_texts_go_in_batches(server: Server) -> None:
    encoder = make(server, batch=3)
    encoder.encode([f"text {number}" for number in range(7)])
    assert [len(request["input"]) for request in server.requests[1:]] == [3, 3, 1]


def test_the_instruction_stands_before_queries_only(server: Server) -> None:
    encoder = make(server, query_instruction="Find this: ")
    encoder.encode(["a cat"])
    encoder.encode(["a cat"], query=True)
    assert [request["input"] for request in server.requests[1:]] == [["a cat"], ["Find this: a cat"]]
    assert encoder.sided
    assert encoder.fingerprint != make(server).fingerprint


def test_blank_texts_are_not_sent_and_broken_ones_are_repaired(server: Server) -> None:
    encoder = make(server)
    rows = encoder.encode(["", "a \ud800 cat", "\n"])
    assert server.requests[-1]["input"] == ["a \ufffd cat"]
    assert np.linalg.norm(rows, axis=1) == pytest.approx([0, 1, 0])
    encoder.encode([" "], query=True)
    assert len(server.requests) == 2


def test_a_server_that_is_busy_is_asked_again(server: Server) -> None:
    encoder = make(server)
    server.failures = 2
    assert encoder.encode(["abc"]).shape == (1, 4)


def test_it_is_made_by_name_with_a_cache(server: Server) -> None:
    encoder = make_encoder("openai:tiny", base_url=server.url, api_key="none")
    encoder.encode(["abc", "abc"])
    encoder.encode(["abc"], query=True)
    assert [request["input"] for request in server.requests[1:]] == [["abc"]]
    assert encoder.name == "openai:tiny"
