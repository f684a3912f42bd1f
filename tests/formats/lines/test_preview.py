"""The beginning of a record whose line is too long to be read for a list."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import hypothesis
import hypothesis.strategies as st
import pytest
from tests.fixtures import write_jsonl
from tests.runs import relax_record

import rollscope
from rollscope.formats.lines.preview import HEAD_BYTES, beginning
from rollscope.storage.store import Store

records = st.dictionaries(
    st.text(max_size=5),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=20),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
        max_leaves=8,
    ),
    max_size=5,
)


def begins(cut: Any, whole: Any) -> bool:
    """Is this what can be known of the value after some of its end was cut off?"""
    if isinstance(cut, str) and isinstance(whole, str):
        return whole.startswith(cut)
    if isinstance(cut, list) and isinstance(whole, list):
        return len(cut) <= len(whole) and all(map(begins, cut, whole))
    if isinstance(cut, dict) and isinstance(whole, dict):
        return all(key in whole and begins(value, whole[key]) for key, value in cut.items())
    return cut is None or cut == whole


@hypothesis.given(records, st.data())
def test_a_cut_record_is_read_as_far_as_it_goes(record: dict[str, Any], data: st.DataObject) -> None:
    line = json.dumps(record, ensure_ascii=data.draw(st.booleans())).encode()
    assert beginning(line) == record
    cut = beginning(line[: data.draw(st.integers(0, len(line)))])
    assert begins(cut, record)


def test_a_preview_reads_only_the_beginning_of_a_long_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = relax_record(0, 0, response="The answer: " + "word " * HEAD_BYTES)
    write_jsonl(tmp_path / "0.jsonl", [record, relax_record(0, 1)])
    run = rollscope.open(tmp_path)
    run.refresh()
    lengths: list[int] = []
    read = Store.read

    def watched(self: Store, relative: str, offset: int = 0, length: int = -1) -> bytes:
        lengths.append(length)
        return read(self, relative, offset, length)

    monkeypatch.setattr(Store, "read", watched)
    row = run.samples(preview=True).rows[0]
    assert (row.prompt_start or "").startswith("What is 0 + 0?")
    assert (row.response_start or "").startswith("The answer: word word")
    assert 0 < max(lengths) <= HEAD_BYTES


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ('{"a": 12', {"a": None}),
        ('{"a": 12.', {"a": None}),
        ('{"a": [1, 2, -1.5e', {"a": [1, 2, None]}),
        ('{"a": 12,', {"a": 12}),
        ('{"a": true', {"a": True}),
        ('{"a": tru', {"a": None}),
        ('{"a": "x\\ud83d\\ude', {"a": "x"}),
        ('{"a": 1, "b', {"a": 1}),
        ('{"a": 1, "b":', {"a": 1}),
        ('{' + "[" * 100_000, {}),
        ("[1, 2", {}),
        ("", {}),
    ],
)  # fmt: skip
def test_no_more_is_said_of_a_cut_value_than_is_known(head: str, told: dict[str, Any]) -> None:
    assert beginning(head.encode()) == told
