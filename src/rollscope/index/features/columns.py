"""Columns of features: values as Arrow has them, whatever a feature gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rollscope.features.base import Feature, GroupFeature
from rollscope.features.batches.text_batch import Values
from rollscope.index import compute

TYPES: dict[str, pa.DataType] = {
    "string": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "strings": pa.list_(pa.string()),
}
#: The sketch of a group feature, kept so that a group that grows is compared without reading its texts again.
SKETCH = "__sketch."


def column_name(feature: Feature) -> str:
    """Of what is computed of a text by itself."""
    return SKETCH + feature.name if isinstance(feature, GroupFeature) else feature.name


def column_type(feature: Feature) -> pa.DataType:
    return pa.binary() if isinstance(feature, GroupFeature) else TYPES[feature.type]


def text_array(feature: Feature, values: Values) -> pa.Array:
    """What is computed of texts by themselves: values, or the sketches of a group feature, one a row where it is an array."""
    if not isinstance(feature, GroupFeature):
        return feature_array(feature, values)
    if not isinstance(values, np.ndarray):
        return pa.array(values, pa.binary())
    rows, size = values.shape
    starts = np.arange(0, (rows + 1) * size, size, dtype=np.int32) if size else np.zeros(rows + 1, dtype=np.int32)
    content = pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(pa.binary(), rows, [None, pa.py_buffer(starts), content])


def feature_array(feature: Feature, values: Values) -> pa.Array:
    """Of an array of numbers NaN is missing."""
    kind = TYPES[feature.type]
    if isinstance(values, np.ndarray):
        if values.dtype == np.float64 and kind == pa.float64():
            return compute.numbers_known(values, ~np.isnan(values))
        if values.dtype == np.int64 and kind == pa.int64():
            return compute.numbers(values)
        values = values.tolist()
    try:
        return pa.array(values, kind)
    except (UnicodeEncodeError, pa.ArrowException, TypeError, ValueError, OverflowError):
        return pa.array([_coerced(value, feature) for value in values], kind)


def _coerced(value: Any, feature: Feature) -> Any:
    """Text that is no UTF-8 as it can be shown; what is of another type is missing."""
    if isinstance(value, str) and feature.type == "string":
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, (list, tuple)) and feature.type == "strings":
        return [str(item).encode("utf-8", "backslashreplace").decode() for item in value]
    try:
        return pa.scalar(value, TYPES[feature.type]).as_py()
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None


def sketch_rows(column: pa.ChunkedArray) -> NDArray[np.uint8] | None:
    """The sketches as an array, one a row; None where one is missing or they differ in size."""
    if column.null_count or not len(column):
        return None
    array = column.combine_chunks()
    array = array.chunk(0) if isinstance(array, pa.ChunkedArray) else array
    _, starts, content = array.buffers()
    edges = np.frombuffer(starts, dtype=np.int32, count=array.offset + len(array) + 1)[array.offset :]
    size = int(edges[1] - edges[0])
    if not (edges[1:] - edges[:-1] == size).all() or not size:
        return None
    found = np.frombuffer(content, dtype=np.uint8)[edges[0] : edges[-1]]
    return found.reshape(len(array), size)
