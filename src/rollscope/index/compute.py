"""Arrow's functions without `pyarrow.compute`, which takes 60 ms to import: half of what a short command may take.

That module writes a Python function with its documentation for each of Arrow's 300. The methods of tables and columns
(`take`, `filter`, `dictionary_encode` …) import it too. The few functions that every command needs are called by name here;
whatever else is asked of this module is taken from there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

try:
    from pyarrow._compute import call_function
except ImportError:  # it is not a public name
    from pyarrow.compute import call_function

_KINDS = {np.dtype(np.int32): pa.int32(), np.dtype(np.int64): pa.int64()}


def __getattr__(name: str) -> Any:
    import pyarrow.compute

    return getattr(pyarrow.compute, name)


def take(values: Any, rows: Any) -> Any:
    """Rows of a table or a column by their numbers."""
    return call_function("take", [values, rows if isinstance(rows, pa.Array) else numbers(rows)])


def numbers(rows: Any) -> pa.Array:
    """`pa.array` of numbers without its look for masked arrays, for which it imports all of `numpy.ma` (8 ms)."""
    kind = _KINDS.get(rows.dtype) if isinstance(rows, np.ndarray) else None
    if kind is None:
        return pa.array(rows)
    return pa.Array.from_buffers(kind, len(rows), [None, pa.py_buffer(np.ascontiguousarray(rows))])


def keep(values: Any, mask: Any) -> Any:
    """Rows of a table or a column for which the mask is true."""
    return call_function("filter", [values, mask if isinstance(mask, pa.Array) else flags(mask)])


def flags(mask: Any) -> pa.Array:
    """As `numbers`, for a mask."""
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        return pa.array(mask)
    return pa.Array.from_buffers(pa.bool_(), len(mask), [None, pa.py_buffer(np.packbits(mask, bitorder="little"))])


def dictionary_encode(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """The column in one piece, with its distinct values and a number for each."""
    return call_function("dictionary_encode", [column.combine_chunks()])


def fill_null(values: Any, value: Any) -> Any:
    if values.null_count == 0:
        return values
    return call_function("coalesce", [values, pa.scalar(value, values.type)])


def is_null(values: Any) -> Any:
    return call_function("is_null", [values])


def is_valid(values: Any) -> Any:
    return call_function("is_valid", [values])


def drop_null(values: Any) -> Any:
    return values if values.null_count == 0 else call_function("drop_null", [values])


def equal(values: Any, value: Any) -> Any:
    return call_function("equal", [values, value])


def coalesce(*values: Any) -> Any:
    return call_function("coalesce", list(values))
