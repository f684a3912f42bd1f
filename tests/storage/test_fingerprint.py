"""Is it still that file? What a fingerprint tells, and what only the bytes can."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rollscope.storage.fingerprint import (
    BLOCK_BYTES,
    RACY_NS,
    SAMPLED_BLOCKS,
    Change,
    Fingerprint,
    HashedBytes,
    Sighting,
    compare,
    hash_blocks,
    still_begins_with,
)
from rollscope.storage.open_store import open_store

THEN = Fingerprint(size=100, mtime_ns=1_000, inode=7)
LATER = 1_000 + RACY_NS + 1


@pytest.mark.parametrize(
    ("now", "change"),
    [
        (THEN, Change.NONE),
        (None, Change.GONE),
        (Fingerprint(size=100, mtime_ns=1_001, inode=7), Change.REPLACED),
        (Fingerprint(size=100, mtime_ns=1_000, inode=8), Change.REPLACED),
        (Fingerprint(size=99, mtime_ns=1_001, inode=7), Change.REPLACED),
        (Fingerprint(size=101, mtime_ns=1_001, inode=7), Change.GREW),
        (Fingerprint(size=101, mtime_ns=1_001, inode=8), Change.REPLACED),
    ],
)
def test_what_became_of_a_file(now: Fingerprint | None, change: Change) -> None:
    assert compare(THEN, LATER, now) is change


def test_a_file_seen_a_moment_after_it_was_written_is_never_known_to_be_the_same() -> None:
    assert compare(THEN, 1_000 + RACY_NS, THEN) is Change.UNSURE


def test_the_names_that_object_stores_give_to_states_need_no_clock() -> None:
    then = Fingerprint(size=100, mtime_ns=1_000, etag="a")
    assert compare(then, 1_000, then) is Change.NONE
    assert compare(then, 1_000, Fingerprint(size=100, mtime_ns=1_000, etag="b")) is Change.REPLACED


def evidence_of(path: Path, start: int = 0) -> HashedBytes:
    size = path.stat().st_size
    return HashedBytes(start, size, hash_blocks(open_store(path.parent), path.name, start, size))


def flip(path: Path, at: int) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        byte = file.read(1)
        file.seek(at)
        file.write(bytes([byte[0] ^ 1]))


def test_every_byte_of_a_small_file_counts(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(os.urandom(3 * BLOCK_BYTES + 17))
    evidence = evidence_of(path)
    for at in (0, BLOCK_BYTES - 1, BLOCK_BYTES, 2 * BLOCK_BYTES + 5, 3 * BLOCK_BYTES + 16):
        assert still_begins_with(open_store(tmp_path), "a", [evidence])
        flip(path, at)
        assert not still_begins_with(open_store(tmp_path), "a", [evidence])
        flip(path, at)


def test_what_is_behind_the_evidence_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 1000)
    evidence = evidence_of(path)
    with path.open("ab") as file:
        file.write(b"y" * 1000)
    assert still_begins_with(open_store(tmp_path), "a", [evidence])
    path.write_bytes(b"x" * 999)
    assert not still_begins_with(open_store(tmp_path), "a", [evidence])


def test_an_edit_anywhere_in_a_large_file_is_found_by_and_by(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(os.urandom((3 * SAMPLED_BLOCKS) * BLOCK_BYTES))
    evidence = evidence_of(path)
    assert all(still_begins_with(open_store(tmp_path), "a", [evidence]) for _ in range(5))
    flip(path, 11 * BLOCK_BYTES + 99)
    # Six of 22 blocks each time: 200 looks miss it once in 10^27.
    assert not all(still_begins_with(open_store(tmp_path), "a", [evidence]) for _ in range(200))


def test_the_bytes_around_a_sample_are_known_for_certain(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(os.urandom(20 * BLOCK_BYTES))
    store = open_store(tmp_path)
    evidence = evidence_of(path, start=100)
    flip(path, 11 * BLOCK_BYTES + 500)
    assert not evidence.holds_at(store, "a", 11 * BLOCK_BYTES + 490, 11 * BLOCK_BYTES + 510)
    assert evidence.holds_at(store, "a", 13 * BLOCK_BYTES, 14 * BLOCK_BYTES)
    assert not evidence.holds_at(store, "a", 10 * BLOCK_BYTES, 14 * BLOCK_BYTES)
    assert not evidence.holds_at(store, "a", 0, 50)


def test_a_sighting_notices_an_edit_that_the_clock_hides(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"before")
    store = open_store(tmp_path)
    stat = path.stat()
    sighting = Sighting(store, "a")
    assert sighting.is_current(store, "a")
    with path.open("r+b") as file:
        file.write(b"after!")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert not sighting.is_current(store, "a")


def test_a_sighting_of_no_file_holds_until_there_is_one(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    sighting = Sighting(store, "a")
    assert sighting.is_current(store, "a")
    (tmp_path / "a").write_bytes(b"")
    assert not sighting.is_current(store, "a")
