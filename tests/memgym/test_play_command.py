"""``memgym play``: what a person types is played, and what was no action is said."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memgym.cli import main


def played(lines: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    typed: Iterator[str] = iter(lines)
    monkeypatch.setattr("builtins.input", lambda prompt: next(typed))
    with pytest.raises(SystemExit) as ended:
        main(["play", "MemGym/Synthetic-50doc"])
    assert not ended.value.code
    return capsys.readouterr().out


def test_a_line_without_a_tag_is_said_to_be_an_empty_action(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = played(["hello", "<answer>x</answer>"], monkeypatch, capsys)
    assert said.count("counted as an empty action") == 1
    assert "The episode is over" in said


def test_an_empty_line_is_an_empty_action_without_a_word(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = played(["", "<answer>x</answer>"], monkeypatch, capsys)
    assert "counted as an empty action" not in said
