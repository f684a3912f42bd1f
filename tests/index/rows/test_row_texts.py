"""Rows of a file are read line after line, or one by one where they lie far apart."""

from __future__ import annotations

from rollscope.formats.base import Source
from rollscope.index.rows.row_texts import FileRows, bytes_of, is_sparse, lines_one_by_one
from rollscope.storage.memory import MemoryStore


def test_lines_far_apart_are_read_one_by_one_and_are_the_same_lines() -> None:
    content = b"first\n" + b"x" * 200 + b"\nlast\n"
    store = MemoryStore.of("rows", {"1.jsonl": content})
    rows = FileRows(Source(path="1.jsonl"), [0, 207], [5, 4], [], ["train"] * 2, [1] * 2, [None] * 2)
    assert is_sparse(rows)
    assert list(lines_one_by_one(rows, store)) == [b"first", b"last"]
    base, buffer = bytes_of(rows, store)
    assert [buffer[at - base : at - base + length] for at, length in zip(rows.offsets, rows.lengths)] == [
        b"first",
        b"last",
    ]
