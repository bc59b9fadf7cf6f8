"""What Ctrl-C does for the length of a block."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any


@contextmanager
def on_interrupt(handler: Any) -> Iterator[None]:
    """Have ``handler`` answer Ctrl-C, a function or one of the signal module's; outside the main thread it cannot."""
    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
