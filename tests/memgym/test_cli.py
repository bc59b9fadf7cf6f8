"""The frame of the command line: overview without imports, nearest names, one line for a user's mistake."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memgym import __version__, registry
from memgym.cli import command_help, main

COMMANDS = '''
from typing import Annotated

import typer

from memgym.extras import require
from memgym.registry import unknown


def greet(name: Annotated[str, typer.Argument(help="Whom.")], times: int = 1) -> None:
    """Greet somebody.

    More about it.
    """
    typer.echo(f"Hello {name}! " * times)


def wrong_value() -> None:
    """Fail by a value."""
    raise ValueError("k is -1; expected 1 or more")


def wrong_name() -> None:
    """Fail by a name."""
    raise unknown("agent", "orcle", ["oracle"])


def no_file() -> None:
    """Fail by a file."""
    open("no-such-file")


def no_extra() -> None:
    """Fail by an extra."""
    require("no_such_package", "plot", "A figure")


def bug() -> None:
    """Fail by a mistake of ours."""
    raise AssertionError("ours")


def broken_import() -> None:
    """Fail by a module that is missing."""
    import no_such_module_of_ours


def interrupted() -> None:
    """Stop as Ctrl-C does."""
    raise KeyboardInterrupt


app = typer.Typer(help="Several verbs.")


@app.command()
def get(name: str) -> None:
    """Get one."""
    typer.echo(f"got {name}")


@app.command()
def status() -> None:
    """Show all."""
    typer.echo("all there")
'''
NAMES = ("greet", "wrong_value", "wrong_name", "no_file", "no_extra", "bug", "broken_import", "interrupted", "app")


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Adds commands of an outside package to the catalog, each under its function's name."""
    (tmp_path / "outside_commands.py").write_text(COMMANDS, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "outside_commands", raising=False)
    monkeypatch.delenv("MEMGYM_DEBUG", raising=False)
    for name in NAMES:
        monkeypatch.setitem(registry._rows["command"], name, f"outside_commands:{name}")


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return int(ended.value.code or 0)


def test_the_overview_lists_every_command_with_a_line_of_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--help") == 0
    said = capsys.readouterr().out
    assert all(name in said for name in registry.names("command"))
    assert command_help()["replay"] in said


@pytest.mark.parametrize("name", registry.names("command"))
def test_every_command_of_the_house_has_one_line_of_help(name: str) -> None:
    assert command_help()[name].endswith(".")
    assert "\n" not in command_help()[name]


def test_the_overview_imports_no_command() -> None:
    probe = """
import json, sys
from memgym import registry
from memgym.cli import main
try:
    main(["--help"])
except SystemExit:
    pass
homes = {registry.target("command", name).partition(":")[0] for name in registry.names("command")}
print(json.dumps(sorted(homes & set(sys.modules))), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", probe], check=True, capture_output=True, text=True)
    assert json.loads(done.stderr) == []


def test_without_arguments_the_overview_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    run()
    assert "Usage: memgym" in "".join(capsys.readouterr())


def test_the_version_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version") == 0
    assert capsys.readouterr().out == f"memgym {__version__}\n"


def test_an_unknown_command_proposes_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("bnech") == 2
    assert "'bnech'. Did you mean 'bench'?" in capsys.readouterr().err


@pytest.mark.usefixtures("outside")
def test_a_function_becomes_a_command_with_its_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("greet", "Ωmega 世界", "--times", "2") == 0
    assert capsys.readouterr().out == "Hello Ωmega 世界! Hello Ωmega 世界! \n"


@pytest.mark.usefixtures("outside")
def test_the_help_of_a_command_is_its_docstring(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("greet", "--help") == 0
    said = capsys.readouterr().out
    assert "Usage: memgym greet" in said
    assert "More about it." in said


@pytest.mark.usefixtures("outside")
def test_a_typer_app_keeps_its_own_verbs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("app", "get", "hotpotqa") == 0
    assert capsys.readouterr().out == "got hotpotqa\n"


@pytest.mark.usefixtures("outside")
def test_a_verb_of_a_typer_app_is_proposed_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("app", "statsu") == 2
    assert "status" in capsys.readouterr().err


@pytest.mark.usefixtures("outside")
def test_a_command_without_a_line_says_which_package_it_is_from(capsys: pytest.CaptureFixture[str]) -> None:
    run("--help")
    assert "From outside_commands." in capsys.readouterr().out


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("wrong_value", "Error: k is -1; expected 1 or more"),
        ("wrong_name", "Error: There is no agent 'orcle'. Did you mean 'oracle'?"),
        ("no_file", "no-such-file"),
        ("no_extra", 'pip install "memgym[plot]"'),
    ],
)
def test_a_mistake_of_the_user_is_one_line_and_status_2(
    name: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(name) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_a_field_that_pydantic_refuses_is_one_line_without_its_value(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("bench", "--model", "openai:x", "--model-set", "api_key=sk-abc") == 2
    error = capsys.readouterr().err
    assert "model_options: api_key would be written" in error
    assert "sk-abc" not in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("arguments", [("--model", "openai"), ("--agent", "dense-rag", "--encoder", "openai")])
def test_a_part_that_lacks_its_name_says_how_to_write_it(
    arguments: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("bench", "--episodes", "1", "--out", str(tmp_path / "run"), *arguments) == 2
    assert "write openai:NAME" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--model", "--judge"])
def test_a_folder_is_no_name_of_a_model_and_is_told_how_it_becomes_one(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("bench", "--agent", "llm", option, str(tmp_path)) == 2
    assert f"transformers:{tmp_path}, or policy:{tmp_path}" in capsys.readouterr().err


@pytest.mark.usefixtures("outside")
def test_the_debug_variable_shows_where_a_mistake_arose(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMGYM_DEBUG", "1")
    with pytest.raises(ValueError, match="k is -1"):
        main(["wrong_value"])


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize(("name", "error"), [("bug", AssertionError), ("broken_import", ModuleNotFoundError)])
def test_a_mistake_of_ours_is_not_hidden(name: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        main([name])


@pytest.mark.usefixtures("outside")
def test_ctrl_c_ends_with_status_130() -> None:
    assert run("interrupted") == 130


def test_an_installed_package_adds_a_command_by_entry_point(tmp_path: Path) -> None:
    (tmp_path / "outside_commands.py").write_text(COMMANDS, "utf-8")
    metadata = tmp_path / "outside-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: outside\nVersion: 1.0\n", "utf-8")
    (metadata / "entry_points.txt").write_text("[memgym.commands]\ngreet = outside_commands:greet\n", "utf-8")
    path = os.pathsep.join(one for one in (str(tmp_path), os.environ.get("PYTHONPATH", "")) if one)
    done = subprocess.run(
        [sys.executable, "-m", "memgym", "greet", "you"],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.stdout == "Hello you! \n"
