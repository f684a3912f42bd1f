"""Values of features as columns: what is of another type is missing, and half characters can be shown."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from rollscope.features.base import Feature
from rollscope.features.registry import registry
from rollscope.index.features.columns import SKETCH, column_name, column_type, feature_array, sketch_rows, text_array


def feature(kind: Any) -> Feature:
    return Feature(name="text.own", type=kind, title="Own", about="Own.", compute=lambda texts: None)


@pytest.mark.parametrize(
    ("kind", "values", "column"),
    [
        ("integer", [1, None, 3], [1, None, 3]),
        ("integer", [1, "two", 2**70], [1, None, None]),
        ("number", np.array([0.5, math.nan]), [0.5, None]),
        ("integer", np.array([4, 5]), [4, 5]),
        ("string", ["a", "\ud800", 3], ["a", "\\ud800", None]),
        ("strings", [["a", "\ud800"], None], [["a", "\\ud800"], None]),
        ("boolean", [True, None], [True, None]),
    ],
)
def test_values_of_another_type_are_missing(kind: str, values: Any, column: list[Any]) -> None:
    made = feature_array(feature(kind), values)
    assert made.to_pylist() == column
    assert made.type == column_type(feature(kind))


def test_a_group_s_feature_is_kept_as_sketches() -> None:
    (similar, *_) = registry().group_features
    assert column_name(similar) == SKETCH + similar.name
    assert column_name(feature("integer")) == "text.own"
    sketches = np.arange(12, dtype=np.uint8).reshape(3, 4)
    column = text_array(similar, sketches)
    assert column.type == column_type(similar) == pa.binary()
    found = sketch_rows(pa.chunked_array([column.slice(1)]))
    assert found is not None
    assert found.tolist() == sketches[1:].tolist()


@pytest.mark.parametrize("sketches", [[], [b"ab", None], [b"ab", b"abc"], [b""]])
def test_sketches_that_are_missing_or_of_several_sizes_are_no_array(sketches: list[bytes | None]) -> None:
    assert sketch_rows(pa.chunked_array([pa.array(sketches, pa.binary())])) is None
