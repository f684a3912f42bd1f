"""Features of groups: each sample is compared with those of its own group, and one without a group with nobody."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from rollscope.features.base import GroupFeature
from rollscope.index.features.group_features import with_group_features
from rollscope.index.features.task import SKETCH

LONGEST = GroupFeature(
    name="text.longest",
    type="integer",
    title="Longest",
    about="The longest of the group.",
    compute=lambda texts: 0,
    combine=lambda known: [max(len(one or b"") for one in known)] * len(known),
)
SAME = GroupFeature(
    name="text.same",
    type="integer",
    title="Same",
    about="How many of the group are the same.",
    compute=lambda texts: 0,
    combine=lambda known: [known.count(one) for one in known],
    sketch="text.longest",
)


def test_each_sample_is_compared_with_its_group_in_the_order_of_the_rows() -> None:
    rows = pa.table({SKETCH + "text.longest": [b"5....", b"1", b"9........", b"5....", b"7......", b"7......"]})
    # A group may be named like anything, and two samples without one are not a group.
    groups = ["a", "1", "a", "1", None, None]
    found = with_group_features(rows, groups, [LONGEST, SAME])
    assert found["text.longest"].to_pylist() == [9, 5, 9, 5, 7, 7]
    assert found["text.same"].to_pylist() == [1, 1, 1, 1, 1, 1]


def test_a_feature_may_compare_all_groups_of_a_step_at_once() -> None:
    asked: list[Sequence[Sequence[bytes | None]]] = []

    def all_at_once(groups: Sequence[Sequence[bytes | None]]) -> list[list[int]]:
        asked.append(groups)
        return [[len(group)] * len(group) for group in groups]

    feature = GroupFeature(
        name="text.size",
        type="integer",
        title="Size",
        about="How large the group is.",
        compute=lambda texts: 0,
        combine=lambda known: [None] * len(known),
        combine_groups=all_at_once,
    )
    rows = pa.table({SKETCH + "text.size": [b"1", b"2", b"3"]})
    assert with_group_features(rows, ["a", "b", "a"], [feature])["text.size"].to_pylist() == [2, 1, 2]
    assert asked == [[[b"1", b"3"], [b"2"]]]
