"""Bytes kept for a moment: only those of the state asked for, and no more than the limit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

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


def test_memory_of_a_range_that_makes_way_is_used_again() -> None:
    cache = ByteCache(100)
    first = cache.take_buffer(90)
    first[:] = b"a" * 90
    cache.put(FILE, 0, first)
    assert cache.get(FILE, 0, 90) == b"a" * 90
    second = cache.take_buffer(80)
    assert (second is first, len(second), cache.size) == (True, 80, 0)
    assert cache.get(FILE, 0, 90) is None
    grown = cache.take_buffer(85)
    assert (grown is second, len(grown)) == (False, 85), "nobody gave it back"
    cache.put(FILE, 0, second)
    assert len(cache.take_buffer(88)) == 88


def test_memory_that_somebody_looks_into_is_left_alone() -> None:
    cache = ByteCache(100)
    content = cache.take_buffer(90)
    content[:] = b"a" * 90
    cache.put(FILE, 0, content)
    view = cache.view(FILE, 5, 10)
    del content
    other = cache.take_buffer(90)
    other[:] = b"b" * 90
    assert view is not None
    assert bytes(view) == b"aaaaa"
    del view
    cache.put(FILE, 0, other)
    assert cache.take_buffer(90) is other


def test_while_there_is_room_no_memory_is_taken_away() -> None:
    cache = ByteCache(100)
    cache.put(FILE, 0, cache.take_buffer(40))
    cache.put(FILE, 40, cache.take_buffer(40))
    assert cache.get(FILE, 0, 40) == bytes(40)
    assert cache.get(FILE, 40, 80) == bytes(40)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 60), st.booleans()), max_size=40))
def test_whatever_is_kept_and_looked_at_is_never_of_another_range(steps: list[tuple[int, int, bool]]) -> None:
    cache = ByteCache(100)
    held: list[tuple[memoryview, bytes]] = []
    for number, size, keep in steps:
        file = ("s3://b", str(number), "e")
        if cache.view(file, 0, size) is None:
            content = cache.take_buffer(size)
            assert len(content) == size
            content[:] = bytes([number]) * size
            cache.put(file, 0, content)
            del content
        view = cache.view(file, 0, size)
        assert view is not None
        assert bytes(view) == bytes([number]) * size == cache.get(file, 0, size)
        if keep:
            held.append((view, bytes(view)))
        elif held:
            held.pop(0)
        assert all(bytes(seen) == wanted for seen, wanted in held)
