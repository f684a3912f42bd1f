"""Notes follow their sample: by content, into filters and sorts."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.fixtures import write_jsonl
from tests.runs import relax_record, write_relax

from rollscope.query.library import open_run
from rollscope.query.run import Run
from rollscope.userdata.notes import NewNote


@pytest.fixture(params=[250_000, 5], ids=["one stretch", "several"])
def stretch(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns of notes are made stretch by stretch; of a large run most are the same one."""
    monkeypatch.setattr("rollscope.query.samples.notes.STRETCH_ROWS", request.param)


@pytest.fixture
def opened(tmp_path: Path) -> Run:
    path = write_relax(tmp_path / "run-a", steps=3, samples=8)
    return open_run(path, index_dir=str(tmp_path / "index"), notes_dir=str(tmp_path / "notes"))


def again(tmp_path: Path, name: str = "run-a") -> Run:
    return open_run(tmp_path / name, index_dir=str(tmp_path / "index-2"), notes_dir=str(tmp_path / "notes"))


def addresses(run: Run, where: str, **asked: object) -> list[str]:
    return [row.address for row in run.samples(where=where, **asked).rows]  # type: ignore[arg-type]


@pytest.mark.usefixtures("stretch")
def test_labels_ratings_and_notes_are_filters_and_sorts(opened: Run) -> None:
    opened.write_note(NewNote(address="train/1/3", labels=["hack", "lazy"], rating=2))
    opened.write_note(NewNote(address="train/2/5", labels=["good"], rating=5))
    opened.write_note(NewNote(address="train/2/6", text="why?"))
    assert addresses(opened, 'label = "hack"') == ["train/1/3"]
    assert addresses(opened, "rating >= 4") == ["train/2/5"]
    assert addresses(opened, "noted = true") == ["train/1/3", "train/2/5", "train/2/6"]
    assert addresses(opened, "noted = true and rating is missing") == ["train/2/6"]
    assert addresses(opened, "noted = false and step = 1", step=1) == [f"train/1/{n}" for n in range(8) if n != 3]
    assert addresses(opened, "noted = true", sort="-rating") == ["train/2/5", "train/1/3", "train/2/6"]
    assert addresses(opened, 'label = "nobody"') == []


def test_the_newest_rating_counts_and_labels_add_up(opened: Run) -> None:
    opened.write_note(NewNote(address="train/1/3", labels=["a"], rating=2, author="Ada"))
    opened.write_note(NewNote(address="train/1/3", labels=["b"], rating=5, author="Bob"))
    assert addresses(opened, 'label = "a" and label = "b" and rating = 5') == ["train/1/3"]


def test_a_note_survives_a_moved_folder_and_a_new_index(opened: Run, tmp_path: Path) -> None:
    opened.write_note(NewNote(address="train/1/3", text="seen"))
    shutil.move(tmp_path / "run-a", tmp_path / "elsewhere")
    assert [note.address for note in again(tmp_path, "elsewhere").notes()] == ["train/1/3"]


def test_a_note_finds_its_sample_in_a_new_place(opened: Run, tmp_path: Path) -> None:
    """A resumed run may write a step anew, with a sample more before the one that was noted."""
    opened.write_note(NewNote(address="train/1/3", text="seen"))
    (file,) = (tmp_path / "run-a").rglob("1.jsonl")
    lines = file.read_text().splitlines()
    moved = [lines[0], lines[1], lines[2], lines[4], lines[5], lines[3], *lines[6:]]
    file.write_text("\n".join(moved) + "\n")
    (note,) = again(tmp_path).notes()
    assert note.address == "train/1/5"
    assert [item.text for item in again(tmp_path).notes("train/1/5")] == ["seen"]
    assert again(tmp_path).notes("train/1/3") == []


def test_notes_on_other_runs_are_not_this_runs(opened: Run, tmp_path: Path) -> None:
    opened.write_note(NewNote(address="train/1/3", text="seen"))
    write_jsonl(tmp_path / "run-b" / "train" / "1.jsonl", [relax_record(1, n, response=f"other {n}") for n in range(8)])
    assert again(tmp_path, "run-b").notes() == []


def test_a_note_whose_sample_is_gone_waits_for_it(opened: Run, tmp_path: Path) -> None:
    opened.write_note(NewNote(address="train/1/3", text="seen"))
    (file,) = (tmp_path / "run-a").rglob("1.jsonl")
    away = tmp_path / "away.jsonl"
    shutil.move(file, away)
    assert opened.notes() == []
    assert addresses(opened, "noted = true") == []
    shutil.move(away, file)
    opened.refresh()
    assert len(opened.notes()) == 1


def test_of_samples_with_one_text_each_has_its_own_notes(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "run" / "train" / "0.jsonl", [relax_record(0, 0, response="4") for _ in range(4)])
    run = open_run(tmp_path / "run", index_dir=str(tmp_path / "index"), notes_dir=str(tmp_path / "notes"))
    run.write_note(NewNote(address="train/0/1", labels=["hack"]))
    run.write_note(NewNote(address="train/0/3", labels=["fine"]))
    assert addresses(run, "noted") == ["train/0/1", "train/0/3"]
    assert addresses(run, 'label = "fine"') == ["train/0/3"]
    said = {n: [note.labels for note in run.notes(f"train/0/{n}")] for n in range(4)}
    assert said == {0: [], 1: [["hack"]], 2: [], 3: [["fine"]]}
