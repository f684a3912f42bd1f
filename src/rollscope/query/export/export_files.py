"""Samples written to a Parquet, JSONL or CSV file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rollscope.errors import UnreadableError, UsageError
from rollscope.index import compute
from rollscope.model import nonfinite_name
from rollscope.query.samples.texts import RowTexts
from rollscope.query.sql.tables import public
from rollscope.storage.atomic import replacing
from rollscope.storage.store import Store

EXPORT_BATCH = 2_000


def check_outside(store: Store, path: str) -> None:
    """Raise UsageError for a path in the run's own folder: what is written there may be read as samples of it."""
    if store.owns(path):
        raise UsageError(
            f"{path} is in the run's own folder, where it could be read as samples", hint="name another folder"
        )


def write_rows(path: str, table: pa.Table, rows: NDArray[np.int64], texts: RowTexts | None) -> int:
    """Write the rows, batch by batch, so that a selection of any size fits in memory."""
    kind = os.path.splitext(path)[1].lower()
    writers = {".parquet": _write_parquet, ".jsonl": _write_jsonl, ".csv": _write_csv}
    if kind not in writers:
        raise UsageError(
            f"cannot export to {os.path.basename(path)!r}", hint="the name must end in .parquet, .jsonl or .csv"
        )
    if texts is not None:
        texts.check_lengths(rows)
    try:
        with replacing(path, durable=False) as temporary:
            writers[kind](temporary, _batches(table, rows, texts))
    except OSError as error:
        raise UnreadableError(
            f"could not write {path}: {error.strerror or error}", hint="check the folder and its space"
        ) from None
    return len(rows)


def _batches(table: pa.Table, rows: NDArray[np.int64], texts: RowTexts | None) -> Iterator[pa.Table]:
    parts: Iterable[NDArray[np.int64]]
    if texts is not None and len(rows):
        parts = texts.batches(rows, EXPORT_BATCH)
    else:
        parts = (np.asarray(rows[start : start + EXPORT_BATCH]) for start in range(0, max(len(rows), 1), EXPORT_BATCH))
    for part in parts:
        batch = public(compute.take(table, part))
        if texts is not None:
            found = texts.read(part)
            for name in ("prompt", "response"):
                # Taken out of what was read: long texts are not held twice.
                batch = batch.append_column(name, pa.array([text.pop(name, None) for text in found], pa.string()))
            del found
        yield batch


def _write_parquet(path: str, batches: Iterator[pa.Table]) -> None:
    import pyarrow.parquet as pq

    first = next(batches)
    # Texts rarely repeat, and looking for repetitions would hold them once more.
    repeated = [name for name in first.column_names if name not in ("prompt", "response")]
    with (
        open(path, "wb") as file,
        pq.ParquetWriter(file, first.schema, compression="zstd", use_dictionary=repeated) as writer,
    ):
        writer.write_table(first)
        for batch in batches:
            writer.write_table(batch)


def _write_jsonl(path: str, batches: Iterator[pa.Table]) -> None:
    from rollscope.model import encode_json

    with open(path, "wb") as file:
        for batch in batches:
            file.writelines(encode_json(_with_nonfinite(record)) + b"\n" for record in batch.to_pylist())


def _with_nonfinite(record: dict[str, Any]) -> dict[str, Any]:
    """Numbers that JSON has no word for are null, and named beside it, as in every other JSON of ours."""
    odd = {name: word for name, value in record.items() if isinstance(value, float) and (word := nonfinite_name(value))}
    return {**record, **dict.fromkeys(odd), "nonfinite": odd} if odd else record


def _write_csv(path: str, batches: Iterator[pa.Table]) -> None:
    from pyarrow import csv

    first = _flat(next(batches))
    with open(path, "wb") as file, csv.CSVWriter(file, first.schema) as writer:
        writer.write_table(first)
        for batch in batches:
            writer.write_table(_flat(batch))


def _flat(table: pa.Table) -> pa.Table:
    """CSV has no lists: tags and flags are joined with spaces."""
    for place, field in enumerate(table.schema):
        if pa.types.is_list(field.type):
            table = table.set_column(place, field.name, compute.binary_join(table[field.name], " "))
    return table
