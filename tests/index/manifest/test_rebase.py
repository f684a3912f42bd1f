"""Two writers of one index: nobody's work is lost, and nobody's older look replaces a newer one."""

from __future__ import annotations

from rollscope.formats.base import Source
from rollscope.index.manifest.entries import FileEntry, IndexedPiece
from rollscope.index.manifest.rebase import rebase
from rollscope.storage.fingerprint import Fingerprint


def entry(path: str, *, seen_ns: int = 1, size: int = 10, step: int = 0, read: bool = True) -> FileEntry:
    piece = IndexedPiece(0, size, b"", f"{path}-{seen_ns}", 0, 1, 1, [], [("train", step)])
    seen = Fingerprint(size=size, mtime_ns=seen_ns, inode=1)
    return FileEntry(Source(path=path), seen, seen_ns, [piece] if read else [], complete=read)


def names(files: list[FileEntry]) -> list[tuple[str, int]]:
    return [(file.source.path, file.seen_ns) for file in files]


def test_files_of_both_are_in_the_result() -> None:
    files, touched = rebase([entry("a", step=1)], [entry("b", step=2)])
    assert names(files) == [("a", 1), ("b", 1)]
    assert touched == {("train", 2)}


def test_of_one_file_the_later_look_counts_whoever_had_it() -> None:
    assert names(rebase([entry("a", seen_ns=5)], [entry("a", seen_ns=9)])[0]) == [("a", 9)]
    assert names(rebase([entry("a", seen_ns=9)], [entry("a", seen_ns=5)])[0]) == [("a", 9)]


def test_steps_of_the_old_state_and_of_the_new_one_are_both_touched() -> None:
    _, touched = rebase([entry("a", seen_ns=1, step=3)], [entry("a", seen_ns=2, step=4)])
    assert touched == {("train", 3), ("train", 4)}


def test_the_same_state_of_a_file_is_theirs_and_touches_nothing() -> None:
    theirs = [entry("a")]
    files, touched = rebase(theirs, [entry("a")])
    assert files[0] is theirs[0]
    assert touched == set()


def test_a_file_that_we_only_listed_replaces_nothing() -> None:
    assert names(rebase([entry("a")], [entry("a", seen_ns=9, read=False)])[0]) == [("a", 1)]
    assert rebase([], [entry("b", read=False)]) == ([], set())


def test_a_file_that_they_only_listed_is_filled_by_ours() -> None:
    assert names(rebase([entry("a", seen_ns=9, read=False)], [entry("a", seen_ns=1)])[0]) == [("a", 1)]
