"""Recipes on disk: finding one by name or path, ``extends``, dotted overrides, unknown keys, saving what was resolved.

Separate from the schema, which is what every part of training reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel

from memgym.registry import unknown

from .recipe import Recipe

EXTENDS = "extends"
_SUFFIX = ".yaml"
_ABLATIONS = "ablations/"
_HINT = "`memgym recipes` lists those that come with memgym; a path ends in .yaml."


class _Loader(yaml.SafeLoader):
    """YAML in which 1e-6 is a number: PyYAML follows YAML 1.1, where it is a text."""


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][-+]?[0-9]+$"),
    list("-+.0123456789"),
)


def recipe_names() -> list[str]:
    """Return the names of the recipes that come with memgym; those of ablations begin with "ablations/"."""
    places = (("", _folder()), (_ABLATIONS, _folder().joinpath(_ABLATIONS)))
    found = [f"{before}{one.name}" for before, folder in places for one in folder.iterdir()]
    return sorted(
        (one.removesuffix(_SUFFIX) for one in found if one.endswith(_SUFFIX)), key=lambda one: ("/" in one, one)
    )


def load_recipe(name: str | Path, overrides: Iterable[str] = ()) -> Recipe:
    """Return a recipe by name or path, resolved: what it extends, then its own values, then ``grpo.lr=1e-4`` and so on.

    An unknown recipe or key is an UnknownName with the nearest; a value that does not fit is pydantic's
    ValidationError, a ValueError.
    """
    said = _read(str(name), ())
    for override in overrides:
        said = merged(said, _nested(override))
    check_keys(said)
    return Recipe.model_validate(said)


def save_recipe(recipe: Recipe, path: Path) -> None:
    """Write every value of a recipe, so that it reads back equal."""
    text = yaml.safe_dump(recipe.model_dump(mode="json"), sort_keys=False, allow_unicode=True)
    path.write_text(text, encoding="utf-8")


def merged(base: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``base`` with the values of ``more``; mappings are merged, everything else is replaced."""
    done = dict(base)
    for key, value in more.items():
        old = done.get(key)
        done[key] = merged(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return done


def check_keys(said: Mapping[str, Any]) -> None:
    """Raise for the first key that a recipe does not have; options are open, and are checked by whom they are for."""
    known = dict(_keys(Recipe))
    for key in _said(said, known):
        if key not in known:
            raise unknown("key of a recipe named", key, known, "docs/training.md explains them.")


def _keys(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, bool]]:
    """Yield each dotted key, and whether it is a section with keys of its own."""
    for name, field in model.model_fields.items():
        section = _section(field.annotation)
        yield f"{prefix}{name}", section is not None
        if section is not None:
            yield from _keys(section, f"{prefix}{name}.")


def _section(annotation: Any) -> type[BaseModel] | None:
    for one in (annotation, *get_args(annotation)):
        if isinstance(one, type) and issubclass(one, BaseModel):
            return one
    return None


def _said(values: Mapping[str, Any], known: Mapping[str, bool], prefix: str = "") -> Iterator[str]:
    for name, value in values.items():
        key = f"{prefix}{name}"
        yield key
        if known.get(key) and isinstance(value, Mapping):
            yield from _said(value, known, f"{key}.")


def _nested(override: str) -> dict[str, Any]:
    """Read one ``a.b=value`` as nested mappings."""
    key, equals, value = override.partition("=")
    parts = [part.strip() for part in key.split(".")]
    if not equals or not all(parts):
        raise ValueError(f"{override!r} is no override; key=value was expected, for instance grpo.lr=1e-4.")
    if key == EXTENDS:
        raise ValueError("A recipe is extended in its file; on the command line name the recipe itself.")
    nested = _parsed(value, f"The value of {override!r}")
    for part in reversed(parts):
        nested = {part: nested}
    return dict(nested)


def _read(name: str, behind: tuple[str, ...], beside: Path | None = None) -> dict[str, Any]:
    """Return a recipe's values over those of what it extends; ``behind`` are the recipes that led here."""
    place, text, folder = _find(name, beside)
    if place in behind:
        raise ValueError(f"Recipes extend each other in a circle: {' -> '.join((*behind, place))}.")
    said = _parsed(text, place)
    if not isinstance(said, dict) or not all(isinstance(key, str) for key in said):
        raise ValueError(f"{place} holds no recipe; names with values were expected, for instance 'name: mine'.")
    parent = said.pop(EXTENDS, None)
    said.setdefault("name", Path(place).stem)
    return said if parent is None else merged(_read(str(parent), (*behind, place), folder), said)


def _parsed(text: str, what: str) -> Any:
    try:
        return yaml.load(text, _Loader)
    except yaml.YAMLError as error:
        raise ValueError(f"{what} is not YAML: {' '.join(str(error).split())}") from None


def _find(name: str, beside: Path | None) -> tuple[str, str, Path | None]:
    """Return a recipe's place, its text and its folder: a file, one beside the file that names it, or one of ours.

    ``recipes/NAME.yaml`` is ours too, where there is no such file.
    """
    for path in (Path(name), *([beside / name, beside / f"{name}{_SUFFIX}"] if beside else [])):
        if path.suffix == _SUFFIX and path.is_file():
            return str(path), path.read_text("utf-8"), path.parent
    short = name.removeprefix("recipes/").removesuffix(_SUFFIX)
    if short not in recipe_names():
        raise unknown("recipe", name, recipe_names(), _HINT)
    return f"{short}{_SUFFIX}", _folder().joinpath(f"{short}{_SUFFIX}").read_text("utf-8"), None


def _folder() -> Any:
    return files(f"{__package__}.recipes")
