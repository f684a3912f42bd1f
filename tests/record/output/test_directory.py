"""Files as the recorder writes them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from rollscope import record
from rollscope.record.output.directory import MAX_OPEN, Directory, read_lines


def test_half_a_line_left_by_a_killed_process_does_not_swallow_the_next(tmp_path: Path) -> None:
    name = "train_iteration_000000_rollouts.jsonl"
    (tmp_path / name).write_text('{"step": 0, "lo')
    with record.start(tmp_path) as run, run.iteration(0) as iteration:
        iteration.add(response="x")
    half, whole = (tmp_path / name).read_text().splitlines()
    assert half == '{"step": 0, "lo'
    assert json.loads(whole)["step"] == 0


def test_a_line_that_does_not_fit_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = Directory(tmp_path)
    directory.append("a.jsonl", b"one\n")
    written = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: written(fd, data[:2]))
    with pytest.raises(OSError, match="No space left"):
        directory.append("a.jsonl", b"two\n")
    monkeypatch.undo()
    directory.append("a.jsonl", b"three\n")
    directory.close()
    assert (tmp_path / "a.jsonl").read_bytes() == b"one\nthree\n"


def test_a_file_that_was_deleted_or_replaced_is_opened_anew(tmp_path: Path) -> None:
    directory = Directory(tmp_path)
    path = tmp_path / "a.jsonl"
    directory.append("a.jsonl", b"one\n")
    path.unlink()
    directory.append("a.jsonl", b"two\n")
    assert path.read_bytes() == b"two\n"
    (tmp_path / "other").write_bytes(b"half")
    (tmp_path / "other").rename(path)
    directory.append("a.jsonl", b"three\n")
    assert path.read_bytes() == b"half\nthree\n"
    directory.replace("a.jsonl", [b"all ", b"", b"anew\n"])
    directory.append("a.jsonl", b"four\n")
    directory.close()
    assert path.read_bytes() == b"all anew\nfour\n"


def test_only_so_many_files_are_open_at_once_and_none_is_lost(tmp_path: Path) -> None:
    directory = Directory(tmp_path)
    names = [f"{number}.jsonl" for number in range(MAX_OPEN + 3)]
    for text in (b"a\n", b"b\n"):
        for name in names:
            directory.append(name, text)
    assert len(directory._open) == MAX_OPEN
    directory.close()
    assert {(tmp_path / name).read_bytes() for name in names} == {b"a\nb\n"}


def test_only_finished_lines_are_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\ntwo\nthr")
    assert read_lines(tmp_path / "a") == [b"one", b"two"]
    (tmp_path / "b").write_bytes(b"thr")
    assert read_lines(tmp_path / "b") == []
    assert read_lines(tmp_path / "none") == read_lines(tmp_path) == []
