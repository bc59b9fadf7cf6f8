"""Replies kept on disk: found again by content, whole in any number of processes, and never by accident."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from memgym.agents.models.cache import ResponseCache, digest
from memgym.model import Message, Reply, Request, Usage

REQUEST = Request("answer", (Message("user", "Where?"),), {"question": "Where?"}, {"type": "object"}, 10, 0.0, 1)
ABOUT = {"model": "small", "endpoint": "http://127.0.0.1:1/v1"}
REPLY = Reply("Oslo", Usage(calls=1, prompt_tokens=5, completion_tokens=2, cost=0.25))


def test_a_reply_is_found_again_and_costs_nothing(tmp_path: Path) -> None:
    ResponseCache(tmp_path).put(digest(REQUEST, ABOUT), REPLY)
    found = ResponseCache(tmp_path).get(digest(REQUEST, ABOUT))
    assert found == Reply("Oslo", Usage(calls=1, prompt_tokens=5, completion_tokens=2, cached=1))


def test_an_unknown_request_is_a_miss(tmp_path: Path) -> None:
    assert ResponseCache(tmp_path / "not yet").get(digest(REQUEST, ABOUT)) is None


@pytest.mark.parametrize(
    "change",
    [
        {"messages": (Message("user", "Where"),)},
        {"messages": (Message("system", "Where?"),)},
        {"messages": (Message("user", "Where?"), Message("user", ""))},
        {"schema": None},
        {"temperature": 0.1},
        {"max_tokens": 11},
        {"seed": None},
        {"seed": 2},
    ],
)
def test_whatever_changes_the_reply_changes_the_key(change: dict[str, object]) -> None:
    assert digest(replace(REQUEST, **change), ABOUT) != digest(REQUEST, ABOUT)  # type: ignore[arg-type]


def test_another_model_or_endpoint_has_another_key() -> None:
    keys = {
        digest(REQUEST, {**ABOUT, **other}) for other in ({}, {"model": "big"}, {"endpoint": "http://127.0.0.1:2/v1"})
    }
    assert len(keys) == 3


def test_what_a_model_never_sees_is_not_in_the_key() -> None:
    assert digest(replace(REQUEST, name="note", inputs={}), ABOUT) == digest(REQUEST, ABOUT)


def test_files_lie_in_two_levels_of_folders(tmp_path: Path) -> None:
    key = digest(REQUEST, ABOUT)
    ResponseCache(tmp_path).put(key, REPLY)
    assert [path.relative_to(tmp_path).parts for path in tmp_path.rglob("*.json")] == [
        (key[:2], key[2:4], f"{key}.json")
    ]


@pytest.mark.parametrize("text", ["", "日本 ไทย 👩‍👩‍👧", "\ud800", "\x00", "x" * 100_000])
def test_any_text_is_kept_unchanged(tmp_path: Path, text: str) -> None:
    cache = ResponseCache(tmp_path)
    cache.put("abcdef", Reply(text, logprobs=(-0.5,)))
    found = cache.get("abcdef")
    assert found is not None
    assert (found.text, found.logprobs) == (text, (-0.5,))


@pytest.mark.parametrize(
    "damage", ["", "{", "[]", '{"text": 1, "prompt_tokens": 1, "completion_tokens": 1, "logprobs": null}']
)
def test_a_damaged_file_is_a_miss_that_the_log_names(
    tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    cache = ResponseCache(tmp_path)
    cache.put("abcdef", REPLY)
    cache.path("abcdef").write_text(damage)
    assert cache.get("abcdef") is None
    assert str(cache.path("abcdef")) in caplog.text


def test_a_failed_write_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        ResponseCache(tmp_path).put("abcdef", Reply(b"bytes"))  # type: ignore[arg-type]
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_processes_that_write_the_same_reply_leave_one_whole_file(tmp_path: Path) -> None:
    code = """
import sys
from memgym.agents.models.cache import ResponseCache
from memgym.model import Reply
cache = ResponseCache(sys.argv[1])
for number in range(50):
    cache.put("abcdef", Reply("x" * 10_000))
    assert cache.get("abcdef").text == "x" * 10_000
"""
    writers = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)]) for _ in range(2)]
    assert [writer.wait() for writer in writers] == [0, 0]
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1
