"""Lines are found in a range of a file, also those that go past its end."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rollscope.storage.window import Window


def window(content: bytes, start: int, stop: int, step: int = 3) -> Window:
    def read(at: int, length: int) -> bytes:
        return content[at : at + min(length, step)]

    return Window(content[start:stop], start, len(content), read)


@given(
    st.binary(max_size=40).map(lambda raw: raw.replace(b"\x01", b"\n")),
    st.integers(0, 40),
    st.integers(0, 40),
    st.integers(1, 9),
)
def test_the_next_newline_is_that_of_the_whole_file(content: bytes, first: int, second: int, step: int) -> None:
    start, stop = sorted((min(first, len(content)), min(second, len(content))))
    for position in range(start, stop + 1):
        assert window(content, start, stop, step).find_newline(position) == content.find(b"\n", position)


def test_a_limit_ends_the_search_for_a_line_that_never_ends() -> None:
    assert window(b"x" * 100 + b"\n", 0, 10).find_newline(0, limit=10) == -1


def test_a_file_that_became_shorter_has_no_newline_where_there_was_one() -> None:
    shrunk = Window(b"abc", 0, 10, lambda at, length: b"")
    assert shrunk.find_newline(0) == -1
    assert shrunk.size == 3


def test_positions_are_those_of_the_file() -> None:
    assert bytes(window(b"0123456789", 4, 9).slice(5, 7)) == b"56"
