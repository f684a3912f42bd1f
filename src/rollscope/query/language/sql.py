"""SQL text that is safe because of how it is written: names between double quotes, texts between single ones, quotes
inside doubled, numbers as numbers. DuckDB knows no backslash escapes in either."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rollscope.query.language.ast import Value

_LARGEST_INTEGER: Final = 2**64
#: Stands in no name that anybody writes.
_MARK: Final = "\x1f"


def identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def column_name(name: str) -> str:
    """The name under which a column of the index stands in a table for DuckDB, whose names ignore case: those that differ
    only in case must differ otherwise. Names without capitals stay as they are."""
    if name == name.lower() and _MARK not in name:
        return name
    capitals = sum(1 << place for place, sign in enumerate(name) if sign != sign.lower())
    return f"{name}{_MARK}{capitals:x}"


def literal(value: Value) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, int):
        if abs(value) < _LARGEST_INTEGER:
            return str(value)
        value = _as_float(value)
    if math.isinf(value):
        return "CAST('infinity' AS DOUBLE)" if value > 0 else "CAST('-infinity' AS DOUBLE)"
    # With an exponent it is a DOUBLE; without, DuckDB would read a DECIMAL and compare that.
    text = repr(value)
    return text if "e" in text else f"{text}e0"


def _as_float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def number_text(value: float) -> str:
    """A number as a text column holds it: ``3``, also where the filter says ``3.0``."""
    return str(int(value)) if isinstance(value, int) or value.is_integer() else repr(value)


def true_or_false(condition: str) -> str:
    """Never unknown: what SQL calls NULL is false."""
    return f"coalesce({condition}, FALSE)"


def all_of(conditions: list[str]) -> str:
    needed = [condition for condition in conditions if condition != "TRUE"]
    return f"({' AND '.join(needed)})" if needed else "TRUE"


def any_of(conditions: list[str]) -> str:
    return "TRUE" if "TRUE" in conditions else f"({' OR '.join(conditions)})"
