"""Index rows as answers: scalars of samples, with numbers that JSON can hold.

Built column by column: a step of 1,024 rows is asked for with every click.
"""

from __future__ import annotations

import math
import re
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

from rollscope.fields import STORED
from rollscope.index import compute
from rollscope.model import nonfinite_name
from rollscope.query.answers import SampleRow

#: What a row is made of, in order; the starts of texts come later, where they are asked for.
_GIVEN = tuple(name for name in SampleRow.__struct_fields__ if not name.endswith("_start") and name != "features")


#: Python makes no integer of a text of more than 4,300 digits.
MAX_DIGITS = 4_000
#: As it is written when it is a number, so that nothing is lost: no plus, no leading zeros.
_INTEGER = re.compile(r"0|-?[1-9][0-9]*")


@cache
def group_name(text: str | None) -> int | str | None:
    """Groups are kept as text; a canonical integer is shown as the integer the source had."""
    if text is None or len(text) > MAX_DIGITS or not _INTEGER.fullmatch(text):
        return text
    return int(text)


def finite(name: str, value: float | None, nonfinite: dict[str, str]) -> float | None:
    """The number, or None with its name noted when JSON has no word for it."""
    if value is None or math.isfinite(value):
        return value
    nonfinite[name] = nonfinite_name(value) or "NaN"
    return None


def sample_rows(table: pa.Table, run: str) -> list[SampleRow]:
    count = table.num_rows
    nonfinite: list[dict[str, str]] = [{} for _ in range(count)]
    # By name, once: a table looks through all its names for each that is asked.
    columns = dict(zip(table.column_names, table.columns))

    def column(name: str) -> list[Any]:
        return columns[name].to_pylist() if name in columns else [None] * count

    def numbers(name: str) -> list[float | None]:
        values = column(name)
        if name not in columns or not _has_nonfinite(columns[name]):
            return values
        return [finite(name, value, noted) for value, noted in zip(values, nonfinite)]

    def named(kind: str) -> list[dict[str, float | None]]:
        names = [name for name in columns if name.startswith(f"{kind}.")]
        short = [name.removeprefix(f"{kind}.") for name in names]
        present = [compute.is_valid(columns[name]).to_pylist() for name in names]
        rows: list[dict[str, float | None]] = [{} for _ in range(count)]
        for key, values, there in zip(short, map(numbers, names), present):
            for row, value, known in zip(rows, values, there):
                if known:
                    row[key] = value
        return rows

    found: dict[str, list[Any]] = {
        field.name: numbers(field.name) if field.type == "number" else column(field.name) for field in STORED
    }
    places = zip(found["split"], found["step"], found["index"])
    found["address"] = [f"{split}/{step}/{index}" for split, step, index in places]
    found["group"] = [group_name(text) for text in found["group"]]
    found["tags"] = [tags or [] for tags in found["tags"]]
    found["attempt"] = [attempt or 0 for attempt in found["attempt"]]
    found["prompt_id"] = [None] * count
    found["metrics"], found["rewards"] = named("metrics"), named("rewards")
    found["run"], found["nonfinite"] = [run] * count, nonfinite
    return list(map(SampleRow, *(found[name] for name in _GIVEN)))


def _has_nonfinite(column: pa.ChunkedArray) -> bool:
    values = compute.plain(compute.drop_null(column))
    return bool(len(values)) and not bool(np.isfinite(values).all())
