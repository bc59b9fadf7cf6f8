"""``memgym list``: every name with a line about it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memgym import registry
from memgym.cli import main
from memgym.commands import PLURALS, rows_of


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return int(ended.value.code or 0)


def listed(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    assert run("list", *arguments, "--json") == 0
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return rows


@pytest.mark.parametrize(("plural", "kind"), PLURALS.items())
def test_each_kind_lists_its_names(plural: str, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert sorted(row["name"] for row in listed(capsys, plural)) == sorted(registry.names(kind))


def test_without_a_kind_everything_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(listed(capsys)) == sum(len(registry.names(kind)) for kind in PLURALS.values())


def test_every_kind_that_an_error_points_to_can_be_listed() -> None:
    assert {f"{kind}s" for kind in registry.KINDS} <= set(PLURALS)


def test_an_unknown_kind_proposes_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list", "agnets") == 2
    assert "Did you mean 'agents'" in capsys.readouterr().err


def test_sizes_are_listed_as_a_person_counts() -> None:
    names = [row.name for row in rows_of("environment") if "HotpotQA" in row.name]
    assert names.index("MemGym/HotpotQA-50doc") < names.index("MemGym/HotpotQA-100doc")
    assert names.index("MemGym/HotpotQA-800doc") < names.index("MemGym/HotpotQA-1600doc")


def test_generated_environments_are_marked_synthetic_and_real_ones_are_not() -> None:
    marks = {row.name: row.marks for row in rows_of("environment")}
    assert marks["MemGym/Synthetic-50doc"] == ("synthetic",)
    assert marks["MemGym/HotpotQA-50doc"] == ()


def test_agents_that_see_the_answers_are_marked_privileged() -> None:
    marks = {row.name: row.marks for row in rows_of("agent")}
    assert marks["oracle"] == ("privileged",)
    assert marks["bm25-rag"] == ()


def test_a_plug_in_that_cannot_be_imported_is_listed_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._rows["metric"], "gone", "no_such_module:metric")
    [row] = [row for row in rows_of("metric") if row.name == "gone"]
    assert row.marks == ("not importable",)
    assert "no_such_module" in row.about


def test_the_table_shows_names_whole(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list", "envs") == 0
    said = capsys.readouterr().out
    assert all(name in said for name in registry.names("environment"))
