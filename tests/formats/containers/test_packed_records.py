"""Records that can only be read from their beginning."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest
import zstandard

from rollscope.formats.containers import packed_records
from rollscope.formats.lines.lenient import Unreadable
from rollscope.storage.memory import MemoryStore
from rollscope.storage.open_store import open_store

LINES = [
    {"prompt": "q", "completion": "ä", "reward": 1.0, "step": 3},
    {"prompt": "q", "completion": "b", "reward": math.nan, "step": 3},
    {"prompt": ["r", "s"], "completion": ["c", "d"], "reward": [0.0, 0.5], "step": 4},
]


PLAIN = "".join(f"{json.dumps(line)}\n" for line in LINES).encode()


def test_what_unpacks_to_too_much_or_is_damaged_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_records, "MAX_BYTES", 1000)
    (tmp_path / "a.jsonl").write_bytes(PLAIN)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(PLAIN * 100))
    store = open_store(tmp_path)
    with pytest.raises(ValueError, match="unpacks to more than 1,000 bytes"):
        packed_records.PackedRecords(store, "b.jsonl.gz")
    (tmp_path / "b.jsonl.gz").write_bytes(b"\x1f\x8b\x08" + b"x" * 40)
    with pytest.raises(ValueError, match="damaged"):
        packed_records.PackedRecords(store, "b.jsonl.gz")


def records(name: str, data: bytes) -> list[Any]:
    table = packed_records.PackedRecords(MemoryStore.of("packed", {name: data}), name)
    found: list[Any] = []
    for number in range(table.num_rows):
        try:
            found.append(table.record(number))
        except Unreadable as error:
            found.append(str(error))
    return found


def test_what_is_no_record_keeps_its_place() -> None:
    assert records("a.json", b'[{"a": 1}, 2, {"a": 3}]') == [{"a": 1}, "not a JSON object but a number", {"a": 3}]
    found = records("a.json", b'[{"a": 1}, 2, {"a": NaN}]')
    assert found[:2] == [{"a": 1}, "not a JSON object but null"]
    assert math.isnan(found[2]["a"])
    assert records("a.jsonl.gz", gzip.compress(b'{"a": 1}\n\n{"a": \n'))[0] == {"a": 1}


def test_members_of_a_packed_file_follow_each_other_and_a_torn_end_is_left_out() -> None:
    first, second = gzip.compress(b'{"a": 1}\n'), gzip.compress(b'{"a": 2}\n' + bytes(range(256)).hex().encode())
    assert records("a.jsonl.gz", first + first) == [{"a": 1}, {"a": 1}]
    assert records("a.jsonl.gz", first + second[:-20])[0] == {"a": 1}
    packed = zstandard.ZstdCompressor().compress(b'{"a": 1}\n')
    assert records("a.jsonl.zst", packed + packed) == [{"a": 1}, {"a": 1}]


def test_only_lists_under_names_of_samples_are_records() -> None:
    for member, expected in (("samples", True), ("rollouts", True), ("layers", False)):
        document = json.dumps({"model": "m", member: [{"a": 1}]}).encode()
        store = MemoryStore.of("packed", {"a.json": document})
        assert packed_records.is_record_list(store, "a.json") is expected
    assert records("a.json", b'{"layers": [{"a": 1}]}') == [{"layers": [{"a": 1}]}]
    with pytest.raises(ValueError, match="no list of records"):
        records("a.json", b"7")
    with pytest.raises(ValueError, match="malformed JSON"):
        records("a.json", b'[{"a": 1},')
    assert not packed_records.is_record_list(MemoryStore.of("packed", {}), "a.json")


def test_objects_under_names_of_their_own_are_records_where_they_have_the_same_keys() -> None:
    assert records("a.json", b'{"q1": {"a": 1, "b": 2}, "q2": {"b": 3, "a": 4}}') == [
        {"a": 1, "b": 2},
        {"b": 3, "a": 4},
    ]
    for whole in (
        {"sample": {"a": 1, "b": 2}, "result": {"c": 3, "b": 2}},
        {"q1": {"a": 1, "b": 2}},
        {"a": {"x": 1}, "b": 2},
    ):
        assert records("a.json", json.dumps(whole).encode()) == [whole]


def test_a_very_large_object_is_no_record(monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryStore.of("packed", {"a.json": b'{"prompt": "q", "response": "a"}'})
    assert packed_records.is_one_record(store, "a.json", {"prompt"})
    assert not packed_records.is_one_record(store, "a.json", {"question"})
    monkeypatch.setattr(packed_records, "MAX_RECORD_BYTES", 10)
    assert not packed_records.is_one_record(store, "a.json", {"prompt"})
