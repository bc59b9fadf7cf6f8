"""The OpenAI client against a real HTTP server on loopback: what is sent, what is retried, what an error says."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from endpoint import GOOD, REQUEST, Server, chat, refuse_schema

from memgym import make_model
from memgym.agents.models.openai import OpenAIModel
from memgym.agents.prompts import ANSWER
from memgym.model import Message, Meter, ModelError, Reply, Request, Usage


def test_a_reply_comes_with_its_usage_and_cost(server: Server) -> None:
    model = OpenAIModel("small", server.url, prices=(1.0, 4.0))
    [reply] = chat(model, REQUEST)
    assert reply.text == "Oslo"
    assert reply.usage == Usage(calls=1, prompt_tokens=10, completion_tokens=2, cost=18 / 1_000_000)


def test_an_unknown_price_costs_nothing_and_is_said_so(server: Server) -> None:
    model = OpenAIModel("small", server.url)
    assert chat(model, REQUEST)[0].usage.cost == 0
    assert "unknown" in model.describe()["prices"]


def test_a_request_is_sent_as_the_endpoint_expects_it(server: Server) -> None:
    chat(
        OpenAIModel("small", server.url),
        Request("n", (Message("system", "s"), Message("user", "u")), seed=7, max_tokens=9),
    )
    assert server.bodies == [
        {
            "model": "small",
            "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}],
            "temperature": 0.0,
            "max_tokens": 9,
            "seed": 7,
        }
    ]


def test_fields_of_ones_own_win_over_ours(server: Server) -> None:
    chat(OpenAIModel("small", server.url, extra={"temperature": 1, "top_k": 5}), REQUEST)
    assert (server.bodies[0]["temperature"], server.bodies[0]["top_k"]) == (1, 5)


@pytest.mark.parametrize("text", ["\ud800", "日本\x00ไทย👩‍👩‍👧", "", "x" * 100_000])
def test_any_text_can_be_sent(server: Server, text: str) -> None:
    assert chat(OpenAIModel("small", server.url), Request("n", (Message("user", text),)))[0].text == "Oslo"
    assert server.bodies[0]["messages"][0]["content"] == text.replace("\ud800", "?")


def test_the_endpoint_and_key_are_found_in_the_environment(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("MEMGYM_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    model = make_model("openai:small")
    assert model.name == "openai:small"
    chat(model, REQUEST)  # type: ignore[arg-type]
    assert server.headers[0]["authorization"] == "Bearer secret"


def test_a_server_of_ones_own_needs_no_key(server: Server) -> None:
    assert chat(OpenAIModel("small", server.url), REQUEST)[0].text == "Oslo"


def test_openai_itself_needs_a_key(server: Server) -> None:
    with pytest.raises(ValueError, match="OPENAI_API_KEY"):
        OpenAIModel("small")


def test_openai_itself_is_sent_its_own_name_for_the_limit(server: Server) -> None:
    model = OpenAIModel("small", api_key="k")
    assert model.base_url == "https://api.openai.com/v1"
    assert "max_completion_tokens" in model._body(REQUEST, with_schema=False)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_passing_failure_is_retried(server: Server, status: int) -> None:
    server.respond = lambda body, number: (status, {"error": {"message": "busy"}}) if number == 1 else (200, GOOD)
    assert chat(OpenAIModel("small", server.url), REQUEST)[0].text == "Oslo"
    assert len(server.bodies) == 2


def test_a_lasting_failure_names_the_endpoint_the_status_and_the_servers_words(server: Server) -> None:
    server.respond = lambda body, number: (500, {"error": {"message": "out of memory."}})
    with pytest.raises(ModelError, match=r"small.* status 500: out of memory; ") as raised:
        chat(OpenAIModel("small", server.url, retries=2), REQUEST)
    assert server.url in str(raised.value)
    assert len(server.bodies) == 3


@pytest.mark.parametrize(
    ("status", "helps"), [(401, "OPENAI_API_KEY"), (404, "/v1"), (429, "concurrency"), (400, "context")]
)
def test_an_error_says_what_would_help(server: Server, status: int, helps: str) -> None:
    server.respond = lambda body, number: (status, {"error": {"message": "no"}})
    with pytest.raises(ModelError, match=helps):
        chat(OpenAIModel("small", server.url, api_key="secret", retries=0), REQUEST)


def test_an_error_never_shows_the_key(server: Server) -> None:
    server.respond = lambda body, number: (401, {"error": {"message": "no"}})
    with pytest.raises(ModelError) as raised:
        chat(OpenAIModel("small", server.url, api_key="secret", retries=0), REQUEST)
    assert "secret" not in str(raised.value)


def test_a_server_that_is_not_there_is_said_to_be_unreachable() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        with pytest.raises(ModelError, match="could not be reached"):
            chat(OpenAIModel("small", url, retries=0), REQUEST)


def test_a_server_that_never_answered_is_given_up_before_all_retries() -> None:
    async def ask(url: str) -> None:
        async with asyncio.timeout(12):  # all retries take about 19 seconds
            await OpenAIModel("small", url).chat(REQUEST)

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        with pytest.raises(ModelError, match="could not be reached"):
            asyncio.run(ask(f"http://127.0.0.1:{free.getsockname()[1]}/v1"))


def test_a_model_with_a_cache_does_not_have_to_be_reached(tmp_path: Path) -> None:
    asyncio.run(OpenAIModel("small", "http://127.0.0.1:1/v1", cache=tmp_path).reach())


def test_a_server_without_a_list_of_models_is_reached(server: Server) -> None:
    asyncio.run(OpenAIModel("small", server.url).reach())
    assert server.bodies == []


def test_a_slow_server_is_a_time_out(server: Server) -> None:
    def slow(body: dict[str, Any], number: int) -> tuple[int, Any]:
        time.sleep(1)
        return 200, GOOD

    server.respond = slow
    with pytest.raises(ModelError, match="in time"):
        chat(OpenAIModel("small", server.url, timeout=0.05, retries=0), REQUEST)


@pytest.mark.parametrize(
    "body", ['{"choices": [', "<html>", "null", "[]", "{}", '{"choices": []}', '"text"', '{"choices": null}']
)
def test_a_reply_that_is_no_completion_is_a_model_error(server: Server, body: str) -> None:
    server.respond = lambda sent, number: (200, body)
    with pytest.raises(ModelError, match=r"127\.0\.0\.1"):
        chat(OpenAIModel("small", server.url, retries=0), REQUEST)


def test_a_reply_without_content_or_usage_is_an_empty_text(server: Server) -> None:
    server.respond = lambda body, number: (
        200,
        {"choices": [{"index": 0, "message": {"role": "assistant", "content": None}}]},
    )
    assert chat(OpenAIModel("small", server.url), REQUEST) == [Reply("", Usage(calls=1))]


def test_log_probabilities_come_when_asked_for(server: Server) -> None:
    tokens = [{"token": "Os", "logprob": -0.25, "bytes": None, "top_logprobs": []}]
    choice = {**GOOD["choices"][0], "logprobs": {"content": tokens}}
    server.respond = lambda body, number: (200, {**GOOD, "choices": [choice]})
    assert chat(OpenAIModel("small", server.url, logprobs=True), REQUEST)[0].logprobs == (-0.25,)
    assert server.bodies[0]["logprobs"] is True


# ---------------------------------------------------------------- cache, loops, concurrency


def test_a_cached_reply_is_not_asked_for_again(server: Server, tmp_path: Path) -> None:
    first = chat(OpenAIModel("small", server.url, cache=tmp_path, prices=(1, 1)), REQUEST)
    again = chat(OpenAIModel("small", server.url, cache=str(tmp_path), prices=(1, 1)), REQUEST)
    assert len(server.bodies) == 1
    assert first[0].text == again[0].text
    assert again[0].usage == Usage(calls=1, prompt_tokens=10, completion_tokens=2, cached=1)


def test_a_sample_without_a_seed_is_never_cached(server: Server, tmp_path: Path) -> None:
    model = OpenAIModel("small", server.url, cache=tmp_path)
    free = Request("n", (), temperature=0.5)
    chat(model, free)
    chat(model, free)
    assert len(server.bodies) == 2
    seeded = Request("n", (), temperature=0.5, seed=1)
    chat(model, seeded)
    chat(model, seeded)
    assert len(server.bodies) == 3


def test_a_failure_is_not_cached(server: Server, tmp_path: Path) -> None:
    server.respond = lambda body, number: (401, {}) if number == 1 else (200, GOOD)
    model = OpenAIModel("small", server.url, cache=tmp_path)
    with pytest.raises(ModelError):
        chat(model, REQUEST)
    assert chat(model, REQUEST)[0].usage.cached == 0


def test_one_model_is_used_from_many_event_loops(server: Server) -> None:
    model = OpenAIModel("small", server.url)
    for _ in range(3):
        assert asyncio.run(model.chat(REQUEST)).text == "Oslo"
    assert len(server.bodies) == 3


def test_no_more_calls_run_at_once_than_allowed(server: Server) -> None:
    lock, running, most = threading.Lock(), 0, 0

    def counted(body: dict[str, Any], number: int) -> tuple[int, Any]:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.02)
        with lock:
            running -= 1
        return 200, GOOD

    server.respond = counted
    chat(OpenAIModel("small", server.url, concurrency=2), *[REQUEST] * 8)
    assert most == 2
    assert len(server.bodies) == 8


@pytest.mark.parametrize("bad", [{"concurrency": 0}, {"retries": -1}, {"prices": (1,)}, {"prices": (1, -1)}])
def test_a_setting_out_of_range_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="expected"):
        OpenAIModel("small", "http://127.0.0.1:1/v1", **bad)


def test_a_prompt_is_answered_over_http(server: Server) -> None:
    server.respond = refuse_schema
    meter = Meter(OpenAIModel("small", server.url))
    asked = asyncio.run(ANSWER.ask(meter, question="Where?", text="Mia is in Oslo."))
    assert (asked.value.answer, asked.degraded) == ("Oslo", False)
    assert meter.take() == Usage(calls=1, prompt_tokens=10, completion_tokens=2)
