"""Two fields of many samples against each other, as columns: what a scatter plot draws."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rollscope.errors import UsageError, check_utf8
from rollscope.index import compute
from rollscope.index.rows.run_order import blocks_of
from rollscope.index.segments.spill import NumbersOnDisk
from rollscope.query.answers import MAX_POINTS, ScatterPoints
from rollscope.query.lists.lists import Lists
from rollscope.query.lists.sample_selection import SampleSelection
from rollscope.query.samples.columns import Columns
from rollscope.query.samples.feature_columns import is_feature


class RunScatter(Lists):
    """The part of a run that sets one field of its samples against another."""

    def scatter(
        self,
        x: str | None = None,
        y: str = "reward",
        *,
        split: str = "train",
        step: int | None = None,
        steps: str | None = None,
        where: str | None = None,
        discarded: bool | None = False,
        limit: int = MAX_POINTS,
        wait: bool = True,
    ) -> ScatterPoints:
        """The samples asked for (as for `samples`) that have a number for both fields. Unless `x` is given, it is the
        length of the response: in tokens where the run has them, else in bytes. Of more than `limit` points every
        n-th is given, evenly over the list."""
        asked = SampleSelection(split=split, step=step, steps=steps, where=where, discarded=discarded)
        snapshot, table, rows = self._select(asked, wait)
        if x is None:
            x = "completion_tokens" if "completion_tokens" in snapshot.fields else "response_bytes"
        features = self._feature_columns(snapshot, table) if is_feature(x) or is_feature(y) else None
        columns = Columns(table, list(snapshot.fields), features)
        values, exact = [], []
        for name in (x, y):
            _check_numeric(columns, name)
            computed = features is not None and is_feature(name)
            column = features.columns([name], rows)[name] if features and computed else columns.column(name)
            values.append(_numbers(column, rows))
            exact.append(column if pa.types.is_integer(column.type) else None)
        has_x, has_y = np.isfinite(values[0]), np.isfinite(values[1])
        placed = np.flatnonzero(has_x & has_y)
        drawn = placed
        if len(placed) > limit:
            drawn = placed[np.linspace(0, len(placed) - 1, limit).astype(np.int64)]
        chosen = np.asarray(rows[drawn])
        codes, names = _env_codes(compute.take(columns.column("env"), chosen))
        return ScatterPoints(
            split=split,
            x=x,
            y=y,
            xs=_as_written(values[0][drawn], exact[0], chosen),
            ys=_as_written(values[1][drawn], exact[1], chosen),
            steps=compute.take(table["step"], chosen).to_pylist(),
            indexes=compute.take(table["index"], chosen).to_pylist(),
            env_codes=codes,
            envs=names,
            total=len(rows),
            placed=len(placed),
            without_x=int(np.count_nonzero(~has_x)),
            without_y=int(np.count_nonzero(~has_y)),
            progress=self.progress(),
        )


def _check_numeric(columns: Columns, name: str) -> None:
    check_utf8(name, "the field")
    numeric = [each for each, kind in columns.types.items() if _is_numeric(kind)]
    if name in numeric:
        return
    import difflib

    near = difflib.get_close_matches(name, numeric, n=3, cutoff=0.4)
    hint = f"did you mean {', '.join(near)}?" if near else f"there is {', '.join(numeric[:20])}"
    raise UsageError(f"{name!r} is not a numeric field of these samples", hint=hint)


def _is_numeric(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


def _numbers(column: pa.ChunkedArray, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """The field's values in these rows, NaN where they are missing. Those of a large run lie on disk."""
    found = NumbersOnDisk(np.float64)
    for _, block in blocks_of(rows):
        found.add(compute.floats(compute.take(column, block)))
    return found.all()


def _as_written(values: NDArray[np.float64], integers: pa.ChunkedArray | None, rows: NDArray[np.int64]) -> list[float]:
    """A float would round an integer above 2**53."""
    return list(values.tolist()) if integers is None else list(compute.take(integers, rows).to_pylist())


def _env_codes(column: pa.ChunkedArray) -> tuple[list[int], list[str | None]]:
    """A number per row into the names of environments, these in alphabetical order; null stands for none, last."""
    texts = column.to_pylist()
    names = sorted({text for text in texts if text is not None})
    known: list[str | None] = [*names, None] if None in texts else [*names]
    place = {name: code for code, name in enumerate(known)}
    return [place[text] for text in texts], known
