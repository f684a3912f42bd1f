"""What every store does with what one kind of it lists and reads."""

from __future__ import annotations

from itertools import count

import pytest

from rollscope.storage.fingerprint import stamp_of
from rollscope.storage.memory import MemoryStore
from rollscope.storage.store import FileChanged, Listing

_names = count()


def store_of(**files: bytes) -> MemoryStore:
    """Double underscores are slashes."""
    content = {name.replace("__", "/"): data for name, data in files.items()}
    return MemoryStore.of(f"store-{next(_names)}", content)


def test_a_folder_is_listed_once_and_anew_by_a_fresh_store() -> None:
    store = store_of(a=b"1", f__b=b"2")
    assert store.listing() == Listing(["a"], ["f"])
    store.write("c", b"3")
    assert (store.files(), store.exists("c")) == (["a"], False)
    assert (store.fresh().files(), store.fresh().exists("c")) == (["a", "c"], True)
    assert store.listed_folders() == {""}


def test_a_walk_goes_into_folders_but_not_into_checkpoints_or_too_deep() -> None:
    store = store_of(a=b"", x__b=b"", x__y__c=b"", checkpoints__d=b"")
    assert list(store.walk()) == ["a", "x/b", "x/y/c"]
    assert list(store.walk(depth=1)) == ["a", "x/b"]
    assert list(store.walk("x")) == ["x/b", "x/y/c"]


def test_ranges_are_read_where_they_lie() -> None:
    store = store_of(a=b"0123456789")
    assert (store.read("a"), store.read("a", 2, 3), store.read("a", 8, 9), store.read("a", 4)) == (
        b"0123456789",
        b"234",
        b"89",
        b"456789",
    )
    assert list(store.read_many("a", [(7, 2), (0, 1)])) == [b"78", b"0"]


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"\n  \na\r\nb\nc", [b"a\r", b"b"]),
        (b"\xef\xbb\xbfa\n", [b"a"]),
        (b"", []),
        (b"\n\n", []),
    ],
)
def test_first_lines_pass_over_blank_ones(content: bytes, lines: list[bytes]) -> None:
    store = store_of(a=content)
    assert store.first_lines("a", 2) == lines
    assert store.first_line("a") == (lines[0] if lines else b"")
    assert store.first_lines("unheard") == []


def test_a_long_first_line_is_cut() -> None:
    assert store_of(a=b"x" * 100).first_lines("a", limit=10) == [b"x" * 10]


def test_fingerprints_of_many_files_say_which_are_gone() -> None:
    store = store_of(a=b"1", b=b"2")
    assert store.stamps(["a", "unheard", "b"]) == b"".join(
        (stamp_of(store.stat("a")), stamp_of(None), stamp_of(store.stat("b")))
    )


def test_a_place_has_a_name_and_its_folder_s() -> None:
    store = store_of(runs__one__a=b"1").sub("runs").sub("one")
    assert (store.name, store.parent_name) == ("one", "runs")
    assert store.identity == store.address


def test_a_file_that_changed_names_itself() -> None:
    error = FileChanged("a.jsonl")
    assert (error.filename, error.strerror) == ("a.jsonl", "it was replaced while it was read")
