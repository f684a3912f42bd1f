"""Features that compare the samples of a group: computed when all rows of a step are there."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from rollscope.features.base import GroupFeature
from rollscope.index.features.task import SKETCH, feature_array


def with_group_features(rows: pa.Table, groups: list[str | None], features: Sequence[GroupFeature]) -> pa.Table:
    """`rows` with a column for each of these features. A sample without a group is compared with nobody."""
    members: dict[str, list[int]] = {}
    for place, group in enumerate(groups):
        members.setdefault(f"={group}" if group is not None else f"?{place}", []).append(place)
    names = {feature.sketch or feature.name for feature in features}
    sketches = {name: rows[SKETCH + name].to_pylist() for name in names}
    values: dict[str, list[object]] = {feature.name: [None] * len(groups) for feature in features}
    for feature in features:
        known, column = sketches[feature.sketch or feature.name], values[feature.name]
        compared = [[known[place] for place in places] for places in members.values()]
        found = feature.combine_groups(compared) if feature.combine_groups else map(feature.combine, compared)
        for places, group_values in zip(members.values(), found):
            for place, value in zip(places, group_values):
                column[place] = value
    for feature in features:
        rows = rows.append_column(feature.name, feature_array(feature, values[feature.name]))
    return rows
