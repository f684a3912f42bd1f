"""Up to where a file is read, whatever order its pieces came in."""

from __future__ import annotations

import pytest

from rollscope.formats.base import Source
from rollscope.index.manifest.entries import FileEntry, IndexedPiece, copy_entry
from rollscope.storage.fingerprint import Fingerprint


def entry(*pieces: tuple[int, int]) -> FileEntry:
    made = [IndexedPiece(start, end, b"", "s", 0, 1, 1, [], []) for start, end in pieces]
    return FileEntry(Source(path="0.jsonl"), Fingerprint(size=100, mtime_ns=1, inode=1), 1, made)


@pytest.mark.parametrize(
    ("pieces", "end"),
    [
        ([], 0),
        ([(0, 40)], 40),
        ([(0, 40), (40, 100)], 100),
        # A line that reaches through the second piece: what is behind it says nothing yet.
        ([(0, 40), (60, 100)], 40),
        # A piece that was read again, further.
        ([(0, 40), (20, 80)], 80),
        ([(10, 40)], 0),
    ],
)
def test_a_file_is_read_up_to_its_first_gap(pieces: list[tuple[int, int]], end: int) -> None:
    assert entry(*pieces).end == end


def test_a_copy_grows_without_the_published_one() -> None:
    published = entry((0, 40))
    copied = copy_entry(published)
    copied.pieces.append(IndexedPiece(40, 50, b"", "s", 1, 1, 1, [], []))
    assert (published.end, copied.end) == (40, 50)


def test_a_file_that_nobody_looked_at_has_no_size() -> None:
    assert FileEntry(Source(path="x"), None, 0, []).size == 0
    assert entry().size == 100
