"""The root and its parts on disk: what an added file writes, and what a missing or damaged part means."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.fixtures import write_jsonl
from tests.runs import relax_record, settle, write_relax

import rollscope
from rollscope.formats.relax import RelaxFormat
from rollscope.index import refresh
from rollscope.index.changes import plan
from rollscope.index.index import Index
from rollscope.index.manifest import parts as module
from rollscope.index.manifest.parts import FilePart
from rollscope.storage.local import LocalStore


def folder(base: Path) -> Path:
    (found,) = (path for path in base.iterdir() if path.name != "claims")  # there on a slow machine
    return found


def add_step(run: Path, step: int) -> None:
    write_jsonl(run / "train" / f"{step}.jsonl", [relax_record(step, index) for index in range(2)])


def names(base: Path) -> set[str]:
    return {name for name in os.listdir(folder(base)) if name.endswith(".part")}


def test_an_added_file_writes_one_part_of_files_and_one_of_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PART_SIZE", 8)
    run = settle(write_relax(tmp_path / "run", steps=100, samples=2))
    base = tmp_path / "index"
    index = Index(LocalStore(run), RelaxFormat(), base=str(base))
    index.refresh()
    before = names(base)
    assert len(index.snapshot.manifest.file_parts) >= 12
    add_step(run, 100)
    index.refresh()
    assert len(names(base) - before) == 2
    fresh = Index(LocalStore(run), RelaxFormat(), base=str(base))
    assert list(fresh.snapshot.steps) == list(index.snapshot.steps)
    assert fresh.snapshot.all_rows.equals(index.snapshot.all_rows)
    assert len(fresh.snapshot.steps) == 101


def test_while_files_are_read_only_their_parts_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every batch is published: of twelve parts it writes the one or two whose files it read."""
    monkeypatch.setattr(module, "PART_SIZE", 8)
    monkeypatch.setattr(plan, "MAX_PIECES", 8)
    monkeypatch.setattr(refresh, "PUBLISH_SECONDS", -1.0)
    written: list[int] = []
    save = FilePart.encoded

    def encoded(part: FilePart) -> tuple[str, bytes]:
        written.append(len(part))
        return save(part)

    monkeypatch.setattr(FilePart, "encoded", encoded)
    run = settle(write_relax(tmp_path / "run", steps=96, samples=2))
    index = Index(LocalStore(run), RelaxFormat(), base=str(tmp_path / "index"))
    index.refresh()
    assert index.version >= 12  # publishings
    assert len(written) <= 12 + 2 * index.version
    assert index.snapshot.sample_count == 2 * 96
    fresh = Index(LocalStore(run), RelaxFormat(), base=str(tmp_path / "index"))
    assert list(fresh.snapshot.steps) == list(index.snapshot.steps)


@pytest.mark.parametrize("damage", ["gone", "cut", "other"])
def test_an_index_whose_part_is_damaged_is_made_again(tmp_path: Path, damage: str) -> None:
    run = write_relax(tmp_path / "run", steps=3, samples=2)
    base = str(tmp_path / "index")
    assert rollscope.open(run, index_dir=base).samples().total == 6
    for name in names(tmp_path / "index"):
        part = folder(tmp_path / "index") / name
        if damage == "gone":
            part.unlink()
        else:
            content = part.read_bytes()
            part.write_bytes(content[:-5] if damage == "cut" else content[:-1] + bytes([content[-1] ^ 1]))
    assert rollscope.open(run, index_dir=base).samples().total == 6


def test_parts_that_another_process_removed_are_written_again(tmp_path: Path) -> None:
    run = write_relax(tmp_path / "run", steps=3, samples=2)
    base = tmp_path / "index"
    index = Index(LocalStore(run), RelaxFormat(), base=str(base))
    index.refresh()
    for name in names(base):
        (folder(base) / name).unlink()
    add_step(run, 3)
    index.refresh()
    assert len(Index(LocalStore(run), RelaxFormat(), base=str(base)).snapshot.steps) == 4
