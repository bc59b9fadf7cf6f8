"""JSON schemas over HTTP: sent where a server takes them, and left out, once it has refused, where it does not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from endpoint import GOOD, WITH_SCHEMA, Server, chat, refuse_schema

from memgym.agents.models.openai import OpenAIModel
from memgym.model import ModelError


def test_a_schema_is_sent_where_the_server_takes_it(server: Server) -> None:
    chat(OpenAIModel("small", server.url), WITH_SCHEMA)
    assert server.bodies[0]["response_format"]["json_schema"]["schema"] == {"type": "object"}


def test_a_refused_schema_is_left_out_from_then_on(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    server.respond = refuse_schema
    model = OpenAIModel("small", server.url)
    for _ in range(2):
        assert chat(model, WITH_SCHEMA)[0].text == "Oslo"
    assert ["response_format" in body for body in server.bodies] == [True, False, False]
    assert caplog.text.count("takes no JSON schema") == 1


def test_a_schema_of_one_request_that_is_refused_is_no_word_on_others(server: Server) -> None:
    server.respond = lambda body, number: (422, {}) if number == 1 else (200, GOOD)
    model = OpenAIModel("small", server.url)
    chat(model, WITH_SCHEMA)
    chat(model, replace(WITH_SCHEMA, name="note"))
    assert ["response_format" in body for body in server.bodies] == [True, False, True]


def test_a_server_error_about_response_format_is_a_refusal_of_every_schema(server: Server) -> None:
    server.respond = lambda body, number: (
        (500, refuse_schema(body, number)[1]) if "response_format" in body else (200, GOOD)
    )
    model = OpenAIModel("small", server.url, retries=0)
    chat(model, WITH_SCHEMA)
    chat(model, replace(WITH_SCHEMA, name="note"))
    assert ["response_format" in body for body in server.bodies] == [True, False, False]


def test_schemas_can_be_left_out_from_the_start(server: Server) -> None:
    chat(OpenAIModel("small", server.url, schemas=False), WITH_SCHEMA)
    assert "response_format" not in server.bodies[0]


def test_a_request_that_is_refused_either_way_is_an_error_and_nothing_is_remembered(server: Server) -> None:
    server.respond = lambda body, number: (400, {"error": {"message": "too long"}})
    model = OpenAIModel("small", server.url)
    with pytest.raises(ModelError, match="too long"):
        chat(model, WITH_SCHEMA)
    server.respond = lambda body, number: (200, GOOD)
    chat(model, WITH_SCHEMA)
    assert "response_format" in server.bodies[-1]


def test_another_failure_than_a_refusal_is_not_about_the_schema(server: Server) -> None:
    server.respond = lambda body, number: (401, {"error": {"message": "no"}})
    with pytest.raises(ModelError):
        chat(OpenAIModel("small", server.url), WITH_SCHEMA)
    assert len(server.bodies) == 1
