"""Runs against a real HTTP endpoint: a slow episode holds no other, connections are shared, a closed port is told."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from memgym.cli import app
from memgym.eval.bench import bench_config, run_bench

ENV = "MemGym/Synthetic-50doc"
REPLY = {
    "id": "1", "object": "chat.completion", "created": 0, "model": "m",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Oslo"}}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}  # fmt: skip
PATIENCE = 60.0


class Endpoint:
    """Answers at once, but for the first call: that one waits until ``others`` further ones were answered."""

    def __init__(self) -> None:
        self.others = 0
        self.calls, self.answered, self.connections = 0, 0, 0
        self.held = True
        self.changed = threading.Condition()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                with outer.changed:
                    outer.connections += 1
                super().setup()

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                outer.wait()
                data = json.dumps(REPLY).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/v1"

    def wait(self) -> None:
        with self.changed:
            self.calls += 1
            if self.calls == 1:
                self.held = self.changed.wait_for(lambda: self.answered >= self.others, PATIENCE)
            self.answered += 1
            self.changed.notify_all()


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    made = Endpoint()
    thread = threading.Thread(target=made.http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    monkeypatch.setenv("MEMGYM_BASE_URL", made.url)
    yield made
    made.http.shutdown()
    made.http.server_close()
    thread.join()


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_an_episode_that_waits_for_its_model_holds_no_other(workers: int, endpoint: Endpoint, tmp_path: Path) -> None:
    episodes = 12
    endpoint.others = episodes - 1
    made = bench_config(
        env=ENV, agents=["bm25-rag"], model="openai:m", env_options={}, episodes=episodes, workers=workers,
        concurrency=2, bounds=False,
    )  # fmt: skip
    run_bench(made, out=tmp_path / "run")
    assert endpoint.held
    assert endpoint.answered == episodes


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_episodes_share_the_connections_of_their_process(workers: int, endpoint: Endpoint, tmp_path: Path) -> None:
    made = bench_config(
        env=ENV, agents=["bm25-rag"], model="openai:m", env_options={}, episodes=12, workers=workers, concurrency=2,
        bounds=False,
    )  # fmt: skip
    run_bench(made, out=tmp_path / "run")
    assert endpoint.answered == 12
    # One for each episode at once, and one more that the list of models, which is not there, has closed.
    assert endpoint.connections <= 3 * workers


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_an_endpoint_that_is_not_there_stops_a_run_before_it_begins(
    workers: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        monkeypatch.setenv("MEMGYM_BASE_URL", f"http://127.0.0.1:{free.getsockname()[1]}/v1")
        arguments = ["bench", "--env", ENV, "--agent", "bm25-rag", "--model", "openai:m", "--workers", workers]
        result = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path / "run")])
    assert result.exit_code == 2, result.output
    assert "could not be reached" in result.output
    assert not (tmp_path / "run").exists()
