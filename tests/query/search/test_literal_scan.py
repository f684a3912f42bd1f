"""Literals are found in bytes: at the same places with the compiled code and without."""

from __future__ import annotations

import mmap
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollscope.query.search import literal_scan
from rollscope.query.search.literal_scan import Literal

#: Few letters, so that parts of a literal are often there without the rest of it.
BYTES = st.lists(st.sampled_from([b"a", b"ab", b"\\u00", b"0", b"\x00", b"\xff", b"\n"]), max_size=12).map(b"".join)


@pytest.mark.parametrize("compiled", [True, False])
@given(BYTES, BYTES.filter(bool), st.integers(0, 300), st.integers(-20, 20), st.integers(-20, 20))
def test_a_literal_is_found_where_python_finds_it(
    compiled: bool, some: bytes, wanted: bytes, before: int, from_start: int, from_end: int
) -> None:
    """Also over the edges of what compiled code compares at once, and not outside of where it is looked for."""
    data = b"x" * before + some + wanted * (before % 2) + b"x" * (300 - before)
    start, end = max(0, before + from_start), max(0, before + len(some) + len(wanted) + from_end)
    with pytest.MonkeyPatch.context() as patch:
        if not compiled:
            patch.setattr(literal_scan, "_compiled", lambda: None)
        assert Literal(wanted).find(data, start, end) == data.find(wanted, start, end)
        assert Literal(wanted).find(data, 0, len(data)) == data.find(wanted)


def test_a_mapped_file_is_searched_to_its_last_byte(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"-" * (mmap.PAGESIZE - 4) + b"last")
    with file.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert Literal(b"last").find(mapped, 0, len(mapped)) == mmap.PAGESIZE - 4
        assert Literal(b"last").find(mapped, 0, len(mapped) - 1) == -1
        assert Literal(b"last ").find(mapped, 0, len(mapped) + 5) == -1


@pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler")
def test_the_compiled_scan_is_there_where_a_compiler_is() -> None:
    assert literal_scan._compiled() is not None
