"""The segment files of an index."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from rollscope.index.segments.files import ENDING, SegmentStore, open_segment, write_segment

TABLE = pa.table({"a": [1, 2, 3], "b": ["x", None, "z"]})
OTHER = pa.table({"a": [9]})


def test_a_segment_is_what_was_written(tmp_path: Path) -> None:
    name = write_segment(TABLE, str(tmp_path / "made"))
    assert open_segment(str(tmp_path / "made" / name)).equals(TABLE)
    assert name != write_segment(TABLE, str(tmp_path / "made")), "equal rows are segments of their own"


def test_a_damaged_segment_is_refused(tmp_path: Path) -> None:
    path = tmp_path / write_segment(TABLE, str(tmp_path))
    whole = path.read_bytes()
    for damaged in (whole[:-1], whole[:50] + b"\xff" + whole[51:], b""):
        path.write_bytes(damaged)
        with pytest.raises((OSError, ValueError)):
            open_segment(str(path))
    with pytest.raises((OSError, ValueError)):
        open_segment(str(tmp_path / f"no-name{ENDING}"))


def test_a_segment_is_looked_for_in_every_folder_then_fetched_then_made_again(tmp_path: Path) -> None:
    here, there = str(tmp_path / "here"), str(tmp_path / "there")
    asked: list[str] = []

    def fetch(name: str) -> bool:
        asked.append(name)
        return False

    store = SegmentStore(lambda: (here, there), fetch)
    name = write_segment(TABLE, there)
    assert store.table(name, lambda: OTHER).equals(TABLE)
    assert asked == []
    assert store.table(f"a-1-b{ENDING}", lambda: OTHER) is OTHER
    assert asked == [f"a-1-b{ENDING}"]
    assert store.table(f"a-1-b{ENDING}", lambda: TABLE) is OTHER, "opened once"
    store.forget([name])
    assert store.table(f"a-1-b{ENDING}", lambda: TABLE) is TABLE
    assert store.folder == here
