"""How a field is spread in each step: the samples of a step in bins of the whole run's range.

They are counted one by one, so that a cell counts exactly the samples that its filter lists. In a run of more than a million
samples each step's own histogram is spread over the bins instead: about right, and said so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rollscope.arrays import Floats, Ints
from rollscope.index import compute
from rollscope.index.rows.run_order import LARGE_ROWS, of_split
from rollscope.index.snapshot import Snapshot
from rollscope.index.statistics.summary import BINS, FieldColumns
from rollscope.query.answers import Distribution

#: Bins over the range of the whole run.
DISTRIBUTION_BINS = 32
#: The column of a computed field, of these rows of a table at least.
ComputedColumn = Callable[[pa.Table, str, Ints], pa.ChunkedArray]


def distribution(
    snapshot: Snapshot, field: str, split: str, computed: Mapping[str, FieldColumns], column_of: ComputedColumn
) -> Distribution | None:
    """`computed` are the statistics of what is computed from texts."""
    columns = snapshot.fields.get(field) or computed.get(field)
    if columns is None:
        return None
    places = snapshot.places_of(split)
    here = (columns.step >= places.start) & (columns.step < places.stop)
    if not here.any():
        return None
    steps = snapshot.step_numbers[columns.step[here]]
    # In quarters: the distance of ±1e308 is more than a float can hold.
    low, high = columns.low[here] / 4, columns.high[here] / 4
    first, last = low.min(), high.max()
    edges = np.linspace(*_reach(first, last), DISTRIBUTION_BINS + 1)
    exact = snapshot.sample_count <= LARGE_ROWS
    if exact:
        table = of_split(snapshot.all_rows, split)
        rows = _kept_rows(table, steps)
        column = table[field] if field in snapshot.fields else column_of(table, field, rows)
        values = compute.floats(compute.take(column, rows))
        counts = _counted(compute.take(table["step"], rows).to_numpy(), values, steps, edges * 4)
    else:
        counts = [_rebin(h, lo, hi, edges) for h, lo, hi in zip(columns.histogram[here], low, high)]
    return Distribution(
        field=field, split=split, steps=steps.tolist(), edges=(edges * 4).tolist(), counts=counts, exact=exact
    )


def _reach(first: float, last: float) -> tuple[float, float]:
    """From the first edge to the last. What never changes is in the middle, as it is on the chart of its mean."""
    if last > first:
        return first, last
    room = max(abs(first) / 10, np.spacing(abs(first)) * DISTRIBUTION_BINS) if first else 0.25
    most = np.finfo(float).max / 4
    return max(first - room, -most), min(first + room, most)


def _kept_rows(table: pa.Table, steps: Ints) -> Ints:
    """The rows of these steps that were trained on."""
    kept = table["discard_reason"].is_null().to_numpy()
    found: Ints = np.flatnonzero(kept & np.isin(table["step"].to_numpy(), steps)).astype(np.int64)
    return found


def _counted(at: Ints, values: Floats, steps: Ints, edges: Floats) -> list[list[float]]:
    """A bin has its lower edge, and the last one its upper edge as well."""
    finite = np.isfinite(values)
    order = np.argsort(steps)
    columns = order[np.searchsorted(steps, at[finite], sorter=order)]
    bins = np.clip(np.searchsorted(edges, values[finite], side="right") - 1, 0, DISTRIBUTION_BINS - 1)
    flat = np.bincount(columns * DISTRIBUTION_BINS + bins, minlength=len(steps) * DISTRIBUTION_BINS)
    counts: list[list[float]] = flat.reshape(-1, DISTRIBUTION_BINS).astype(np.float64).tolist()
    return counts


def _rebin(histogram: NDArray[np.uint32], low: float, high: float, edges: Floats) -> list[float]:
    counts = np.asarray(histogram, dtype=np.float64)
    if high <= low:
        position = min(int(np.searchsorted(edges, low, side="right")) - 1, DISTRIBUTION_BINS - 1)
        result = np.zeros(DISTRIBUTION_BINS)
        result[max(position, 0)] = counts.sum()
        return result.tolist()
    own = np.linspace(low, high, BINS + 1)
    cumulative = np.interp(edges, own, np.concatenate([[0.0], np.cumsum(counts)]))
    spread: list[float] = np.diff(cumulative).tolist()
    return spread
