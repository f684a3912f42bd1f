"""Groups of samples that have none of their own: equal prompts of a step."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollscope.formats.base import Grouping
from rollscope.index.rows.numbering import arrange


def groups(prompts: str, step: int = 0, grouping: Grouping = "equal_prompt") -> list[str]:
    """The group of each sample of a step with these prompts, one letter each."""
    count = len(prompts)
    table = pa.table(
        {
            "split": pa.repeat("train", count),
            "step": pa.array([step] * count, pa.int64()),
            "group": pa.nulls(count, pa.string()),
            "prompt_hash": pa.array([ord(letter) for letter in prompts], pa.uint64()),
        }
    )
    return list(arrange(table, None, grouping)["group"].to_pylist())


def sizes(prompts: str) -> list[int]:
    return list(Counter(groups(prompts)).values())


@pytest.mark.parametrize(
    ("prompts", "expected"),
    [
        ("a" * 8 + "b" * 8 + "c" * 8 + "d" * 4, [8, 8, 8, 4]),
        ("a" * 8 + "b" * 8 + "c" * 16, [8, 8, 8, 8]),
        ("a" * 4 + "b" * 8, [4, 8]),
        ("aabbaa", [2, 2, 2]),
        ("ababab", [3, 3]),
        ("aabbaab", [4, 3]),
        ("abc", [1, 1, 1]),
        ("a" * 4 + "b" * 4 + "c" * 3 + "d", [4, 4, 3, 1]),
    ],
    ids=[
        "one group is short",
        "one prompt twice",
        "no telling",
        "comes back",
        "interleaved",
        "pieces",
        "ones",
        "short",
    ],
)
def test_equal_prompts_are_groups_of_the_usual_size(prompts: str, expected: list[int]) -> None:
    assert sizes(prompts) == expected


def test_neighbours_with_one_prompt_are_several_groups_of_the_usual_size() -> None:
    found = groups("aaaa" + "bbbbbbbb" + "cccc" + "aaaa" + "dd", grouping="consecutive_prompt")
    assert list(Counter(found).values()) == [4, 4, 4, 4, 4, 2]


@given(st.lists(st.integers(1, 8), min_size=1, max_size=12))
def test_neighbours_with_prompts_of_their_own_are_one_group_each_or_several_of_one_size(lengths: list[int]) -> None:
    prompts = "".join(chr(ord("a") + place) * length for place, length in enumerate(lengths))
    found = groups(prompts)
    common = Counter(lengths).most_common(2)
    usual = common[0][0] if len(common) == 1 or common[0][1] > common[1][1] else 0
    expected: list[int] = []
    for length in lengths:
        whole = usual > 1 and length % usual == 0
        expected += [usual] * (length // usual) if whole else [length]
    assert list(Counter(found).values()) == expected
    assert found == sorted(found, key=int), "numbered as they come"


@pytest.mark.parametrize("written", [None, [None, 0, None]], ids=["by nobody", "for some"])
def test_a_sample_is_of_the_first_attempt_where_nobody_wrote_which(written: list[int | None] | None) -> None:
    columns = {
        "split": pa.repeat("train", 3),
        "step": pa.array([0, 0, 0], pa.int64()),
        "group": pa.nulls(3, pa.string()),
        "prompt_hash": pa.array([1, 1, 1], pa.uint64()),
    }
    if written is not None:
        columns["attempt"] = pa.array(written, pa.int64())
    assert arrange(pa.table(columns), None, "equal_prompt")["attempt"].to_pylist() == [0, 0, 0]


def test_samples_without_a_group_are_none_of_a_group_that_has_a_name() -> None:
    """Some samples of a step say their group, some do not: a number that stands for equal prompts is nobody's name."""
    table = pa.table(
        {
            "split": pa.repeat("train", 6),
            "step": pa.array([0] * 6, pa.int64()),
            "group": pa.array(["0", None, None, "1", None, "a"], pa.string()),
            "prompt_hash": pa.array([1, 1, 2, 2, 1, 3], pa.uint64()),
        }
    )
    assert arrange(table, None, "equal_prompt")["group"].to_pylist() == ["0", "2", "3", "1", "2", "a"]
