"""Numbers as people read them."""

from __future__ import annotations

import math

MISSING = "–"


def number(value: float | int | None, nonfinite: str | None = None) -> str:
    """Four digits that count; a whole number whole; a missing value is a dash and never 0.

    ``nonfinite`` is the name of a value that JSON has no word for ("NaN")."""
    if value is None:
        return nonfinite or MISSING
    if isinstance(value, float) and not math.isfinite(value):
        from rollscope.model import nonfinite_name

        return str(nonfinite_name(value))
    if isinstance(value, int):
        return str(int(value))  # True is 1
    if abs(value) < 1e15 and value.is_integer():
        return f"{value:.0f}"  # which knows -0
    return f"{value:.4g}"


def byte_count(count: int) -> str:
    """``812 B``, ``3.4 MB``: powers of 1,000, as disks count."""
    if count < 1000:
        return f"{count} B"
    size = float(count)
    for unit in ("kB", "MB", "GB", "TB"):
        size /= 1000
        if size < 999.5 or unit == "TB":
            break
    return f"{size:.1f} {unit}" if size < 10 else f"{size:.0f} {unit}"


def duration(seconds: float) -> str:
    """``8 s``, ``3 min``, ``2 h 5 min``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def plural(count: int, noun: str) -> str:
    """``1 run``, ``12,000 runs``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def percent(share: float) -> str:
    """``12%``, ``0.35%``: two digits that count. What is not all is never 100%."""
    value = 100 * share
    if 99.5 <= value < 100:
        return "> 99%"
    return f"{value:.0f}%" if value >= 10 or value == 0 else f"{value:.2g}%"
