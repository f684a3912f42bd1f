"""Files named by their step, and what the first record of a file has."""

from __future__ import annotations

import pytest

from rollscope.formats.lines.step_files import files_with, first_keys, record_keys, step_files
from rollscope.storage.memory import MemoryStore


def test_files_come_in_the_order_of_their_steps() -> None:
    store = MemoryStore.of(
        "steps", {f"dump/{name}": b"" for name in ("10.jsonl", "9.jsonl", "009.jsonl", "x.jsonl", "1.json")}
    )
    assert step_files(store, "dump") == [(9, "dump/9.jsonl"), (9, "dump/009.jsonl"), (10, "dump/10.jsonl")]


@pytest.mark.parametrize(
    ("line", "keys"),
    [
        (b'{"a": 1, "b": {"c": 2}}', {"a", "b"}),
        (b'{"a": NaN, "b": {"c": 2}, "d": [{"e": 1}]}', {"a", "b", "d"}),
        (b'{"a": "x \\" y: {", "b": Infinity}', {"a", "b"}),
        (b'{"a": "cut off here', {"a"}),
        (b'["a", "b"]', set()),
        (b"", set()),
    ],
)
def test_the_keys_of_a_line_that_may_be_no_strict_json(line: bytes, keys: set[str]) -> None:
    assert record_keys(line) == keys


def test_empty_files_and_bad_lines_are_passed_over() -> None:
    store = MemoryStore.of(
        "steps", {"1.jsonl": b"", "2.jsonl": b'torn\n{"prompt": "p"}\n', "3.jsonl": b'{"other": 1}\n'}
    )
    assert first_keys(store, ["1.jsonl", "2.jsonl", "3.jsonl"]) == (frozenset({"prompt"}), "2.jsonl")
    assert first_keys(store, ["1.jsonl"]) == (frozenset(), "")


def test_a_record_that_its_writer_did_not_finish_speaks_only_where_no_other_does() -> None:
    torn, whole = b'{"x": 1, "y": {"z": 2}, "te', b'{"x": NaN, "y": {}, "text": "..."}'
    store = MemoryStore.of("steps", {"1.jsonl": torn, "2.jsonl": whole})
    assert first_keys(store, ["1.jsonl", "2.jsonl"]) == (frozenset({"x", "y", "text"}), "2.jsonl")
    assert first_keys(store, ["1.jsonl"]) == (frozenset({"x", "y"}), "1.jsonl")


def test_a_file_without_records_belongs_to_those_beside_it() -> None:
    store = MemoryStore.of(
        "steps", {"1.jsonl": b"", "2.jsonl": b'{"prompt": "p", "n": 1}\n', "3.jsonl": b'{"other": 1}\n'}
    )
    names = ["1.jsonl", "2.jsonl", "3.jsonl"]
    assert files_with(store, names, frozenset({"prompt"})) == ["1.jsonl", "2.jsonl"]
    assert files_with(store, names, frozenset({"absent"})) == []
