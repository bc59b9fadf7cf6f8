"""Options as a person types them: ``name=value`` with YAML values, for every command that takes ``--set``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import yaml


def parse_settings(settings: Iterable[str]) -> dict[str, Any]:
    """Return ``["k=3", "encoder=minilm", "questions=[1, 10]"]`` as a dict with typed values.

    A setting without "=" or with a value that is no YAML is a ValueError that shows it. Lists become tuples' JSON twin
    (lists); a later setting of the same name wins.
    """
    parsed: dict[str, Any] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name.strip():
            raise ValueError(f"{setting!r} is no setting; name=value was expected, for instance k=3.")
        try:
            parsed[name.strip()] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise ValueError(f"The value of {setting!r} is no YAML: {error}") from error
    return parsed
