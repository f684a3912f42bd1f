"""A cache with a limit of bytes or entries."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rollscope.lru import LruCache


def test_what_was_not_asked_for_longest_goes_first() -> None:
    cache: LruCache[str, int] = LruCache(100)
    cache.put("a", 1, 40)
    cache.put("b", 2, 40)
    assert cache.get("a") == 1
    cache.put("c", 3, 40)
    assert [cache.get(name) for name in "abc"] == [1, None, 3]


def test_what_is_larger_than_the_budget_is_not_kept_and_replaces_what_was() -> None:
    cache: LruCache[str, int] = LruCache(100)
    cache.put("a", 1, 40)
    cache.put("a", 2, 101)
    assert cache.get("a") is None
    assert (len(cache), cache.bytes) == (0, 0)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 60))))
def test_it_never_holds_more_than_its_budget(puts: list[tuple[int, int]]) -> None:
    cache: LruCache[int, int] = LruCache(100)
    held: dict[int, int] = {}
    for key, size in puts:
        cache.put(key, size, size)
        held[key] = size
        assert cache.bytes <= 100
        assert cache.get(key) == size
    assert cache.bytes == sum(size for key, size in held.items() if cache.get(key) is not None)


def test_entries_can_be_limited_instead_of_bytes() -> None:
    cache: LruCache[str, int] = LruCache(max_entries=2)
    for number, name in enumerate("abc"):
        cache.put(name, number)
    assert cache.items() == [("b", 1), ("c", 2)]
    cache.remove("b")
    assert [cache.get(name) for name in "abc"] == [None, None, 2]


def test_the_newest_stays_where_that_is_asked_for_however_large() -> None:
    cache: LruCache[str, int] = LruCache(100, keep_newest=True)
    cache.put("a", 1, 40)
    cache.put("b", 2, 500)
    assert cache.items() == [("b", 2)]
    cache.put("c", 3, 10)
    assert cache.items() == [("c", 3)]
