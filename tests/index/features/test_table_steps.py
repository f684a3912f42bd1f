"""A table's rows by step: each step once, its rows in their order, and an identity that changes with what they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tests.runs import append, relax_record, settle, write_relax

from rollscope.formats.relax import RelaxFormat
from rollscope.index.features.table_steps import TableSteps
from rollscope.index.index import Index
from rollscope.storage.open_store import open_store


def indexed(run: Path) -> Index:
    index = Index(open_store(run), RelaxFormat())
    index.refresh()
    return index


def test_rows_in_any_order_are_put_by_step_and_number(tmp_path: Path) -> None:
    snapshot = indexed(write_relax(tmp_path / "run", steps=3, samples=4)).snapshot
    table = snapshot.all_rows
    ordered = TableSteps().of(snapshot, table)
    assert [(step.key, step.rows.tolist()) for step in ordered] == [
        (("train", step), list(range(4 * step, 4 * step + 4))) for step in range(3)
    ]
    mixed = np.random.default_rng(1).permutation(12)
    for step, whole in zip(TableSteps().of(snapshot, table.take(mixed)), ordered):
        assert step.key == whole.key
        assert mixed[step.rows].tolist() == whole.rows.tolist()
        assert step.identity == whole.identity


def test_a_step_that_grew_is_another_and_its_old_rows_are_the_same(tmp_path: Path) -> None:
    run = settle(write_relax(tmp_path / "run", steps=2, samples=4))
    index = indexed(run)
    before = TableSteps().of(index.snapshot, index.snapshot.all_rows)
    append(run / "train" / "1.jsonl", relax_record(1, 4))
    index.refresh()
    after = TableSteps().of(index.snapshot, index.snapshot.all_rows)
    assert after[0].identity == before[0].identity
    assert after[1].identity != before[1].identity
    assert after[1].keys[:4].tolist() == before[1].keys.tolist()


def test_rows_of_a_beginning_have_no_identity(tmp_path: Path) -> None:
    index = Index(open_store(write_relax(tmp_path / "run", steps=1)), RelaxFormat())
    index.peek(lambda source: True)
    (step,) = TableSteps().of(index.snapshot, index.snapshot.rows_of("train", 0))
    assert step.identity is None
