"""``memgym train`` and ``memgym recipes``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from .recipe import Recipe
from .recipe_files import load_recipe, recipe_names


def train(
    recipe: Annotated[str | None, typer.Argument(help="A recipe by name or path (memgym recipes lists names).")] = None,
    overrides: Annotated[list[str] | None, typer.Argument(help="Changed values: grpo.lr=1e-4 and so on.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the run (default: the next free one in runs/).")] = None,
    resume: Annotated[Path | None, typer.Option(help="Go on with the run in this folder.")] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Print the resolved recipe and verl's values, checked by verl if it is there."),
    ] = False,
    untested: Annotated[bool, typer.Option("--untested", help="Allow a trainer mode that was never run.")] = False,
) -> None:
    """Train a policy to manage its memory, as a recipe says: GRPO by verl, on CPUs or GPUs."""
    from .verl.config import check_mode

    if (recipe is None) is (resume is None):
        raise ValueError("Name a recipe, or a folder with --resume: one of the two was expected.")
    if resume is not None:
        _resume(resume, overrides or (), untested=untested)
        return
    resolved = load_recipe(str(recipe), overrides or ())
    check_mode(resolved, untested=untested)
    if dry_run:
        show(resolved)
        return
    from .folder import TrainingFolder

    _run(TrainingFolder.create(out, resolved))


def _resume(path: Path, overrides: Sequence[str], *, untested: bool) -> None:
    from .folder import TrainingFolder
    from .verl.config import check_mode

    if overrides:
        raise ValueError(
            f"A run goes on as it began: {overrides[0]} would change it. For other values start another run."
        )
    folder = TrainingFolder.resume(path)
    check_mode(folder.recipe, untested=untested)
    _run(folder)


def _run(folder: Any) -> None:
    """Train; where it stops before its end, say why, and how to go on."""
    from .results import show_table
    from .running import train as run
    from .verl.export import ExportFailed
    from .verl.launch import TrainingFailed

    go_on = f"Go on with: memgym train --resume {folder.path}"
    try:
        rows = run(folder, lambda said: typer.echo(f"[memgym] {said}"))
    except KeyboardInterrupt:
        typer.echo(f"Stopped. {go_on}", err=True)
        raise
    except (TrainingFailed, ExportFailed) as failed:
        typer.echo(f"{failed}\n{go_on}", err=True)
        raise typer.Exit(1) from None
    show_table(rows)
    typer.echo(f"Run folder: {folder.path}. The curves: memgym report {folder.path}")


def show(recipe: Recipe) -> None:
    """Print a recipe with all values, then what verl is told; where verl is installed it checks that."""
    import yaml

    from .verl.config import Places, overrides, settings

    typer.echo(yaml.safe_dump(recipe.model_dump(mode="json"), sort_keys=False, allow_unicode=True))
    values = settings(recipe, Places.within(Path(recipe.folder or "RUN"), recipe.model.path))
    typer.echo("# what verl is told\n" + "\n".join(overrides(values)))
    typer.echo("# " + checked(values))


def checked(values: dict[str, Any]) -> str:
    """Return what verl's own checks say of its values; what they refuse they raise."""
    from .verl.config import compose, validate

    try:
        config = compose(values)
    except ImportError as missing:
        return f"Not checked by verl: {missing}"
    validate(config)
    return "verl's own checks passed."


def recipes(
    name: Annotated[str | None, typer.Argument(help="A recipe to print, with what it extends resolved.")] = None,
) -> None:
    """List the recipes that come with memgym, or print one."""
    if name is not None:
        import yaml

        typer.echo(yaml.safe_dump(load_recipe(name).model_dump(mode="json"), sort_keys=False, allow_unicode=True))
        return
    from rich.table import Table

    from memgym.printing import print_table

    table = Table(box=None, pad_edge=False)
    for column in ("recipe", "runs on", "about"):
        table.add_column(column, no_wrap=column != "about")
    for one in recipe_names():
        made = load_recipe(one)
        table.add_row(one, _machine(made), made.about)
    print_table(table)


def _machine(recipe: Recipe) -> str:
    hardware = recipe.hardware
    if hardware.device == "cpu":
        return "CPU"
    return f"{hardware.nodes} x {hardware.gpus} GPUs" if hardware.nodes > 1 else f"{hardware.gpus} GPUs"
