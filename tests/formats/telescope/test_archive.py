"""Archives that are half written, damaged or rewritten."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest
from tests.formats.data_rows import ReadRun
from tests.formats.data_telescope import (
    EVENTS,
    STEPS,
    kept_sample,
    write_archive,
)

from rollscope.errors import NotFoundError
from rollscope.formats.telescope import TelescopeFormat


@pytest.mark.parametrize("keep", [0, 10, 2_000, -30], ids=["empty", "header", "half", "no directory"])
def test_a_half_written_archive_is_named_and_the_others_open(tmp_path: Path, keep: int) -> None:
    good = kept_sample(1, step=0, group=0, reward=1.0, texts=["good"])
    write_archive(tmp_path / "steps" / "block_0.zip", good, suffixes=STEPS)
    tail = write_archive(tmp_path / "steps" / "tail.zip", good, suffixes=STEPS)
    tail.write_bytes(tail.read_bytes()[:keep])
    run = ReadRun(TelescopeFormat(), tmp_path)
    assert [run.load(row).messages[-1].text for row in run.rows] == ["good"]
    assert [skip.file for skip in run.skipped] == ["steps/tail.zip"]
    assert list(run.form.metrics(run.store)) == []


def test_an_archive_that_is_whole_a_moment_later_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = kept_sample(1, step=0, group=0, reward=1.0, texts=["whole"])
    path = write_archive(tmp_path / "steps" / "tail.zip", tables, suffixes=STEPS)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    monkeypatch.setattr("time.sleep", lambda _: path.write_bytes(whole))
    run = ReadRun(TelescopeFormat(), tmp_path)
    assert run.skipped == []
    assert len(run.rows) == 1


def test_one_damaged_table_costs_only_its_samples(tmp_path: Path) -> None:
    path = tmp_path / "events" / "block_0.zip"
    write_archive(path, kept_sample(1, step=0, group=0, reward=1.0, texts=["x"], suffix="_kept"), suffixes=EVENTS)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["samples_data_eval.parquet"] = b"PAR1 not really"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    run = ReadRun(TelescopeFormat(), tmp_path)
    assert len(run.rows) == 1
    assert len(run.skipped) == 1
    assert "samples_data_eval" in run.skipped[0].reason


def test_a_rewritten_archive_is_never_served_from_memory(tmp_path: Path) -> None:
    path = tmp_path / "steps" / "tail.zip"
    write_archive(path, kept_sample(1, step=0, group=0, reward=1.0, texts=["before"]), suffixes=STEPS)
    run = ReadRun(TelescopeFormat(), tmp_path)
    assert run.load(run.rows[0]).messages[-1].text == "before"
    write_archive(path, kept_sample(2, step=0, group=0, reward=0.0, texts=["after!"]), suffixes=STEPS)
    os.utime(path, ns=(1, 1))
    assert run.load(run.rows[0]).messages[-1].text == "after!"
    write_archive(path, kept_sample(3, step=7, group=9, reward=0.0, texts=["of another step"]), suffixes=STEPS)
    with pytest.raises(NotFoundError, match="rewritten"):
        run.load(run.rows[0])
    path.unlink()
    with pytest.raises(NotFoundError, match=r"steps/tail\.zip"):
        run.load(run.rows[0])


def test_an_archive_of_something_else_is_named(tmp_path: Path) -> None:
    (tmp_path / "steps").mkdir()
    with zipfile.ZipFile(tmp_path / "steps" / "tail.zip", "w") as archive:
        archive.writestr("metadata.json", "{}")
    assert [skip.reason for skip in ReadRun(TelescopeFormat(), tmp_path).skipped] == [
        "this archive holds no table of samples"
    ]
