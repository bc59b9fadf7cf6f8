"""The frame of the command line. Commands are names in the catalogs; one is imported only when it is called."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from memgym import __version__, registry
from memgym.model import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping

DEBUG = "MEMGYM_DEBUG"
USER_ERRORS = (
    registry.UnknownName,
    ImportError,
    ModelError,
    ValueError,
    FileExistsError,
    FileNotFoundError,
    IsADirectoryError,
    NotADirectoryError,
    PermissionError,
)


class CatalogGroup(TyperGroup):
    """A group whose commands are placeholders with a line of help, until one of them is called."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        told = command_help()
        for name in registry.names("command"):
            package = registry.target("command", name).partition(":")[0].partition(".")[0]
            self.commands[name] = TyperCommand(name, help=told.get(name, f"From {package}."))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Replace the placeholder by the real command; an unknown name proposes the nearest (typer does that)."""
        name, placeholder, rest = super().resolve_command(ctx, args)
        return name, placeholder and command(str(name)), rest

    def invoke(self, ctx: Any) -> Any:
        """Run a command. A user's mistake is one red line and exit status 2; MEMGYM_DEBUG=1 shows the traceback."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise typer.Exit(130) from None
        except USER_ERRORS as error:
            if os.environ.get(DEBUG) or isinstance(error, ModuleNotFoundError):
                raise
            say_error(told(error))
            raise typer.Exit(2) from None


def command(name: str) -> Any:
    """Import a command: a ``typer.Typer`` stays one, a function with annotated parameters becomes one."""
    target = registry.load("command", name)
    if isinstance(target, typer.Typer):
        app = target
    else:
        app = typer.Typer(add_completion=False)
        app.command(name)(target)
    return typer.main.get_command(app)


def command_help() -> Mapping[str, str]:
    """Return the one line of help of each command, from the catalogs: nothing is imported for an overview."""
    lines: dict[str, str] = {}
    for module in registry.CATALOGS:
        lines.update(getattr(import_module(module), "COMMAND_HELP", {}))
    return lines


def told(error: Exception) -> str:
    """Return a mistake in one line; of pydantic's report the fields and what is wrong, not values: one may be a key."""
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):
        return str(error) or type(error).__name__
    places = ((".".join(str(part) for part in one["loc"]), one["msg"]) for one in error.errors())
    return "; ".join(f"{place}: {message.removeprefix('Value error, ')}" for place, message in places)


def say_error(message: str) -> None:
    from rich.console import Console

    Console(stderr=True, soft_wrap=True, highlight=False).print(f"Error: {message}", style="red", markup=False)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"memgym {__version__}")
        raise typer.Exit


app = typer.Typer(cls=CatalogGroup, no_args_is_help=True, add_completion=False)


@app.callback()
def memgym(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Gymnasium environments in which the memory of an LLM agent is part of the state."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; ends in SystemExit: 0 done, 2 a mistake of the user's, 130 interrupted."""
    typer.main.get_command(app).main(arguments, prog_name="memgym")
