"""Arrow's functions without `pyarrow.compute`, which takes 60 ms to import: half of what a short command may take.

That module writes a Python function with its documentation for each of Arrow's 300. The methods of tables and columns
(`take`, `filter`, `dictionary_encode` …) import it too. The few functions that every command needs are called by name here;
whatever else is asked of this module is taken from there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

_KINDS = {np.dtype(np.int32): pa.int32(), np.dtype(np.int64): pa.int64(), np.dtype(np.float64): pa.float64()}
_PLAIN: dict[pa.DataType, Any] = {
    pa.int32(): np.int32, pa.int64(): np.int64, pa.uint64(): np.uint64, pa.float64(): np.float64, pa.bool_(): np.bool_
}  # fmt: skip


def __getattr__(name: str) -> Any:
    import pyarrow.compute

    return getattr(pyarrow.compute, name)


def call_function(name: str, arguments: list[Any], options: Any = None) -> Any:
    """Where the statistics of steps are the answer, none is called, and what has them is never imported."""
    try:
        from pyarrow._compute import call_function
    except ImportError:  # it is not a public name
        from pyarrow.compute import call_function
    return call_function(name, arguments, options)


#: Rows of a table in many pieces that are taken from at once: Arrow puts all pieces of what it takes from together first.
BLOCK_ROWS = 1 << 18


def take(values: Any, rows: Any) -> Any:
    """Rows of a table or a column by their numbers."""
    if (
        isinstance(rows, np.ndarray)
        and isinstance(values, (pa.Table, pa.ChunkedArray))
        and len(values) > 4 * BLOCK_ROWS
    ):
        return _take_in_blocks(values, rows)
    return call_function("take", [values, rows if isinstance(rows, pa.Array) else numbers(rows)])


def _take_in_blocks(values: Any, rows: Any) -> Any:
    """`take`, one block of the table after the other: blocks without wanted rows are not touched."""
    if len(rows) == 0:
        return values.slice(0, 0)
    in_order = bool((rows[1:] >= rows[:-1]).all())
    order = None if in_order else np.argsort(rows, kind="stable")
    ordered = rows if order is None else rows[order]
    blocks = np.unique(ordered // BLOCK_ROWS)
    cuts = [*np.searchsorted(ordered, blocks * BLOCK_ROWS).tolist(), len(ordered)]
    parts = []
    for block, start, end in zip(blocks.tolist(), cuts, cuts[1:]):
        first = block * BLOCK_ROWS
        local = numbers(ordered[start:end] - first)
        parts.append(call_function("take", [values.slice(first, BLOCK_ROWS), local]))
    if isinstance(values, pa.Table):
        found = pa.concat_tables(parts)
    else:
        found = pa.chunked_array([chunk for part in parts for chunk in part.chunks], values.type)
    if order is None:
        return found
    back = np.empty(len(order), dtype=np.int64)
    back[order] = np.arange(len(order))
    return call_function("take", [found.combine_chunks(), numbers(back)])


def numbers(rows: Any) -> pa.Array:
    """`pa.array` of numbers without its look for masked arrays, for which it imports all of `numpy.ma` (8 ms)."""
    kind = _KINDS.get(rows.dtype) if isinstance(rows, np.ndarray) else None
    if kind is None:
        return pa.array(rows)
    return pa.Array.from_buffers(kind, len(rows), [None, pa.py_buffer(np.ascontiguousarray(rows))])


def numbers_known(values: Any, known: NDArray[np.bool_]) -> Any:
    """The same where some are missing."""
    if known.all():
        return numbers(values)
    kind, content = _KINDS[values.dtype], pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(kind, len(values), [pa.py_buffer(np.packbits(known, bitorder="little")), content])


def floats(column: pa.ChunkedArray | pa.Array) -> NDArray[np.float64]:
    """Numbers as floats, missing ones as NaN. Arrow's own cast refuses a column for one integer that no float holds."""
    if column.type == pa.float64():
        return plain(fill_null(column, float("nan")))
    if column.type in _PLAIN and column.null_count == 0:
        return plain(column).astype(np.float64)
    return np.asarray(plain(column), dtype=np.float64)


#: From here on Arrow puts pieces together in less time than looking at each of them takes.
MANY_CHUNKS = 16


def plain(column: pa.ChunkedArray | pa.Array) -> NDArray[Any]:
    """`column.to_numpy()` without Arrow's import of pandas, where that is installed: 0.4 CPU s and 20 MB. Not to be written
    to. Where numbers are missing all are floats, those NaN."""
    kind = _PLAIN.get(column.type)
    if kind is None or (column.null_count and kind is np.bool_):
        found: NDArray[Any] = column.to_numpy(zero_copy_only=False)
        return found
    if isinstance(column, pa.ChunkedArray) and column.num_chunks > MANY_CHUNKS:
        return plain(column.combine_chunks())
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    pieces = [_chunk(chunk, kind) for chunk in chunks if len(chunk)]
    values = pieces[0] if len(pieces) == 1 else np.concatenate(pieces) if pieces else np.empty(0, dtype=kind)
    if column.null_count:
        values = values.astype(np.float64)
        values[plain(is_null(column))] = np.nan
    return values


def _chunk(chunk: pa.Array, kind: Any) -> NDArray[Any]:
    start, end = chunk.offset, chunk.offset + len(chunk)
    content = chunk.buffers()[1]
    if kind is np.bool_:
        bits = np.frombuffer(content, dtype=np.uint8)[start // 8 : (end + 7) // 8]
        return np.unpackbits(bits, bitorder="little")[start % 8 : start % 8 + len(chunk)].view(np.bool_)
    return np.frombuffer(content, dtype=kind, count=end)[start:]


def keep(values: Any, mask: Any) -> Any:
    """Rows of a table or a column for which the mask is true."""
    return call_function("filter", [values, mask if isinstance(mask, pa.Array) else flags(mask)])


def flags(mask: Any) -> pa.Array:
    """An Arrow array of booleans, made as `numbers` makes one of numbers."""
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        return pa.array(mask)
    return pa.Array.from_buffers(pa.bool_(), len(mask), [None, pa.py_buffer(np.packbits(mask, bitorder="little"))])


def dictionary_encode(column: pa.ChunkedArray | pa.Array) -> pa.DictionaryArray:
    """The column in one piece, with its distinct values and a number for each."""
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return call_function("dictionary_encode", [whole])


def fill_null(values: Any, value: Any) -> Any:
    if values.null_count == 0:
        return values
    return call_function("coalesce", [values, scalar(value, values.type)])


def scalar(value: Any, kind: pa.DataType) -> pa.Scalar:
    """`pa.scalar` without Arrow's import of pandas, of the kinds that are asked for most."""
    if isinstance(value, pa.Scalar):
        return value
    if kind == pa.string() and isinstance(value, str):
        content = value.encode()
        sizes = np.array([0, len(content)], dtype=np.int32)
        return pa.Array.from_buffers(kind, 1, [None, pa.py_buffer(sizes), pa.py_buffer(content)])[0]
    if kind == pa.bool_() and isinstance(value, bool):
        return flags(np.array([value]))[0]
    if kind in _PLAIN and isinstance(value, (int, float)) and not isinstance(value, bool):
        given = pa.py_buffer(np.array([value], dtype=_PLAIN[kind]))
        return pa.Array.from_buffers(kind, 1, [None, given])[0]
    return pa.scalar(value, kind)


def flatten(values: Any) -> Any:
    """The values of an array of lists, one after the other."""
    return call_function("list_flatten", [values])


def list_value_length(values: Any) -> Any:
    return call_function("list_value_length", [values])


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
