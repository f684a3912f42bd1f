"""How much time and memory one filter or SQL query may take.

They hold for the whole process: they protect the machine, whichever run is asked.
"""

from __future__ import annotations

from typing import NamedTuple


class Limits(NamedTuple):
    seconds: float = 20.0
    memory_mb: int = 512


_current = Limits()


def current() -> Limits:
    return _current


def set_limits(limits: Limits) -> None:
    """Call it before the first query: a connection keeps the memory limit it was made with."""
    global _current  # noqa: PLW0603
    _current = limits
