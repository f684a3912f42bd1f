"""Numbers and categories of two selections beside each other."""

from __future__ import annotations

from collections.abc import Iterator
from math import asin, sqrt
from typing import Annotated

import numpy as np
import pyarrow as pa
from msgspec import Meta, Struct
from numpy.typing import NDArray

from rollscope.fields import BY_NAME, SPACE_PREFIXES
from rollscope.index import compute
from rollscope.index.segments.rows import SCHEMA

Rows = NDArray[np.int64]
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
        sides = [compute.take(table[name], rows) for table, rows in (a, b) if name in table.column_names]
        if len(sides) == 2 and _is_told(name):
            kind = sides[0].type
            if pa.types.is_floating(kind) or pa.types.is_integer(kind):
                found += _numbers(name, *sides)
            elif pa.types.is_string(kind) or pa.types.is_list(kind):
                found += _shares(name, *sides)
    return sorted(found, key=lambda row: (-abs(row.effect), row.field, row.value or ""))[:limit]


def _is_told(name: str) -> bool:
    """Names of samples, and where they lie, tell nothing."""
    if name in BY_NAME:
        return BY_NAME[name].kind != "identity" and name not in ("split", "attempt")
    return name.startswith(SPACE_PREFIXES) or name not in (*SCHEMA, "file")


def _numbers(name: str, *sides: pa.ChunkedArray) -> Iterator[FieldContrast]:
    values = [compute.plain(compute.drop_null(side)).astype(np.float64) for side in sides]
    a, b = (side[np.isfinite(side)] for side in values)
    if len(a) < 2 or len(b) < 2:
        return
    with np.errstate(over="ignore", invalid="ignore"):
        spread = sqrt(((len(a) - 1) * a.var(ddof=1) + (len(b) - 1) * b.var(ddof=1)) / (len(a) + len(b) - 2))
        means = float(a.mean()), float(b.mean())
        effect = (means[0] - means[1]) / spread if spread else 0.0
    if effect and np.isfinite([effect, *means]).all():
        yield FieldContrast(field=name, value=None, a=means[0], b=means[1], effect=effect, a_n=len(a), b_n=len(b))


def _shares(name: str, *sides: pa.ChunkedArray) -> Iterator[FieldContrast]:
    known = [compute.drop_null(side) for side in sides]
    counts: list[dict[str, int]] = []
    for side in known:
        values = compute.list_flatten(side) if pa.types.is_list(side.type) else side
        tally = compute.value_counts(values.combine_chunks())
        counts.append(dict(zip(tally.field(0).to_pylist(), tally.field(1).to_pylist())))
    sizes = [len(side) for side in known]
    values = list(dict.fromkeys([*counts[0], *counts[1]]))
    if not all(sizes) or len(values) > MAX_VALUES:
        return
    for value in values:
        a, b = (tally.get(value, 0) / size for tally, size in zip(counts, sizes))
        effect = 2 * asin(sqrt(min(a, 1.0))) - 2 * asin(sqrt(min(b, 1.0)))
        if effect:
            yield FieldContrast(field=name, value=value, a=a, b=b, effect=effect, a_n=sizes[0], b_n=sizes[1])
