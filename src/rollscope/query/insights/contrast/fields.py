"""Numbers and categories of two selections beside each other."""

from __future__ import annotations

from collections.abc import Iterator
from math import asin, sqrt
from typing import Annotated

import numpy as np
import pyarrow as pa
from msgspec import Meta, Struct

from rollscope.arrays import Rows
from rollscope.fields import BY_NAME, SPACE_PREFIXES
from rollscope.index import compute
from rollscope.index.rows.run_order import rows_by_parts
from rollscope.index.segments.rows import SCHEMA

#: A category with more values than this is a name.
MAX_VALUES = 100


class FieldContrast(Struct, kw_only=True):
    """A field of both sides: the means of a number, or the shares of one value of a category."""

    field: str
    value: Annotated[str | None, Meta(description="The value whose shares these are; null for a number.")]
    a: Annotated[float, Meta(description="Mean, or share, where it is known.")]
    b: float
    effect: Annotated[
        float,
        Meta(
            description="a minus b: of means in standard deviations (Cohen's d), of shares in their arcs (Cohen's h). About "
            "0.2 is small, 0.5 middling, 0.8 large."
        ),
    ]
    a_n: Annotated[int, Meta(description="Samples of a in which it is known.")]
    b_n: int


def field_contrasts(a: tuple[pa.Table, Rows], b: tuple[pa.Table, Rows], limit: int | None) -> list[FieldContrast]:
    """Every number and category that both sides have, the greatest effects first; what does not differ is left out."""
    names = dict.fromkeys(name for table, _ in (a, b) for name in table.column_names)
    found: list[FieldContrast] = []
    for name in names:
        if not all(name in table.column_names for table, _ in (a, b)) or not _is_told(name):
            continue
        kind = a[0].schema.field(name).type
        if pa.types.is_floating(kind) or pa.types.is_integer(kind):
            found += _numbers(name, _moments(name, *a), _moments(name, *b))
        elif pa.types.is_string(kind) or pa.types.is_list(kind):
            found += _shares(name, _tally(name, *a), _tally(name, *b))
    return sorted(found, key=lambda row: (-abs(row.effect), row.field, row.value or ""))[:limit]


def _known_parts(name: str, table: pa.Table, rows: Rows) -> Iterator[pa.ChunkedArray]:
    """The values there are, a part of a large run after the other."""
    for _, part, own in rows_by_parts(table, rows):
        yield compute.drop_null(compute.take(part[name], own))


def _is_told(name: str) -> bool:
    """Names of samples, and where they lie, tell nothing."""
    if name in BY_NAME:
        return BY_NAME[name].kind != "identity" and name not in ("split", "attempt")
    return name.startswith(SPACE_PREFIXES) or name not in (*SCHEMA, "file")


class _Moments(Struct):
    """Of the finite numbers of a side. `squares`: the sum of their squared distances from the mean."""

    count: int = 0
    mean: float = 0.0
    squares: float = 0.0


def _moments(name: str, table: pa.Table, rows: Rows) -> _Moments:
    found = _Moments()
    with np.errstate(over="ignore", invalid="ignore"):
        for known in _known_parts(name, table, rows):
            values = compute.plain(known).astype(np.float64)
            values = values[np.isfinite(values)]
            if len(values):
                own = _Moments(len(values), float(values.mean()), float(values.var()) * len(values))
                found = _merged(found, own) if found.count else own
    return found


def _merged(a: _Moments, b: _Moments) -> _Moments:
    """Of both together (Chan, Golub and LeVeque 1983)."""
    count = a.count + b.count
    apart = np.float64(b.mean) - a.mean
    squares = a.squares + b.squares + apart * apart * (a.count * b.count / count)
    return _Moments(count, float(a.mean + apart * (b.count / count)), float(squares))


def _numbers(name: str, a: _Moments, b: _Moments) -> Iterator[FieldContrast]:
    if a.count < 2 or b.count < 2:
        return
    with np.errstate(over="ignore", invalid="ignore"):
        spread = sqrt((a.squares + b.squares) / (a.count + b.count - 2))
        effect = (a.mean - b.mean) / spread if spread else 0.0
    if effect and np.isfinite([effect, a.mean, b.mean]).all():
        yield FieldContrast(field=name, value=None, a=a.mean, b=b.mean, effect=effect, a_n=a.count, b_n=b.count)


def _tally(name: str, table: pa.Table, rows: Rows) -> tuple[int, dict[str, int]]:
    """(samples in which it is known, how many have each value): no more values than show that there are too many."""
    size = 0
    counts: dict[str, int] = {}
    for known in _known_parts(name, table, rows):
        size += len(known)
        values = compute.list_flatten(known) if pa.types.is_list(known.type) else known
        tally = compute.value_counts(values.combine_chunks())
        for value, count in zip(tally.field(0).to_pylist(), tally.field(1).to_pylist()):
            counts[value] = counts.get(value, 0) + count
        if len(counts) > MAX_VALUES:
            break
    return size, counts


def _shares(name: str, *sides: tuple[int, dict[str, int]]) -> Iterator[FieldContrast]:
    sizes, counts = [size for size, _ in sides], [tally for _, tally in sides]
    values = list(dict.fromkeys([*counts[0], *counts[1]]))
    if not all(sizes) or len(values) > MAX_VALUES:
        return
    for value in values:
        a, b = (tally.get(value, 0) / size for tally, size in zip(counts, sizes))
        effect = 2 * asin(sqrt(min(a, 1.0))) - 2 * asin(sqrt(min(b, 1.0)))
        if effect:
            yield FieldContrast(field=name, value=value, a=a, b=b, effect=effect, a_n=sizes[0], b_n=sizes[1])
