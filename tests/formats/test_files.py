"""The one way formats touch files: bounded, inside the run's directory, for names of any bytes."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from rollscope.storage import local as files
from rollscope.storage.local import Directory


def test_files_and_folders_are_listed_in_order(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", "c/inner.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    directory = Directory(tmp_path)
    assert (directory.files(), directory.folders()) == (["a.txt", "b.txt"], ["c"])
    assert directory.files("c") == ["inner.txt"]
    assert list(directory.walk()) == ["a.txt", "b.txt", "c/inner.txt"]
    assert directory.read("c/inner.txt", 2, 3) == b"inn"
    assert directory.exists("c/inner.txt")
    assert not directory.exists("c/other.txt")


def test_a_link_out_of_the_directory_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key.txt").write_text("secret")
    run = tmp_path / "run"
    run.mkdir()
    (run / "own.txt").write_text("own")
    (run / "to_file").symlink_to(tmp_path / "secret" / "key.txt")
    (run / "to_folder").symlink_to(tmp_path / "secret")
    (run / "to_parent").symlink_to("..")
    (run / "inside").symlink_to("own.txt")
    (run / "nowhere").symlink_to("gone")
    directory = Directory(run)
    assert directory.files() == ["inside", "nowhere", "own.txt"]
    assert directory.folders() == []
    assert directory.stat("nowhere") is None


def test_a_directory_beside_with_the_same_beginning_is_outside(tmp_path: Path) -> None:
    (tmp_path / "run-secret").mkdir()
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "link").symlink_to(tmp_path / "run-secret")
    assert Directory(tmp_path / "run").folders() == []


def test_a_run_that_is_itself_reached_by_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.txt").write_text("a")
    (tmp_path / "real" / "b.txt").symlink_to("a.txt")
    (tmp_path / "link").symlink_to("real")
    assert Directory(tmp_path / "link").files() == ["a.txt", "b.txt"]


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "self").symlink_to("../a")
    (tmp_path / "a" / "file").write_text("x")
    assert len(list(Directory(tmp_path).walk(depth=4))) <= 5


def test_folders_of_checkpoints_are_not_walked(tmp_path: Path) -> None:
    for folder in ("checkpoints", ".git", "node_modules", "rollouts"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.jsonl").write_text("{}")
    assert list(Directory(tmp_path).walk()) == ["rollouts/x.jsonl"]


def test_a_walk_goes_only_so_deep(tmp_path: Path) -> None:
    deep = tmp_path
    for level in range(8):
        deep = deep / f"d{level}"
        deep.mkdir()
        (deep / "f").write_text("")
    assert len(list(Directory(tmp_path).walk(depth=3))) == 3


def test_a_listing_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_ENTRIES", 10)
    for number in range(30):
        (tmp_path / str(number)).write_text("")
    assert len(Directory(tmp_path).files()) == 10


def test_names_that_are_no_utf8_can_be_stored_and_read_again(tmp_path: Path) -> None:
    folder = os.path.join(os.fsencode(tmp_path), b"f\xff")
    os.mkdir(folder)
    with open(os.path.join(folder, b"caf\xe9.txt"), "wb") as file:
        file.write(b"here")
    directory = Directory(tmp_path)
    assert directory.folders() == ["f\\xff"]
    assert directory.files("f\\xff") == ["caf\\xe9.txt"]
    assert Directory(tmp_path).read("f\\xff/caf\\xe9.txt") == b"here"
    assert list(Directory(tmp_path).walk()) == ["f\\xff/caf\\xe9.txt"]


def test_what_is_gone_or_never_was(tmp_path: Path) -> None:
    directory = Directory(tmp_path / "never")
    assert (directory.files(), directory.folders(), directory.stat("x")) == ([], [], None)
    assert directory.first_line("x") == b""
    with pytest.raises(OSError, match="No such file"):
        directory.read("x")


def test_a_file_that_replaces_another_differs(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one")
    before = Directory(tmp_path).stat("a")
    (tmp_path / "b").write_text("two")
    os.replace(tmp_path / "b", tmp_path / "a")
    assert Directory(tmp_path).stat("a") != before


def test_first_lines_pass_over_blank_ones_and_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbf\n \r\n{1}\n\n{2}\r\n{3}")
    directory = Directory(tmp_path)
    assert directory.first_line("a") == b"{1}"
    assert directory.first_lines("a", count=5) == [b"{1}", b"{2}\r", b"{3}"]


def test_a_directory_travels_to_another_process(tmp_path: Path) -> None:
    assert pickle.loads(pickle.dumps(Directory(tmp_path))).root == str(tmp_path)
