"""The table of fields is the only list: what is made from it agrees with it."""

from __future__ import annotations

import msgspec
import pytest

from rollscope import fields
from rollscope.formats.base import COLUMNS
from rollscope.model import Sample
from rollscope.query.answers import SampleRow
from rollscope.record.samples.fields import FIELD_NAMES
from rollscope.record.samples.schema import RolloutLine

#: Of a sample as a training loop gives it: its place is counted by the recorder, the rest is about files.
_NOT_SAID_BY_A_LOOP = {"split", "step", "index", "group", "attempt"}


def names(kind: type[msgspec.Struct]) -> set[str]:
    return set(kind.__struct_fields__)


@pytest.mark.parametrize("field", fields.STORED, ids=lambda field: field.name)
def test_a_stored_field_is_a_column_and_in_every_row(field: fields.Field) -> None:
    assert field.name in COLUMNS or field.name == "index"
    assert field.name in names(SampleRow)


def test_a_sample_its_row_and_its_recorded_line_have_the_fields_of_the_table() -> None:
    scalars = names(fields.Scalars)
    assert scalars <= names(Sample)
    assert scalars <= names(SampleRow)
    assert scalars <= names(RolloutLine)
    assert scalars - _NOT_SAID_BY_A_LOOP <= FIELD_NAMES


def test_every_field_has_words_for_people() -> None:
    for field in fields.FIELDS:
        assert field.title[0].isupper(), field
        assert field.about.endswith("."), field
        assert 0 < len(field.short) <= len(field.title), field
    assert len({field.title for field in fields.FIELDS}) == len(fields.FIELDS)


def test_types_are_read_off_the_annotations() -> None:
    assert {name: fields.BY_NAME[name].type for name in ("reward", "step", "env", "tags", "group", "discarded")} == {
        "reward": "number",
        "step": "integer",
        "env": "string",
        "tags": "strings",
        "group": "string",
        "discarded": "boolean",
    }


def test_numbers_that_say_how_much_or_how_good_have_charts() -> None:
    assert fields.is_charted("reward")
    assert fields.is_charted("metrics.anything")
    assert not fields.is_charted("index")
    assert not fields.is_charted("offset")


def test_lists_of_groups_have_dots_for_numbers_that_are_columns_of_lists() -> None:
    assert fields.DOT_COLUMNS == ("reward", "advantage", "completion_tokens")
    assert all(fields.BY_NAME[name].is_number and "list" in fields.BY_NAME[name].shown for name in fields.DOT_COLUMNS)
