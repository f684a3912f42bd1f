"""Arrow's functions, called without importing `pyarrow.compute`, say what that module says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.runs import settle, write_relax

import rollscope
from rollscope.index import compute

COLUMN = pa.chunked_array([["a", None, "b"], ["a", "c"]])
NUMBERS = pa.chunked_array([[1.5, None], [float("nan"), 2.0, -1.0]])
TABLE = pa.table({"text": COLUMN, "number": NUMBERS})


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8])
def test_rows_are_taken_in_the_order_asked_for(kind: type) -> None:
    rows: NDArray[np.integer[Any]] = np.array([4, 0, 0, 2], dtype=kind)
    assert compute.take(TABLE, rows)["text"].equals(TABLE.take(pa.array(rows))["text"])
    assert compute.take(COLUMN, rows).to_pylist() == ["c", "a", "a", "b"]


def test_every_second_row_of_an_array_is_no_contiguous_buffer_and_is_taken_all_the_same() -> None:
    assert compute.take(COLUMN, np.arange(5, dtype=np.int64)[::2]).to_pylist() == ["a", "b", "c"]


@pytest.mark.parametrize("length", [0, 1, 7, 8, 9, 17])
def test_a_mask_of_any_length_keeps_what_it_says(length: int) -> None:
    values = pa.chunked_array([list(range(length))], pa.int64())
    mask = np.arange(length) % 3 == 0
    assert compute.keep(values, mask).to_pylist() == np.arange(length)[mask].tolist()


def test_distinct_values_get_numbers_and_missing_ones_none() -> None:
    encoded = compute.dictionary_encode(COLUMN)
    assert encoded.dictionary.to_pylist() == ["a", "b", "c"]
    assert encoded.indices.to_pylist() == [0, None, 1, 0, 2]


def test_missing_is_not_nan() -> None:
    assert compute.is_null(NUMBERS).to_pylist() == [False, True, False, False, False]
    assert compute.is_valid(NUMBERS).to_pylist() == [True, False, True, True, True]
    assert len(compute.drop_null(NUMBERS)) == 4
    assert compute.fill_null(NUMBERS, 0.0)[1].as_py() == 0.0


def test_what_is_not_named_here_comes_from_arrow() -> None:
    assert compute.sum(NUMBERS.drop_null().chunk(0)).as_py() == pc.sum(NUMBERS.drop_null().chunk(0)).as_py()
    with pytest.raises(AttributeError):
        _ = compute.no_such_function


def test_the_named_functions_do_not_import_all_of_arrow_compute() -> None:
    code = (
        "import sys, numpy as np, pyarrow as pa\n"
        "from rollscope.index import compute\n"
        "table = pa.Table.from_arrays([compute.numbers(np.array([1, 2]))], ['a'])\n"
        "compute.keep(compute.take(table, np.array([0])), np.array([True]))\n"
        "print('pyarrow.compute' in sys.modules)"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"


BITS = [True, False, False, True, True, False, True, True, False, True, True]


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1, 2, 3], pa.int64()),
        pa.array([1, 2, 3, 4], pa.int32()).slice(1, 2),
        pa.chunked_array(
            [pa.array([1, 2**64 - 1], pa.uint64()), pa.array([], pa.uint64()), pa.array([7], pa.uint64())]
        ),
        pa.chunked_array([pa.array([0.5, float("nan"), -1.0]).slice(2)]),
        pa.chunked_array([pa.array(BITS).slice(3), pa.array(BITS).slice(9, 2), pa.array(BITS).slice(0, 8)]),
        pa.chunked_array([], pa.int64()),
        pa.chunked_array([pa.array([1, None, 3])]),
        NUMBERS,
        COLUMN,
    ],
    ids=lambda column: str(column.type),
)
def test_plain_values_are_those_of_to_numpy(column: pa.ChunkedArray) -> None:
    expected, found = column.to_numpy(), compute.plain(column)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    if column.type != pa.string():
        floats = np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.float64)
        np.testing.assert_array_equal(compute.floats(column), floats)


def test_a_page_and_the_findings_of_an_indexed_run_do_not_import_pandas(tmp_path: Path) -> None:
    """Arrow does where it is installed: 0.4 s and 20 MB that a person would wait for."""
    run = settle(write_relax(tmp_path / "run", steps=2, samples=2))
    rollscope.open(run, index_dir=str(tmp_path / "index")).compute_features()
    code = (
        "import sys, rollscope\n"
        "run = rollscope.open(sys.argv[1], index_dir=sys.argv[2])\n"
        "run.samples(split='train', step=1, preview=True)\n"
        "run.findings_report()\n"
        "print('pandas' in sys.modules)"
    )
    command = [sys.executable, "-c", code, str(run), str(tmp_path / "index")]
    assert subprocess.check_output(command, text=True).strip() == "False"


@given(
    st.sampled_from([pa.int32(), pa.int64(), pa.uint64(), pa.float64(), pa.bool_()]),
    st.lists(st.lists(st.none() | st.integers(0, 1), max_size=12), max_size=24),
    st.integers(0, 5),
)
def test_numbers_are_those_that_arrow_gives(kind: pa.DataType, chunks: list[list[int | None]], start: int) -> None:
    column = pa.chunked_array([pa.array(chunk).cast(kind) for chunk in chunks], kind).slice(start)
    for values in (column, *column.chunks):
        wanted, found = values.to_numpy(zero_copy_only=False), compute.plain(values)
        assert (found.tolist(), found.dtype) == (pytest.approx(wanted.tolist(), nan_ok=True), wanted.dtype)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("", pa.string()),
        ("é\n", pa.string()),
        (True, pa.bool_()),
        (3, pa.int64()),
        (3, pa.float64()),
        ("a", pa.large_string()),
    ],
)
def test_a_scalar_is_the_one_that_arrow_makes(value: Any, kind: pa.DataType) -> None:
    assert compute.scalar(value, kind).equals(pa.scalar(value, kind))
    assert compute.scalar(pa.scalar(value, kind), kind).equals(pa.scalar(value, kind))
