"""Long tests of what must never happen. `make soak` runs them and prints the figures of docs/reliability.md.

A part is a module with `run(long: bool) -> Figures`: what was done and what came of it, in words and numbers. A violation
is an exception (`Violation`, or a failed assertion), which ends the part and makes the exit status 1.
"""

from __future__ import annotations

Figures = list[tuple[str, str]]


class Violation(Exception):  # noqa: N818  # the word of the documentation
    """Something happened that must not."""
