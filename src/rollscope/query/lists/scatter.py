"""Two fields of many samples against each other, as columns: what a scatter plot draws."""

from __future__ import annotations

import difflib

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rollscope.errors import UsageError, check_utf8
from rollscope.index import compute
from rollscope.query.answers import MAX_POINTS, ScatterPoints
from rollscope.query.lists.lists import Lists
from rollscope.query.samples.feature_columns import is_feature
from rollscope.query.samples.select import Columns


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
        snapshot, table, rows = self._select(split, step, where, None, discarded, wait, steps=steps)
        if x is None:
            x = "completion_tokens" if "completion_tokens" in snapshot.fields else "response_bytes"
        features = self._feature_columns(snapshot, table) if is_feature(x) or is_feature(y) else None
        columns = Columns(table, list(snapshot.fields), features)
        values = []
        for name in (x, y):
            _check_numeric(columns, name)
            if features is not None and is_feature(name):
                column = features.columns([name], rows)[name]
            else:
                column = columns.view([name]).column(1)
            values.append(_numbers(compute.take(column, rows)))
        has_x, has_y = np.isfinite(values[0]), np.isfinite(values[1])
        placed = np.flatnonzero(has_x & has_y)
        drawn = placed
        if len(placed) > limit:
            drawn = placed[np.linspace(0, len(placed) - 1, limit).astype(np.int64)]
        codes, names = _env_codes(compute.take(columns.view(["env"]).column(1), rows[drawn]))
        return ScatterPoints(
            split=split,
            x=x,
            y=y,
            xs=values[0][drawn].tolist(),
            ys=values[1][drawn].tolist(),
            steps=table["step"].to_numpy()[rows[drawn]].tolist(),
            indexes=table["index"].to_numpy()[rows[drawn]].tolist(),
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
    near = difflib.get_close_matches(name, numeric, n=3, cutoff=0.4)
    hint = f"did you mean {', '.join(near)}?" if near else f"there is {', '.join(numeric[:20])}"
    raise UsageError(f"{name!r} is no number of these samples", hint=hint)


def _is_numeric(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


def _numbers(column: pa.ChunkedArray) -> NDArray[np.float64]:
    """What is missing is NaN, and so has no place."""
    return np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)


def _env_codes(column: pa.ChunkedArray) -> tuple[list[int], list[str | None]]:
    """A number per row into the names of environments, these in alphabetical order; null stands for none, last."""
    texts = column.to_pylist()
    names = sorted({text for text in texts if text is not None})
    known: list[str | None] = [*names, None] if None in texts else [*names]
    place = {name: code for code, name in enumerate(known)}
    return [place[text] for text in texts], known
