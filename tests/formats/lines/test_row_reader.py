"""Lines into rows: what is learned on the way, and what a bad line costs."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from msgspec import Raw, Struct

from rollscope.formats.lines import row_reader
from rollscope.formats.lines.row_reader import RecordReader, RowReader, convert


class OrchardRow(Struct, kw_only=True):
    step: int | None = None
    reward: float | None = None
    text: Raw = Raw()


def lines(*records: Any) -> list[memoryview]:
    return [memoryview(item if isinstance(item, bytes) else json.dumps(item).encode()) for item in records]


def test_keys_are_learned_whenever_they_appear_and_earlier_rows_lack_them() -> None:
    reader = RowReader(OrchardRow, extras=True)
    given = lines({"step": 1}, {"step": 2, "kl": 0.5}, {"step": 3, "timing": {"total": 2}, "metrics": {"ok": True}})
    rows, lenient, skipped = reader.batch(given)
    assert ([row.step for row in rows], lenient, skipped) == ([1, 2, 3], [], [])
    assert reader.metrics(rows) == {
        "kl": [None, 0.5, None],
        "timing/total": [None, None, 2.0],
        "ok": [None, None, 1.0],
    }
    assert list(reader.extras) == ["kl", "timing", "metrics"]


def test_a_bad_line_costs_itself_and_a_lenient_one_nothing() -> None:
    reader = RowReader(OrchardRow, extras=True)
    given = lines({"step": 1}, b'{"step": 2, "kl": NaN}', b'{"step": ', b"[]", {"step": 5, "kl": 1})
    rows, lenient, skipped = reader.batch(given)
    assert [None if row is None else row.step for row in rows] == [1, 2, None, None, 5]
    assert lenient == [1]
    assert [position for position, _ in skipped] == [2, 3]
    assert skipped[1][1].startswith("not a JSON object")
    kl = reader.metrics(rows)["kl"]
    assert (kl[0], kl[2:]) == (None, [None, None, 1.0])
    assert kl[1] is not None
    assert math.isnan(kl[1])


def test_a_value_of_another_type_is_missing_and_the_rest_of_its_line_stays() -> None:
    rows, lenient, skipped = RowReader(OrchardRow, extras=True).batch(
        lines({"step": {"at": 3}, "reward": 1, "text": "x"})
    )
    assert (rows[0].step, rows[0].reward, bytes(rows[0].text)) == (None, 1.0, b'"x"')
    assert (lenient, skipped) == ([0], [])


def test_texts_are_no_numbers_but_for_keys_that_are_known_to_be() -> None:
    reader = RowReader(OrchardRow, extras=True)
    rows, _, _ = reader.batch(lines({"pred": "46", "score": "0.5", "list": [1]}))
    assert reader.metrics(rows) == {}
    assert reader.metrics(rows, frozenset({"score"})) == {"score": [0.5]}


def test_a_key_that_was_long_when_first_seen_is_a_number_where_it_is_short() -> None:
    reader = RowReader(OrchardRow, extras=True)
    rows, _, _ = reader.batch(lines({"note": "x" * 100}, {"note": 7}))
    assert reader.extras["note"] is Raw
    assert reader.metrics(rows) == {"note": [None, 7.0]}


def test_a_number_that_is_not_finite_is_one_also_where_its_key_was_long_when_first_seen() -> None:
    reader = RowReader(OrchardRow, extras=True)
    rows, lenient, _ = reader.batch(lines({"step": 1}, b'{"step": 2, "score": Infinity}', {"score": ["long" * 20]}))
    assert (reader.metrics(rows), lenient) == ({"score": [None, math.inf, None]}, [1])


def test_keys_that_no_struct_can_name_are_columns_too() -> None:
    reader = RowReader(OrchardRow, extras=True)
    rows, _, skipped = reader.batch(lines({'a"b': 1, "c\\d": 2, "\n": 3}))
    assert skipped == []
    assert reader.metrics(rows) == {'a"b': [1.0], "c\\d": [2.0], "\n": [3.0]}


def test_more_keys_than_are_fields_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_reader, "MAX_EXTRAS", 3)
    reader = RowReader(OrchardRow, extras=True)
    rows, lenient, skipped = reader.batch(lines({f"k{number}": number for number in range(9)}, {"step": 4, "new": 1}))
    assert (len(reader.extras), rows[1].step, lenient, skipped) == (3, 4, [], [])
    assert reader.metrics(rows) == {"k0": [0.0, None], "k1": [1.0, None], "k2": [2.0, None]}


def test_a_reader_that_learns_nothing_reads_what_it_knows() -> None:
    reader = RowReader(OrchardRow, extras=False)
    rows, lenient, skipped = reader.batch(lines({"step": 1, "kl": 0.5}, b'{"step": 2, "kl": NaN}'))
    assert ([row.step for row in rows], lenient, skipped) == ([1, 2], [1], [])
    assert reader.metrics(rows) == {}


def test_a_record_reader_makes_whatever_it_is_told_to() -> None:
    rows, lenient, skipped = RecordReader(lambda record: record["a"]).batch(lines({"a": 1}, b"{", b'{"a": Infinity}'))
    assert rows == [1, None, math.inf]
    assert lenient == [2]
    assert [position for position, _ in skipped] == [1]


def test_converting_takes_text_for_numbers_and_leaves_out_what_fits_nowhere() -> None:
    row = convert({"step": "12", "reward": "high", "text": ["a", 1], "other": 3}, OrchardRow)
    assert (row.step, row.reward, bytes(row.text)) == (12, None, b'["a",1]')
