"""States of the index, one after the other."""

from __future__ import annotations

from pathlib import Path

from tests.server.data import append, record, settled, write_run

from rollscope.query.library import open_run


def test_a_step_that_stays_as_it_is_keeps_its_rows_while_others_grow(tmp_path: Path) -> None:
    folder = settled(write_run(tmp_path / "run", steps=2, samples=8))
    run = open_run(folder, index_dir=str(tmp_path / "index"))
    run.refresh()
    before = run._index.snapshot
    rows = {step: before.rows_of("train", step) for step in (0, 1)}
    append(folder / "train" / "1.jsonl", record(1, 8))
    run.refresh()
    after = run._index.snapshot
    assert after is not before
    assert after.state_of("train", 0) == before.state_of("train", 0)
    assert after.rows_of("train", 0) is rows[0]
    assert after.state_of("train", 1) != before.state_of("train", 1)
    assert after.rows_of("train", 1).num_rows == 9
    assert before.rows_of("train", 1).num_rows == 8


def test_a_file_listed_before_the_others_moves_their_rows_to_it(tmp_path: Path) -> None:
    folder = settled(write_run(tmp_path / "run", steps=2, samples=4))
    (folder / "train" / "0.jsonl").rename(tmp_path / "first.jsonl")
    run = open_run(folder, index_dir=str(tmp_path / "index"))
    run.refresh()
    alone = run._index.snapshot.rows_of("train", 1)["file"].to_pylist()
    (tmp_path / "first.jsonl").rename(folder / "train" / "0.jsonl")
    run.refresh()
    snapshot = run._index.snapshot
    table = snapshot.rows_of("train", 1)
    assert table["file"].to_pylist() != alone
    assert {snapshot.locate(table, row).source.path for row in range(4)} == {"train/1.jsonl"}


def test_a_step_nobody_has_read_has_no_state(tmp_path: Path) -> None:
    run = open_run(settled(write_run(tmp_path / "run", steps=1)), index_dir=str(tmp_path / "index"))
    run.refresh()
    assert run._index.snapshot.state_of("train", 7) is None
