"""Bytes kept for a moment: only those of the state asked for, and no more than the limit."""

from __future__ import annotations

from rollscope.storage.objects.byte_cache import ByteCache

FILE = ("s3://b", "a.jsonl", "etag 1")


def test_a_range_within_one_that_was_kept_is_found() -> None:
    cache = ByteCache(100)
    cache.put(FILE, 10, b"0123456789")
    assert cache.get(FILE, 10, 20) == b"0123456789"
    assert cache.get(FILE, 12, 15) == b"234"
    assert cache.get(FILE, 9, 12) is None
    assert cache.get(FILE, 15, 21) is None
    view = cache.view(FILE, 12, 15)
    assert view is not None
    assert (bytes(view), view.obj) == (b"234", cache.get(FILE, 10, 20)), "nothing was copied"
    assert cache.view(FILE, 15, 21) is None


def test_another_state_of_a_file_is_another_file() -> None:
    cache = ByteCache(100)
    cache.put(FILE, 0, b"old")
    assert cache.get((*FILE[:2], "etag 2"), 0, 3) is None


def test_no_more_than_the_limit_is_kept_and_what_was_used_last_stays() -> None:
    cache = ByteCache(100)
    for number in range(50):
        cache.put(("s3://b", f"{number}", "e"), 0, bytes(10))
        assert cache.get(("s3://b", "0", "e"), 0, 10) is not None
    assert cache.size <= 100
    assert cache.get(("s3://b", "49", "e"), 0, 10) is not None
    assert cache.get(("s3://b", "1", "e"), 0, 10) is None


def test_a_range_larger_than_the_limit_is_kept_alone_while_it_is_read() -> None:
    cache = ByteCache(10)
    cache.put(FILE, 0, bytes(50))
    assert cache.get(FILE, 20, 30) == bytes(10)
    cache.put(("s3://b", "other", "e"), 0, bytes(5))
    assert cache.size == 5
