"""Scanning lines: any stretch of a file, any mixture of good and bad lines, keys that come, go and change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import write_jsonl
from tests.runs import relax_record

import rollscope
from rollscope.formats.base import Place, Scan, Source
from rollscope.formats.lines import jsonl
from rollscope.formats.lines import row_reader as rowreader
from rollscope.formats.relax import RelaxFormat
from rollscope.index.index import Index
from rollscope.storage import local
from rollscope.storage.local import allow_mapping
from rollscope.storage.open_store import open_store

SOURCE = Source(path="0.jsonl", split="train", step=0)


def scan(folder: Path, start: int = 0, end: int | None = None) -> Scan:
    size = (folder / "0.jsonl").stat().st_size
    return RelaxFormat().scan(open_store(folder), SOURCE, start, size if end is None else end)


def metrics(folder: Path) -> list[dict[str, Any]]:
    """What the index says of every sample; and every sample says the same of itself."""
    run = rollscope.open(folder)
    rows = run.samples().rows
    for row in rows:
        assert run.sample(row.address).metrics == {
            name: value for name, value in row.metrics.items() if value is not None
        }
    return [{name: value for name, value in row.metrics.items() if value is not None} for row in rows]


# Stretches


@pytest.mark.parametrize("mapped", [False, True])
def test_stretches_share_no_line_and_lose_none(tmp_path: Path, mapped: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut anywhere, also inside a line or at its newline: every line belongs to the stretch it begins in."""
    write_jsonl(tmp_path / "0.jsonl", [relax_record(0, index, reward=float(index)) for index in range(6)])
    size = (tmp_path / "0.jsonl").stat().st_size
    monkeypatch.setattr("rollscope.storage.local.MAP_FROM", 0)
    monkeypatch.setattr("rollscope.storage.local._mapping_allowed", mapped)
    whole = scan(tmp_path)
    newlines = [whole.columns["offset"][i] for i in range(1, 6)]
    for cut in [1, 2, *newlines, *(at - 1 for at in newlines), *(at + 1 for at in newlines), size // 2, size - 1]:
        first, second = scan(tmp_path, 0, cut), scan(tmp_path, cut, size)
        assert [*first.columns["reward"], *second.columns.get("reward", [])] == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
        assert first.lines + second.lines == 6
        assert max(first.end, second.end) == size


def test_mapping_is_off_unless_a_process_says_it_may_die() -> None:
    assert not local._mapping_allowed
    allow_mapping()
    assert local._mapping_allowed
    allow_mapping(False)


def test_offsets_and_lines_lead_back_to_the_record(tmp_path: Path) -> None:
    lines = [json.dumps(relax_record(0, index)) for index in range(4)]
    (tmp_path / "0.jsonl").write_text(f"{lines[0]}\n\nnot json\r\n{lines[1]}\r\n[]\n{lines[2]}\n{lines[3]}")
    found = scan(tmp_path)
    assert found.columns["line"] == [0, 3, 5, 6]
    assert [(item.line, item.reason.split(" at ")[0]) for item in found.skipped] == [
        (3, "malformed JSON"),
        (5, "not a JSON object but an array"),
    ]
    for position in range(4):
        place = Place(offset=found.columns["offset"][position], length=found.columns["length"][position])
        assert RelaxFormat().load(open_store(tmp_path), SOURCE, place).record == json.loads(lines[position])


def test_many_rows_are_handed_over_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "MAX_ROWS", 10)
    monkeypatch.setattr(jsonl, "BATCH_BYTES", 2000)
    lines = [json.dumps(relax_record(0, index)) if index % 5 else "bad" for index in range(40)]
    write = "\n".join(lines) + "\n"
    (tmp_path / "0.jsonl").write_text(write)
    first = scan(tmp_path)
    assert first.more
    assert first.rows < 32
    run = rollscope.open(tmp_path)
    assert [run.sample(row.address).source["line"] for row in run.samples().rows] == [i + 1 for i in range(40) if i % 5]
    assert [item.line for item in run.doctor().skipped] == [1, 6, 11, 16, 21, 26, 31, 36]


@pytest.mark.parametrize("begin", [b"", b"\xef\xbb\xbf"])
def test_a_line_that_is_written_slowly_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begin: bytes
) -> None:
    """Looked at after every few bytes, while it reaches through several chunks and over their seams."""
    monkeypatch.setattr("rollscope.index.changes.plan.CHUNK_BYTES", 700)
    lines = [
        json.dumps(relax_record(0, index, reward=float(index), response="x" * 1500)).encode() for index in range(3)
    ]
    data = begin + b"\n".join(lines) + b"\n"
    index = Index(open_store(tmp_path), RelaxFormat(), base=str(tmp_path / "index"))
    for end in range(0, len(data) + 150, 150):
        (tmp_path / "0.jsonl").write_bytes(data[:end])
        index.refresh()
        whole = [line for line in lines if data.index(line) + len(line) <= end]
        table = index.snapshot.rows_of("train", 0)
        assert table["reward"].to_pylist() == [json.loads(line)["reward"] for line in whole]
        assert [index.snapshot.locate(table, row).line for row in range(len(whole))] == list(range(1, len(whole) + 1))


# Keys


def test_keys_that_appear_late_become_metrics(tmp_path: Path) -> None:
    extras: list[dict[str, Any]] = [{}, {"a": 1}, {}, {"b": 2.5, "a": 2}, {"c": True}]
    write_jsonl(tmp_path / "0.jsonl", [relax_record(0, i, **extra) for i, extra in enumerate(extras)])
    assert metrics(tmp_path) == [{}, {"a": 1.0}, {}, {"b": 2.5, "a": 2.0}, {"c": 1.0}]


def test_keys_that_appear_in_a_later_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "BATCH_BYTES", 1)
    write_jsonl(tmp_path / "0.jsonl", [relax_record(0, i, **{f"key{i}": i}) for i in range(5)])
    assert metrics(tmp_path) == [{f"key{i}": float(i)} for i in range(5)]


@pytest.mark.parametrize("bad", ["", "NaN line", "broken"])
def test_keys_are_learned_beside_bad_lines_too(tmp_path: Path, bad: str) -> None:
    odd = {"": [], "NaN line": [json.dumps(relax_record(0, 9, worst=float("nan"), n=7))], "broken": ["{"]}[bad]
    lines = [json.dumps(relax_record(0, i, **({"n": i} if i > 1 else {}))) for i in range(4)]
    (tmp_path / "0.jsonl").write_text("\n".join([*lines[:3], *odd, *lines[3:]]) + "\n")
    found = [row.metrics.get("n") for row in rollscope.open(tmp_path).samples().rows]
    assert found == [None, None, 2.0, *([7.0] if bad == "NaN line" else []), 3.0]


@pytest.mark.parametrize(
    "values",
    [
        [None, 1, "text", 2],
        ["x" * 1000, 1, None, 2.5],
        [[1, 2, 3] * 50, 4, [], 5],
        [1, "x" * 1000, {"a": 1}, [1]],
        ["0.5", "True", "False", "nope"],
        [{"big": "x" * 10_000}, 3, {"small": 1}, "2"],
        [{"a": {"b": 1, "c": "text"}}, {"a": 2}, 5, {"d": True}],
    ],
)
def test_values_whose_type_changes_are_numbers_where_they_are(tmp_path: Path, values: list[Any]) -> None:
    write_jsonl(tmp_path / "0.jsonl", [relax_record(0, i, value=value) for i, value in enumerate(values)])
    run = rollscope.open(tmp_path)
    for row, value in zip(run.samples().rows, values, strict=True):
        shown = {name: number for name, number in row.metrics.items() if number is not None}
        assert shown == run.sample(row.address).metrics
        if isinstance(value, (int, float)):
            assert shown == {"value": float(value)}


def test_numbers_inside_an_object_have_a_path_and_those_of_metrics_none(tmp_path: Path) -> None:
    extras = {"metrics": {"correct": 1, "format": {"ok": True}}, "timing": {"total": 2.5, "note": "slow"}}
    write_jsonl(
        tmp_path / "0.jsonl", [relax_record(0, 0, **extras), relax_record(0, 1, correct=0, metrics={"correct": 1})]
    )
    assert metrics(tmp_path) == [{"correct": 1.0, "format/ok": 1.0, "timing/total": 2.5}, {"correct": 0.0}]


@pytest.mark.parametrize(
    "key", ["", "with space", "a.b", "a/b", "a`b", "é数", "__class__", "x_0", "type", "'", "$", "%s", "a" * 300]
)
def test_keys_of_any_name_are_metrics(tmp_path: Path, key: str) -> None:
    write_jsonl(tmp_path / "0.jsonl", [relax_record(0, 0), relax_record(0, 1, **{key: 3})])
    assert metrics(tmp_path) == [{}, {key: 3.0}]
    run = rollscope.open(tmp_path)
    assert run.sql("SELECT count(*) FROM samples").rows == [[2]]
    assert run.samples(sort=f"metrics.{key}").rows[0].index == 1


@pytest.mark.parametrize("key", ['quo"te', "back\\slash", "new\nline", "nul\0", "\ud800"])
def test_keys_that_cannot_be_columns_are_shown_with_the_sample(tmp_path: Path, key: str) -> None:
    (tmp_path / "0.jsonl").write_text(
        "".join(json.dumps(record) + "\n" for record in (relax_record(0, 0), relax_record(0, 1, **{key: 3, "n": 4})))
    )
    run = rollscope.open(tmp_path)
    assert [row.metrics.get("n") for row in run.samples().rows] == [None, 4.0]
    assert sorted(run.sample("train/0/1").metrics.values()) == [3.0, 4.0]


def test_more_keys_than_a_record_has_fields_are_data(tmp_path: Path) -> None:
    records = [relax_record(0, i, **{f"id_{i}_{j}": j for j in range(60)}) for i in range(40)]
    write_jsonl(tmp_path / "0.jsonl", records)
    run = rollscope.open(tmp_path)
    names = {name for row in run.samples().rows for name in row.metrics}
    assert len(names) == rowreader.MAX_EXTRAS
    assert len(run.sample("train/0/9").metrics) == 60, "the sample itself shows all of them"


def test_an_object_keyed_by_ids_does_not_fill_the_index(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "0.jsonl", [relax_record(0, i, seen={f"{i}_{j}": j for j in range(100)}) for i in range(9)])
    names = {name for row in rollscope.open(tmp_path).samples().rows for name in row.metrics}
    assert len(names) <= rowreader.MAX_EXTRAS


def test_a_key_written_twice_counts_as_its_last_value(tmp_path: Path) -> None:
    (tmp_path / "0.jsonl").write_text(json.dumps(relax_record(0, 0, n=1))[:-1] + ', "n": 2, "reward": 0.5}\n')
    assert metrics(tmp_path) == [{"n": 2.0}]
    assert rollscope.open(tmp_path).samples().rows[0].reward == 0.5


# Beginnings of long lines
