"""Values of a training loop as JSON values: copied, so that later changes do not leak in, and never an exception.

What has no JSON form is kept as text and reported to ``complain``; numbers JSON has no word for are named beside the
value. The exact types ``float``, ``int`` and ``str`` are tested first: they are nearly all there is, and a row of fifty
metrics has 50 µs.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Iterable, Mapping, Set
from typing import Any

from rollscope.model import nonfinite_name

Complain = Callable[[str], None]

#: Nesting below this is written as text. Deeper values are cycles in practice.
MAX_DEPTH = 64
#: Text made of an object that has no JSON form is cut here.
MAX_OBJECT_TEXT = 2_000
#: Beyond these JSON readers (and msgspec) lose or refuse an integer; it is written as a float.
MIN_INT, MAX_INT = -(2**63), 2**64 - 1

_PLAIN = frozenset({float, int, bool, str, type(None)})
#: What :func:`as_scalar` gives for a value that is no scalar.
ABSENT: Any = object()


def as_scalar(value: Any) -> Any:
    """A number, bool, text or None as the plain Python value; ``ABSENT`` for anything else."""
    kind = type(value)
    if kind is float or kind is str or kind is bool or value is None:
        return value
    if kind is int:
        return value if MIN_INT <= value <= MAX_INT else _as_float(value)
    if isinstance(value, (bool, float, str)):
        return float(value) if isinstance(value, float) else value if isinstance(value, bool) else str.__str__(value)
    if isinstance(value, int):
        return as_scalar(int(value))
    if isinstance(value, (list, tuple, Mapping, Set, bytes)):
        return ABSENT
    return _foreign_scalar(value)


def _foreign_scalar(value: Any) -> Any:
    """numpy and torch scalars (and arrays of one element), Decimal, Fraction and whatever else is one number."""
    try:
        if callable(item := getattr(value, "item", None)):
            if getattr(value, "size", 1) == 1 or _elements(value) == 1:
                item_value = item()
                return ABSENT if item_value is value else as_scalar(item_value)
            return ABSENT
        if hasattr(value, "__float__") and not isinstance(value, type):
            return _as_float(value)
    except Exception:  # noqa: BLE001  # a foreign object may raise anything; it is then no scalar
        return ABSENT
    return ABSENT


def _elements(value: Any) -> int | None:
    """How many elements a tensor has; torch's ``size`` is a method, so it needs ``numel``."""
    numel = getattr(value, "numel", None)
    return int(numel()) if callable(numel) else None


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def as_number(value: Any) -> float | None:
    """A float for anything that is one number; None for None. Raises TypeError for the rest, text included."""
    if type(value) is float:
        return value
    scalar = as_scalar(value)
    if scalar is None:
        return None
    if isinstance(scalar, (bool, int, float)):
        return _as_float(scalar)
    raise TypeError(f"{type(value).__name__} is not a number")


def as_count(value: Any) -> int | None:
    """An integer for anything that is a whole number; None for None. Raises TypeError for the rest."""
    if type(value) is int:
        return value
    number = as_number(value)
    if number is None:
        return None
    if not math.isfinite(number) or number != int(number):
        raise TypeError(f"{value!r} is not a whole number")
    return int(number)


def numbers(values: Mapping[str, Any], path: str, nonfinite: dict[str, str], complain: Complain) -> dict[str, float]:
    """The numbers of a (nested) mapping, copied and flattened with ``/``. Missing values are left out; so are non-finite
    ones, which are named in ``nonfinite`` under ``path``."""
    out: dict[str, float] = {}
    for name, value in flat(values):
        number = value if type(value) is float else number_or_none(value, f"{path}/{name}", complain)
        if number is not None:
            if math.isfinite(number):
                out[name] = number
            else:
                nonfinite[f"{path}/{name}"] = str(nonfinite_name(number))
    return out


def number_or_none(value: Any, path: str, complain: Complain) -> float | None:
    try:
        return as_number(value)
    except TypeError:
        complain(f"{path} is {_describe(value)}, not a number; it was left out")
        return None


def count_or_none(value: Any, path: str, complain: Complain) -> int | None:
    try:
        return as_count(value)
    except TypeError as error:
        complain(f"{path} was left out: {error}")
        return None


def flat(values: Mapping[Any, Any], prefix: str = "", depth: int = 0) -> Iterable[tuple[str, Any]]:
    """The leaves of nested mappings, their keys joined with ``/``."""
    for key, value in values.items():
        name = key if type(key) is str else str(key)
        # Asking an abstract class costs more than all the rest of a row.
        if type(value) not in _PLAIN and isinstance(value, Mapping) and depth < MAX_DEPTH:
            yield from flat(value, f"{prefix}{name}/", depth + 1)
        else:
            yield prefix + name, value


def plain(
    value: Any, complain: Complain, *, path: str = "", nonfinite: dict[str, str] | None = None, depth: int = 0
) -> Any:
    """A deep copy of ``value`` in dicts, lists, text, numbers, bools and None."""
    scalar = as_scalar(value)
    if scalar is not ABSENT:
        if type(scalar) is float and not math.isfinite(scalar):
            name = nonfinite_name(scalar)
            if nonfinite is None:
                return name
            nonfinite[path] = str(name)
            return None
        return scalar
    if depth >= MAX_DEPTH:
        complain(f"{path or 'a value'} is nested more than {MAX_DEPTH} deep; the rest is written as text")
        return _describe(value)

    def child(key: str, item: Any) -> Any:
        return plain(item, complain, path=f"{path}/{key}" if path else key, nonfinite=nonfinite, depth=depth + 1)

    if isinstance(value, Mapping):
        return {str(key): child(str(key), item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [child(str(place), item) for place, item in enumerate(value)]
    if isinstance(value, Set):
        return [child(str(place), item) for place, item in enumerate(sorted(value, key=repr))]
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode("ascii")
    return _foreign(value, complain, child, path)


def _foreign(value: Any, complain: Complain, child: Callable[[str, Any], Any], path: str) -> Any:
    """Arrays as lists, Structs and dataclasses as dicts, the rest as text."""
    try:
        if callable(tolist := getattr(value, "tolist", None)):
            return [child(str(place), item) for place, item in enumerate(tolist())]
        fields = getattr(value, "__struct_fields__", None) or getattr(value, "__dataclass_fields__", None)
        if fields is not None and not isinstance(value, type):
            return {name: child(name, getattr(value, name)) for name in fields}
    except Exception as error:  # noqa: BLE001  # a foreign object may raise anything
        complain(f"{path or 'a value'} could not be read ({type(error).__name__}: {error}); it is written as text")
        return object_text(value)
    complain(f"{path or 'a value'} is {_describe(value)}, which has no JSON form; it is written as text")
    return object_text(value)


def object_text(value: Any) -> str:
    """What ``str()`` says of an object, cut, and never an exception."""
    try:
        text = str(value)
    except Exception:  # noqa: BLE001  # a broken __str__ is the caller's bug, not the recorder's
        return f"<{type(value).__name__} that cannot be shown>"
    if len(text) > MAX_OBJECT_TEXT:
        return f"{text[:MAX_OBJECT_TEXT]}… ({len(text):,} characters, cut at {MAX_OBJECT_TEXT:,})"
    return text


def _describe(value: Any) -> str:
    return f"of type {type(value).__module__}.{type(value).__qualname__}"


def valid_text(text: str) -> str:
    """Text that UTF-8 can hold: halves of a surrogate pair are joined, a lone one is spelled out (``\\ud800``)."""
    if text.isascii():
        return text
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return joined.encode("utf-8", "backslashreplace").decode("utf-8")


def valid_tree(value: Any) -> Any:
    """The same JSON value with every text made valid (see :func:`valid_text`). Keys too."""
    if isinstance(value, str):
        return valid_text(value)
    if isinstance(value, dict):
        return {valid_text(key): valid_tree(item) for key, item in value.items()}
    if isinstance(value, list):
        return [valid_tree(item) for item in value]
    return value
