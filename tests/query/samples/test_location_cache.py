"""Samples that were looked up before are found again without a look into the index."""

from __future__ import annotations

from pathlib import Path

from tests.fixtures import write_jsonl
from tests.server.data import append, record, settled, write_run

from rollscope.query.library import open_run
from rollscope.query.run import Run


def is_warm(run: Run, address: str) -> bool:
    return run._reader._locations.get(run._index.snapshot, address) is not None


def test_a_sample_stays_warm_while_other_steps_grow(tmp_path: Path) -> None:
    folder = settled(write_run(tmp_path / "run", steps=2, samples=8))
    run = open_run(folder, index_dir=str(tmp_path / "index"))
    run.refresh()
    run.sample("train/0/1")
    run.sample("train/1/1")
    append(folder / "train" / "1.jsonl", record(1, 8))
    run.refresh()
    assert is_warm(run, "train/0/1")
    assert not is_warm(run, "train/1/1")


def test_a_sample_of_a_rewritten_file_is_looked_up_anew(tmp_path: Path) -> None:
    folder = settled(write_run(tmp_path / "run", steps=1, samples=8))
    run = open_run(folder, index_dir=str(tmp_path / "index"))
    run.refresh()
    assert run.sample("train/0/1").reward == 0.25
    write_jsonl(folder / "train" / "0.jsonl", (record(0, index, reward=9.0) for index in range(8)))
    assert not is_warm(run, "train/0/1")
    assert run.sample("train/0/1").reward == 9.0
