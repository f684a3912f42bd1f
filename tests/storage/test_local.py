"""The one way formats touch files: bounded, inside the run's directory, for names of any bytes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rollscope.storage import local as files
from rollscope.storage.local import LocalStore
from rollscope.storage.store import Listing


def test_files_and_folders_are_listed_in_order(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", "c/inner.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    store = LocalStore(tmp_path)
    assert (store.files(), store.folders()) == (["a.txt", "b.txt"], ["c"])
    assert store.files("c") == ["inner.txt"]
    assert list(store.walk()) == ["a.txt", "b.txt", "c/inner.txt"]
    assert store.read("c/inner.txt", 2, 3) == b"inn"
    assert store.exists("c/inner.txt")
    assert not store.exists("c/other.txt")


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
    store = LocalStore(run)
    assert store.files() == ["inside", "nowhere", "own.txt"]
    assert store.folders() == []
    assert store.stat("nowhere") is None


def test_a_directory_beside_with_the_same_beginning_is_outside(tmp_path: Path) -> None:
    (tmp_path / "run-secret").mkdir()
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "link").symlink_to(tmp_path / "run-secret")
    assert LocalStore(tmp_path / "run").folders() == []


def test_a_run_that_is_itself_reached_by_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.txt").write_text("a")
    (tmp_path / "real" / "b.txt").symlink_to("a.txt")
    (tmp_path / "link").symlink_to("real")
    assert LocalStore(tmp_path / "link").files() == ["a.txt", "b.txt"]


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "self").symlink_to("../a")
    (tmp_path / "a" / "file").write_text("x")
    assert len(list(LocalStore(tmp_path).walk(depth=4))) <= 5


def test_folders_of_checkpoints_are_not_walked(tmp_path: Path) -> None:
    for folder in ("checkpoints", ".git", "node_modules", "rollouts"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.jsonl").write_text("{}")
    assert list(LocalStore(tmp_path).walk()) == ["rollouts/x.jsonl"]


def test_a_walk_goes_only_so_deep(tmp_path: Path) -> None:
    deep = tmp_path
    for level in range(8):
        deep = deep / f"d{level}"
        deep.mkdir()
        (deep / "f").write_text("")
    assert len(list(LocalStore(tmp_path).walk(depth=3))) == 3


def test_a_listing_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_ENTRIES", 10)
    for number in range(30):
        (tmp_path / str(number)).write_text("")
    listing = LocalStore(tmp_path).listing()
    assert (len(listing.files), listing.cut) == (10, True)


def test_names_that_are_no_utf8_can_be_stored_and_read_again(tmp_path: Path) -> None:
    folder = os.path.join(os.fsencode(tmp_path), b"f\xff")
    os.mkdir(folder)
    with open(os.path.join(folder, b"caf\xe9.txt"), "wb") as file:
        file.write(b"here")
    store = LocalStore(tmp_path)
    assert store.folders() == ["f\\xff"]
    assert store.files("f\\xff") == ["caf\\xe9.txt"]
    assert LocalStore(tmp_path).read("f\\xff/caf\\xe9.txt") == b"here"
    assert list(LocalStore(tmp_path).walk()) == ["f\\xff/caf\\xe9.txt"]


def test_what_is_gone_or_never_was(tmp_path: Path) -> None:
    store = LocalStore(tmp_path / "never")
    assert (store.files(), store.folders(), store.stat("x")) == ([], [], None)
    assert store.first_line("x") == b""
    with pytest.raises(OSError, match="No such file"):
        store.read("x")


def test_a_file_that_replaces_another_differs(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one")
    before = LocalStore(tmp_path).stat("a")
    (tmp_path / "b").write_text("two")
    os.replace(tmp_path / "b", tmp_path / "a")
    assert LocalStore(tmp_path).stat("a") != before


def test_first_lines_pass_over_blank_ones_and_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbf\n \r\n{1}\n\n{2}\r\n{3}")
    store = LocalStore(tmp_path)
    assert store.first_line("a") == b"{1}"
    assert store.first_lines("a", count=5) == [b"{1}", b"{2}\r", b"{3}"]


def test_a_fresh_store_sees_what_came_since(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    assert store.files() == []
    (tmp_path / "new").write_text("")
    assert store.files() == []
    assert store.fresh().files() == ["new"]


def test_many_ranges_are_read_in_the_order_asked(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"0123456789")
    assert list(LocalStore(tmp_path).read_many("a", [(8, 5), (0, 2), (3, 1), (20, 3)])) == [b"89", b"01", b"3", b""]


@pytest.mark.parametrize("mapped", [False, True])
def test_a_window_has_the_bytes_at_their_places(tmp_path: Path, mapped: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    content = os.urandom(3_000_000).replace(b"\n", b"x") + b"\nend\n"
    (tmp_path / "a").write_bytes(content)
    monkeypatch.setattr(files, "_mapping_allowed", mapped)
    with LocalStore(tmp_path).window("a", 5_000, 2_000_000) as window:
        assert window.size == len(content)
        assert bytes(window.slice(4_999, 6_000)) == content[4_999:6_000]
        assert window.find_newline(5_000) == content.index(b"\n")


def test_what_is_neither_a_file_nor_a_folder_is_not_there(tmp_path: Path) -> None:
    """A pipe would have its reader wait for ever."""
    os.mkfifo(tmp_path / "1.jsonl")
    (tmp_path / "2.jsonl").write_text("{}\n")
    (tmp_path / "3.jsonl").symlink_to(tmp_path / "2.jsonl")
    assert LocalStore(tmp_path).files() == ["2.jsonl", "3.jsonl"]


def test_a_folder_is_listed_again_only_if_it_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "train").mkdir()
    for name in ("0.jsonl", "1.jsonl"):
        (tmp_path / "train" / name).write_text("{}")
    store = LocalStore(tmp_path)
    read: list[str] = []
    whole = LocalStore._read_folder

    def reading(store: LocalStore, folder: str) -> tuple[Listing, bool]:
        read.append(folder)
        return whole(store, folder)

    monkeypatch.setattr(LocalStore, "_read_folder", reading)
    assert store.fresh().files("train") == store.fresh().files("train") == ["0.jsonl", "1.jsonl"]
    assert len(read) == 2, "it was changed a moment ago, and may change again without another time"
    os.utime(tmp_path / "train", (1_700_000_000, 1_700_000_000))
    read.clear()
    assert store.fresh().files("train") == store.fresh().files("train") == ["0.jsonl", "1.jsonl"]
    assert read == ["train"]
    (tmp_path / "train" / "2.jsonl").write_text("{}")
    assert store.fresh().files("train") == ["0.jsonl", "1.jsonl", "2.jsonl"]


def test_what_a_link_leads_to_may_change_beside_its_folder(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "latest").symlink_to("../elsewhere")
    os.utime(tmp_path / "run", (1_700_000_000, 1_700_000_000))
    store = LocalStore(tmp_path / "run", real_root=str(tmp_path))
    assert (store.fresh().files(), store.fresh().folders()) == (["latest"], [])
    (tmp_path / "elsewhere").mkdir()
    assert (store.fresh().files(), store.fresh().folders()) == ([], ["latest"])


def test_a_folder_that_could_not_be_read_is_listed_once_it_can(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    assert store.fresh().files("train") == []
    (tmp_path / "train").mkdir()
    (tmp_path / "train" / "0.jsonl").write_text("{}")
    assert store.fresh().files("train") == ["0.jsonl"]
