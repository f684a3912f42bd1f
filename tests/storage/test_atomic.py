"""A file that is replaced is the old one or the new one."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from rollscope.storage.atomic import replacing, write_atomically


@pytest.mark.parametrize("durable", [False, True])
def test_the_new_content_takes_the_place_of_the_old(tmp_path: Path, durable: bool) -> None:
    path = tmp_path / "a.json"
    for content in (b"old", b"new and longer", b""):
        write_atomically(path, content, durable=durable)
        assert path.read_bytes() == content
    assert os.listdir(tmp_path) == ["a.json"]


def test_what_fails_leaves_the_old_content_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError):
        write_half_of(path)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.json"]


def write_half_of(path: Path) -> None:
    with replacing(path, durable=True) as temporary:
        Path(temporary).write_bytes(b"half of the n")
        raise ZeroDivisionError


def test_a_reader_never_meets_half_of_it(tmp_path: Path) -> None:
    path = tmp_path / "a"
    contents = [bytes([letter]) * 300_000 for letter in b"abc"]
    write_atomically(path, contents[0], durable=False)
    done = threading.Event()

    def write() -> None:
        for _ in range(60):
            for content in contents:
                write_atomically(path, content, durable=False)
        done.set()

    writers = [threading.Thread(target=write) for _ in range(2)]
    for writer in writers:
        writer.start()
    while not done.is_set():
        assert path.read_bytes() in contents
    for writer in writers:
        writer.join()


def test_a_folder_that_cannot_be_written_is_an_oserror(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        write_atomically(tmp_path / "none" / "a", b"x", durable=True)
