"""Where a run was resumed or a sample written twice, the rows that count are those that a plain reader would keep."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from rollscope.index.rows.resume import rows_that_count


def kept(table: dict[str, pa.Array], steps: list[int], ranks: list[int] | None = None) -> list[int]:
    found = rows_that_count(pa.table(table), np.array(steps), None if ranks is None else np.array(ranks))
    return list(range(len(steps))) if found is None else found.tolist()


def test_the_newest_attempt_of_each_step_counts() -> None:
    assert kept({"attempt": pa.array([1, 1, 2, 1])}, [0, 1, 1, 2]) == [0, 2, 3]


def test_a_row_that_names_no_attempt_is_of_attempt_zero() -> None:
    assert kept({"attempt": pa.array([None, 1], pa.int64())}, [0, 0]) == [1]
    assert kept({"attempt": pa.array([None, 0], pa.int64())}, [0, 0]) == [0, 1]


def test_of_one_key_the_lower_rank_counts_at_the_place_of_the_first() -> None:
    assert kept({"key": pa.array(["a", "b", "a"])}, [0, 0, 0], [1, 0, 0]) == [2, 1]


def test_the_same_key_in_another_step_is_another_sample() -> None:
    assert kept({"key": pa.array(["a", "a"])}, [0, 1], [0, 0]) == [0, 1]


def test_rows_without_a_key_stand_for_themselves() -> None:
    assert kept({"key": pa.array([None, None, "a", "a"])}, [0, 0, 0, 0]) == [0, 1, 2]


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 2), st.sampled_from([None, "a", "b"]), st.integers(0, 2)),
        min_size=1,
        max_size=12,
    )
)
def test_any_mixture_is_what_a_loop_over_the_rows_would_keep(rows: list[tuple[int, int, str | None, int]]) -> None:
    steps = [row[0] for row in rows]
    newest = {step: max(row[1] for row in rows if row[0] == step) for step in steps}
    best: dict[tuple[int, str], int] = {}
    first: dict[tuple[int, str], int] = {}
    for place, (step, _, key, rank) in enumerate(rows):
        if key is None:
            continue
        first.setdefault((step, key), place)
        if (step, key) not in best or rank < rows[best[step, key]][3]:
            best[step, key] = place
    expected = [
        (place if key is None else first[step, key], place)
        for place, (step, attempt, key, _) in enumerate(rows)
        if attempt == newest[step] and (key is None or best[step, key] == place)
    ]
    table = {
        "attempt": pa.array([row[1] for row in rows]),
        "key": pa.array([row[2] for row in rows], pa.string()),
    }
    assert kept(table, steps, [row[3] for row in rows]) == [place for _, place in sorted(expected)]
