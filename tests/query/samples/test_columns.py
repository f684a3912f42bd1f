"""The columns that filters and orders can name: one that these rows lack is missing, not unknown."""

from __future__ import annotations

import pyarrow as pa

from rollscope.query.language.sql import column_name
from rollscope.query.samples.columns import JOINED, SORT_ALIASES, Columns

TABLE = pa.table({"step": pa.array([1, 1], pa.int64()), "reward": [0.5, None], "file": ["a", "a"]})


def test_a_field_that_only_other_steps_have_is_missing_here() -> None:
    columns = Columns(TABLE, ["metrics.kl"])
    assert columns.column("metrics.kl").to_pylist() == [None, None]
    assert columns.column("reward").to_pylist() == [0.5, None]
    view = columns.view(["metrics.kl", "reward"])
    assert view.column_names == ["__row", column_name("metrics.kl"), "reward"]
    assert view["__row"].to_pylist() == [0, 1]


def test_where_a_sample_lies_is_no_field() -> None:
    columns = Columns(TABLE, [])
    assert {"file", "offset", "length", "member"}.isdisjoint(columns.types)
    assert {"split", "step", "reward", "env"} <= set(columns.types)


def test_notes_and_what_groups_have_can_be_named_although_no_table_has_them() -> None:
    columns = Columns(TABLE, [])
    assert set(columns.types) >= JOINED
    assert JOINED.isdisjoint(TABLE.column_names)


def test_lists_cannot_be_sorted_by_and_aliases_can() -> None:
    sortable = Columns(TABLE, []).sortable()
    assert "tags" not in sortable
    assert set(SORT_ALIASES) <= set(sortable)


def test_the_filter_language_knows_their_kinds() -> None:
    fields = Columns(pa.table({"reward": [1.0], "tags": [["a"]], "env": ["x"], "noted": [True]}), []).fields()
    assert {name: fields.scalars[name] for name in ("reward", "tags", "env", "noted")} == {
        "reward": "number",
        "tags": "list",
        "env": "string",
        "noted": "boolean",
    }
