"""`rollscope note` and `rollscope notes`."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Cli


def test_a_note_is_listed_and_its_label_is_a_filter(cli: Cli, run_path: Path, tmp_path: Path) -> None:
    keep = ["--notes-dir", tmp_path / "notes"]
    before = {path: path.read_bytes() for path in run_path.rglob("*") if path.is_file()}
    done = cli("note", run_path, "train/0/1", "looks away", "--label", "hack", "--label", "lazy", "--rating", 2, *keep)
    assert "wrote 1 note on train/0/1" in done.err
    (note,) = cli("notes", run_path, "--json", *keep).json
    assert (note["address"], note["text"], note["labels"], note["rating"]) == (
        "train/0/1",
        "looks away",
        ["hack", "lazy"],
        2,
    )
    rows = cli("samples", run_path, "--where", 'label = "hack" and rating <= 2', "--json", *keep).json
    assert [row["address"] for row in rows] == ["train/0/1"]
    assert {path: path.read_bytes() for path in run_path.rglob("*") if path.is_file()} == before


def test_the_list_says_how_much_is_labelled(cli: Cli, run_path: Path, tmp_path: Path) -> None:
    keep = ["--notes-dir", tmp_path / "notes"]
    for author in ("Ada", "Bob"):
        cli("note", run_path, "train/0/1", "--label", "good", "--author", author, *keep)
    cli("note", run_path, "train/0/2", "why?", *keep)
    listed = cli("notes", run_path, "--limit", 2, *keep)
    assert "3 notes on 2 samples; labels: good 2" in listed.err
    assert "2 of 3 notes listed" in listed.err
    assert "Ada" in listed.out
    assert "why?" not in listed.out


def test_one_removes_only_what_one_wrote(cli: Cli, run_path: Path, tmp_path: Path) -> None:
    keep = ["--notes-dir", tmp_path / "notes"]
    for author in ("Ada", "Bob"):
        cli("note", run_path, "train/0/1", "seen", "--author", author, *keep)
    (removed,) = cli("note", run_path, "train/0/1", "--remove", "--author", "Ada", "--json", *keep).json
    assert removed["author"] == "Ada"
    assert [note["author"] for note in cli("notes", run_path, "--json", *keep).json] == ["Bob"]
    assert "no note of yours" in cli("note", run_path, "train/0/1", "--remove", "--author", "Ada", *keep, status=1).err


def test_what_is_no_note_is_refused(cli: Cli, run_path: Path, tmp_path: Path) -> None:
    keep = ["--notes-dir", tmp_path / "notes"]
    assert "empty" in cli("note", run_path, "train/0/1", *keep, status=2).err
    assert "from 1 to 5" in cli("note", run_path, "train/0/1", "--rating", 9, *keep, status=2).err
    assert "1 to 60 characters" in cli("note", run_path, "train/0/1", "--label", "x" * 61, *keep, status=2).err
    assert "--remove takes no" in cli("note", run_path, "train/0/1", "--remove", "--rating", 3, *keep, status=2).err
    assert "train/0/999" in cli("note", run_path, "train/0/999", "x", *keep, status=1).err
    assert cli("notes", run_path, "--json", *keep).json == []
