"""Features of groups: each sample is compared with those of its own group, and one without a group with nobody."""

from __future__ import annotations

import pyarrow as pa

from rollscope.features.base import GroupFeature, GroupSketches
from rollscope.index.features.columns import SKETCH
from rollscope.index.features.group_features import with_group_features

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
    groups = pa.chunked_array([["a", "1", "a", "1", None, None]])
    found = with_group_features(rows, groups, [LONGEST, SAME])
    assert found["text.longest"].to_pylist() == [9, 5, 9, 5, 7, 7]
    assert found["text.same"].to_pylist() == [1, 1, 1, 1, 1, 1]


def test_a_feature_may_compare_all_groups_of_a_step_at_once() -> None:
    asked: list[tuple[list[list[int]], list[int]]] = []

    def all_at_once(groups: GroupSketches) -> list[int]:
        asked.append((groups.rows.tolist(), groups.starts.tolist()))
        return [2, 2, 1]

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
    groups = pa.chunked_array([["a", "b"], ["a"]])
    assert with_group_features(rows, groups, [feature])["text.size"].to_pylist() == [2, 1, 2]
    assert asked == [([[ord("1")], [ord("3")], [ord("2")]], [0, 2, 3])]


def test_sketches_that_are_missing_or_differ_in_size_are_compared_group_by_group() -> None:
    whole = GroupFeature(
        name="text.longest",
        type="integer",
        title="Longest",
        about="The longest of the group.",
        compute=lambda texts: 0,
        combine=LONGEST.combine,
        combine_groups=lambda groups: [groups.rows.shape[1]] * len(groups.rows),
    )
    groups = pa.chunked_array([["a", "a", "b"]])
    for sketches, values in (([b"12", b"34", b"56"], [2, 2, 2]), ([b"12", None, b"56"], [2, 2, 2])):
        rows = pa.table({SKETCH + "text.longest": pa.array(sketches, pa.binary())})
        assert with_group_features(rows, groups, [whole])["text.longest"].to_pylist() == values
    rows = pa.table({SKETCH + "text.longest": [b"12", b"345", b"6"]})
    assert with_group_features(rows, groups, [whole])["text.longest"].to_pylist() == [3, 3, 1]
