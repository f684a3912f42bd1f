"""What is asked of a part's files at every look."""

from __future__ import annotations

from typing import Any

from rollscope.formats.base import Source
from rollscope.index.manifest.entries import FileEntry, IndexedPiece
from rollscope.index.manifest.file_facts import UNKNOWN_BYTES, added, digest_of, facts_of
from rollscope.storage.fingerprint import Fingerprint


def piece(start: int = 0, end: int = 10, **told: Any) -> IndexedPiece:
    usual: dict[str, Any] = {"hashes": b"", "segment": "s", "row": 0, "rows": 1, "lines": 1, "skipped": [], "keys": []}
    return IndexedPiece(start, end, **{**usual, **told})


def entry(path: str, *pieces: IndexedPiece, size: int = 10, complete: bool = True, **told: Any) -> FileEntry:
    seen = Fingerprint(size, etag="v1")
    return FileEntry(Source(path=path, **told), seen, 0, list(pieces), complete=complete)


def test_sizes_of_a_step_add_up_over_files_unless_one_is_unknown() -> None:
    facts = facts_of(
        [
            entry("a", piece(keys=[("train", 1)]), piece(10, 14, keys=[("train", 1), ("train", 2)], sizes=[3, 1])),
            entry("b", piece(keys=[("train", 2), ("eval/a", 0)])),
        ]
    )
    assert facts.bytes_of_steps("train") == [(1, 13), (2, UNKNOWN_BYTES)]
    assert facts.bytes_of_steps("eval/a") == [(0, UNKNOWN_BYTES)]
    assert facts.bytes_of_steps("eval/none") == []
    assert sorted(facts.ranges) == [("eval/a", 0, 0), ("train", 1, 2)]
    assert facts.rows_by_segment == {"s": 3}
    assert (added(2, 3), added(2, UNKNOWN_BYTES)) == (5, UNKNOWN_BYTES)


def test_a_file_that_is_not_read_promises_its_step_and_is_not_quiet() -> None:
    unread = entry("a", split="train", step=4, complete=False)
    assert facts_of([unread]).promised == [("train", 4)]
    assert not facts_of([unread]).quiet
    assert facts_of([entry("a", piece(keys=[("train", 4)]), split="train", step=4)]).promised == []
    assert facts_of([entry("a", piece(keys=[("train", 4)]))]).quiet


def test_a_file_that_grows_fills_its_steps() -> None:
    growing = entry("a", piece(keys=[("train", 1)]), size=20)
    assert facts_of([growing, entry("b", piece(keys=[("train", 2)]))]).filling == [("train", 1)]


def test_trouble_and_rows_of_any_step_are_known() -> None:
    assert not facts_of([entry("a", piece(keys=[("train", 1)]))]).troubled
    assert facts_of([entry("a", piece(skipped=[(1, "bad")], keys=[("train", 1)]))]).troubled
    assert facts_of([entry("a", piece())]).anywhere
    assert not facts_of([entry("a", piece(rows=0, segment=""))]).anywhere


def test_files_are_the_same_while_their_sources_are() -> None:
    first = [Source(path="a", step=1), Source(path="b")]
    assert digest_of(first) == digest_of([Source(path="a", step=1), Source(path="b")])
    assert digest_of(first) != digest_of([Source(path="a", step=2), Source(path="b")])
    assert digest_of(first) != digest_of(first[::-1])
    empty = facts_of([])
    assert (empty.count, empty.first_path, empty.quiet, empty.ranks) == (0, "", True, [])
