"""Tables on the console: nothing in them is cut, whether a person or a file reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_ENDLESS = 100_000


def console_for(*tables: Table) -> Console:
    """Return the console to print these tables on: a terminal as wide as it is, anything else as wide as they need."""
    from rich.console import Console

    console = Console(highlight=False)
    if console.is_terminal:
        return console
    wide = Console(width=_ENDLESS)
    needed = max((wide.measure(table).maximum for table in tables), default=console.width)
    return Console(highlight=False, width=max(console.width, needed))


def print_table(table: Table) -> None:
    """Print a table; on a terminal that is too narrow, cells go on in the next line (a word that is too long, too)."""
    for column in table.columns:
        column.overflow = "fold"
    console_for(table).print(table)
