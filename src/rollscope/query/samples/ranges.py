"""Which values are usual if no range is declared: per environment, and not stretched by a few outliers.

Colours are read against these. An environment of −5 … 0 and one of −100 … 100 in one run have nothing to do with each other,
and a single 1e30 must not make all else look the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rollscope.arrays import Floats
from rollscope.index import compute
from rollscope.index.snapshot import Snapshot
from rollscope.model import Range

#: For samples whose environment has no ranges of its own, or that have no environment.
ANY = "*"
#: Samples that are looked at, spread evenly over the run: 50 fields of three environments take 40 ms.
MAX_SAMPLES = 20_000
#: Values further than this many interquartile ranges from the quartiles are outliers, if they are few. As on charts.
REACH = 6.0
#: More than this share of the values are no outliers but how the values are; of few values three may be, up to a
#: twentieth of them.
FEW = 0.01
#: Fewer values than this do not show what is usual.
MIN_VALUES = 8

Ranges = dict[str, dict[str, Range]]

_known: WeakKeyDictionary[Snapshot, Ranges] = WeakKeyDictionary()


def range_of(ranges: Ranges, env: str | None, field: str) -> Range | None:
    """The range of a field in an environment: its own, else the one of all environments."""
    own = ranges.get(env or ANY, {}).get(field)
    return ranges.get(ANY, {}).get(field) if own is None else own


def with_observed(declared: Ranges, snapshot: Snapshot) -> Ranges:
    """Declared ranges, completed by observed ones.

    What is declared for all environments holds for each. An end that nobody declared is the observed one, and the range
    then counts as observed."""
    found = {env: dict(fields) for env, fields in declared.items()}
    anywhere = found.setdefault(ANY, {})
    for env, fields in observed_ranges(snapshot).items():
        own = found.setdefault(env, {})
        for name, seen in fields.items():
            own_or_any = own.get(name) or anywhere.get(name)
            if own_or_any is None or own_or_any.origin == "observed":
                own[name] = seen
            elif own_or_any.min is None or own_or_any.max is None:
                own[name] = _completed(own_or_any, seen)
    return {env: fields for env, fields in found.items() if fields or env == ANY}


def _completed(declared: Range, seen: Range) -> Range:
    return Range(
        min=seen.min if declared.min is None else declared.min,
        max=seen.max if declared.max is None else declared.max,
        higher_is_better=declared.higher_is_better,
        origin="observed",
        outliers=seen.outliers,
    )


def observed_ranges(snapshot: Snapshot) -> Ranges:
    """Environment -> field -> its range. A field without a finite value has none."""
    found = _known.get(snapshot)
    if found is None:
        found = _known[snapshot] = _observe(_spread_rows(snapshot), list(snapshot.fields))
    return found


def _spread_rows(snapshot: Snapshot) -> pa.Table:
    """All samples, or whole steps evenly spaced, and of those every so many."""
    keys = [(split, step) for split, steps in snapshot.splits.items() for step in steps]
    stride = -(-snapshot.sample_count // MAX_SAMPLES) or 1
    table = snapshot.rows_of_steps(keys[::-1][::stride])
    stride = -(-table.num_rows // MAX_SAMPLES) or 1
    return table if stride == 1 else compute.take(table, np.arange(0, table.num_rows, stride))


def _observe(table: pa.Table, fields: Iterable[str]) -> Ranges:
    columns = {name: compute.floats(table[name]) for name in fields if name in table.column_names}
    envs = table["env"].to_numpy(zero_copy_only=False) if "env" in table.column_names else np.array([], dtype=object)
    names = sorted({env for env in envs if env is not None})
    rows = {env: envs == env for env in names}
    # Samples without an environment have their own; where there are none, a new environment is read against all.
    nameless = np.array([env is None for env in envs], dtype=bool)
    rows[ANY] = nameless if nameless.any() else np.ones(table.num_rows, dtype=bool)
    return {
        env: {name: seen for name, values in columns.items() if (seen := usual_range(values[which])) is not None}
        for env, which in rows.items()
    }


def usual_range(values: Floats) -> Range | None:
    """The reach of the finite values without those few that lie far outside; null where there are none."""
    finite = values[np.isfinite(values)]
    if len(finite) == 0:
        return None
    kept = finite[_inside(finite)]
    return Range(min=float(kept.min()), max=float(kept.max()), origin="observed", outliers=len(finite) - len(kept))


def _inside(values: Floats) -> NDArray[np.bool_]:
    everything = np.ones(len(values), dtype=bool)
    if len(values) < MIN_VALUES:
        return everything
    with np.errstate(over="ignore", invalid="ignore"):
        low, high = np.percentile(values, [25, 75])
        reach = REACH * (high - low)
        if not reach > 0 or not np.isfinite(reach):
            # All but a few are the same: a rare success is what matters, and there is nothing it could flatten.
            return everything
        inside = (values >= low - reach) & (values <= high + reach)
    few = max(1.0, min(3.0, len(values) / 20), FEW * len(values))
    return inside if len(values) - inside.sum() <= few else everything
