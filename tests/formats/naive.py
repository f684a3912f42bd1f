"""What a file of JSON lines holds, read in the most plain way there is: the reference for every faster reader."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any


def naive_records(path: Path) -> list[dict[str, Any]]:
    """Every line that Python's json takes for an object, in order; bytes that are no UTF-8 as U+FFFD."""
    return [record for record in map(naive_record, path.read_bytes().split(b"\n")) if record is not None]


def naive_record(line: bytes) -> dict[str, Any] | None:
    text = line.decode("utf-8", errors="replace").removeprefix("\ufeff")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def naive_reward(value: Any) -> float | None:
    """A total: a number, or what a dict says under the agreed keys."""
    if isinstance(value, dict):
        return next((float(value[key]) for key in ("total", "score", "reward") if key in value), None)
    return None if value is None else _exact(value)


def _exact(value: Any) -> float | None:
    """The float, unless it would be another number: an integer of many digits."""
    try:
        number = float(value)
    except OverflowError:
        return None
    return None if isinstance(value, int) and int(number) != value else number


def same_number(left: float | None, right: float | None) -> bool:
    if left is None or right is None:
        return left is right
    return left == right or (math.isnan(left) and math.isnan(right))


def named(value: float | None) -> tuple[float | None, str | None]:
    """(as JSON can say it, the word for what it cannot)."""
    if value is None or math.isfinite(value):
        return value, None
    return None, "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
