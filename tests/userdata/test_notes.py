"""Notes on disk: appended, never changed, by several writers at once, and about a sample whatever its address."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest

from rollscope.errors import NotFoundError, UnreadableError, UsageError
from rollscope.model import Message, Part, Sample
from rollscope.userdata.notes import NewNote, Notes, content_key


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    return Notes(str(tmp_path))


def only_file(notes: Notes) -> Path:
    (path,) = notes.directory.glob("*.jsonl")
    return path


def test_a_note_comes_back_as_it_was_written(notes: Notes) -> None:
    written = notes.write(
        NewNote(address="train/1/2", text="looks at the test ✓", labels=["hack", "hack "], rating=4), "k1"
    )
    (found,) = Notes(str(notes.directory)).all()
    assert found == written
    assert (found.text, found.labels, found.rating, found.key) == ("looks at the test ✓", ["hack"], 4, "k1")
    assert found.author
    assert notes.on("k2") == []


def test_changing_and_removing_only_append(notes: Notes) -> None:
    first = notes.write(NewNote(address="train/1/2", text="one"), "k")
    notes.write(NewNote(address="train/1/2", text="two", id=first.id), "k")
    assert [note.text for note in notes.all()] == ["two"]
    before = only_file(notes).read_bytes()
    notes.remove(first.id)
    assert notes.all() == []
    assert only_file(notes).read_bytes().startswith(before)
    with pytest.raises(NotFoundError):
        notes.remove(first.id)


def test_only_its_author_changes_a_note(notes: Notes) -> None:
    theirs = notes.write(NewNote(address="train/1/2", text="mine", author="Ada"), "k")
    with pytest.raises(UsageError, match="Ada"):
        notes.remove(theirs.id, "Bob")
    with pytest.raises(UsageError, match="Ada"):
        notes.write(NewNote(address="train/1/2", text="not mine", id=theirs.id, author="Bob"), "k")
    assert notes.remove(theirs.id, "Ada").text == "mine"


def test_an_empty_note_is_none(notes: Notes) -> None:
    with pytest.raises(UsageError, match="empty"):
        notes.write(NewNote(address="train/1/2", text=" ", labels=[" "]), "k")


def test_a_note_that_is_no_utf_8_is_refused(notes: Notes) -> None:
    wrong = [
        NewNote(address="train/0/0", text="a\udcff"),
        NewNote(address="train/0/0", labels=["a\udcff"]),
        NewNote(address="train/0/0", text="a", author="\udcff"),
    ]
    for new in wrong:
        with pytest.raises(UsageError, match="not UTF-8"):
            notes.write(new, "k")
    assert notes.all() == []


def test_a_line_cut_off_by_a_crash_costs_only_itself(notes: Notes) -> None:
    notes.write(NewNote(address="train/1/2", text="before"), "k")
    with only_file(notes).open("ab") as file:
        file.write(b'{"id": "torn", "text": "ha')
    assert [note.text for note in notes.all()] == ["before"]
    notes.write(NewNote(address="train/1/2", text="after"), "k")
    assert [note.text for note in notes.all()] == ["before", "after"]
    assert notes.skipped == 1


def _write_many(directory: str, author: str) -> None:
    notes = Notes(directory)
    for number in range(50):
        notes.write(NewNote(address="train/0/0", text=f"{author} {number} " + "x" * 5_000, author=author), "k")


def test_processes_that_write_at_once_lose_nothing(notes: Notes) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write_many, args=(str(notes.directory), name)) for name in ("Ada", "Bob", "Eve")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len({note.text for note in notes.all()}) == 150
    assert notes.skipped == 0


def test_notes_of_another_machine_in_a_shared_folder_are_read(notes: Notes) -> None:
    notes.write(NewNote(address="train/1/2", text="here"), "k")
    line = only_file(notes).read_text().replace("here", "there").replace(notes.all()[0].id, "another")
    (notes.directory / "ada@node17.jsonl").write_text(line)
    assert {note.text for note in notes.all()} == {"here", "there"}


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UnreadableError, match="cannot be written"):
        Notes(str(tmp_path / "file")).write(NewNote(address="train/1/2", text="x"), "k")


def sample(*texts: str, address: str = "train/0/0") -> Sample:
    return Sample(address=address, messages=[Message(role="user", parts=[Part(text=text)]) for text in texts])


def test_a_key_is_the_text_and_not_the_place() -> None:
    key = content_key(sample("What is 1+1?", "2"))
    assert content_key(sample("What is 1+1?", "2", address="train/9/4")) == key
    assert content_key(sample("What is 1+1?\n", " 2")) == key
    assert content_key(sample("What is 1+1?", "3")) != key
    assert content_key(sample("What is 1+1?2")) == key
    assert content_key(sample("\ud800")) != key


def test_samples_without_text_are_told_apart_by_their_address() -> None:
    assert content_key(sample(address="train/0/0")) != content_key(sample(address="train/0/1"))
