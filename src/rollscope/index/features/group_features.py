"""Features that compare the samples of a group: computed when all rows of a step are there."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rollscope.features.base import GroupFeature, GroupSketches
from rollscope.features.batches.text_batch import Values
from rollscope.index import compute
from rollscope.index.features.columns import SKETCH, feature_array, sketch_rows


def with_group_features(
    rows: pa.Table, groups: pa.ChunkedArray | pa.Array, features: Sequence[GroupFeature]
) -> pa.Table:
    """`rows` with a column for each of these features. A sample without a group is compared with nobody."""
    order, starts = _members(groups)
    in_order = bool((order[1:] > order[:-1]).all())
    together = {}
    for name in {feature.sketch or feature.name for feature in features}:
        sketches = sketch_rows(rows[SKETCH + name])
        if sketches is not None:
            together[name] = GroupSketches(sketches if in_order else sketches[order], starts)
    for feature in features:
        name = feature.sketch or feature.name
        if feature.combine_groups is not None and name in together:
            values: Values = feature.combine_groups(together[name])
        else:
            known = rows[SKETCH + name].to_pylist()
            compared = (
                [known[place] for place in order[start:end].tolist()] for start, end in pairwise(starts.tolist())
            )
            values = [value for group in compared for value in feature.combine(group)]
        if not in_order:
            values = _as_before(values, order)
        rows = rows.append_column(feature.name, feature_array(feature, values))
    return rows


def _members(groups: pa.ChunkedArray | pa.Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(rows by group, groups as they come first; where each group starts among them)."""
    encoded = compute.dictionary_encode(groups)
    codes = compute.plain(encoded.indices)
    if encoded.null_count:
        alone = np.isnan(codes)
        codes[alone] = len(encoded.dictionary) + np.arange(int(alone.sum()))
    codes = codes.astype(np.int64)
    order = np.argsort(codes, kind="stable")
    return order, np.concatenate([[0], np.cumsum(np.bincount(codes))]).astype(np.int64)


def _as_before(values: Values, order: NDArray[np.int64]) -> Values:
    if isinstance(values, np.ndarray):
        found = np.empty_like(values)
        found[order] = values
        return found
    listed = [None] * len(values)
    for place, value in zip(order.tolist(), values):
        listed[place] = value
    return listed
