"""A bar on the error stream that tells how much of a long piece of work is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Watch = Callable[[int, int], None]
"""Is told how many there are, and how many of them are done."""


@contextmanager
def bar(what: str, total: int | None = None) -> Iterator[Watch]:
    """Show a bar while the block runs, and give what moves it. ``what`` are counted, ``total`` None: not known yet."""
    from rich import progress as parts
    from rich.console import Console

    columns = (
        parts.TextColumn(what), parts.BarColumn(), parts.MofNCompleteColumn(), parts.TimeElapsedColumn(),
        parts.TimeRemainingColumn(),
    )  # fmt: skip
    with parts.Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(what, total=total)
        yield lambda total, done: progress.update(task, total=total, completed=done)
