"""Rows of many small scans become one table, as if each had been a table of its own."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import write_jsonl
from tests.runs import write_relax

import rollscope
from rollscope.formats.base import Scan, Source
from rollscope.formats.relax import RelaxFormat
from rollscope.index.index import Index
from rollscope.index.segments import rows as segment
from rollscope.index.segments.rows import RowsBuilder, concat, table_from_scan
from rollscope.storage.open_store import open_store
from rollscope.storage.store import Store

SCANS: list[tuple[dict[str, list[Any]], Source]] = [
    ({"reward": [0.5, None], "offset": [0, 10]}, Source(path="a", split="train", step=1)),
    ({"reward": ["0.25"], "step": ["7"], "offset": [0]}, Source(path="b", split="train", step=2)),
    ({"reward": [1], "step": ["no number"], "split": [None], "offset": [0]}, Source(path="c", split="eval/x", step=3)),
    (
        {"metrics.acc": [True, "x"], "split": ["eval/y", None], "offset": [0, 5]},
        Source(path="d", split="eval/z", step=4),
    ),
    ({"tags": [["a"], "b", None], "offset": [1, 2, 3]}, Source(path="e")),
]


def scan(columns: dict[str, list[Any]]) -> Scan:
    return Scan(columns=dict(columns), rows=len(columns["offset"]))


@pytest.mark.parametrize("few", [1, 3, 1_000])
def test_joined_scans_equal_single_ones(monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    monkeypatch.setattr(segment, "FEW_ROWS", few)
    builder = RowsBuilder()
    for columns, source in SCANS:
        builder.add(scan(columns), source)
    expected = concat([table_from_scan(scan(columns), source) for columns, source in SCANS]).to_pylist()
    joined = builder.table().to_pylist()
    assert builder.count == len(expected)
    for ours, wanted in zip(joined, expected, strict=True):
        assert {name: ours.get(name) for name in wanted} == wanted


def test_rows_can_be_taken_back() -> None:
    builder = RowsBuilder()
    builder.add(scan(SCANS[0][0]), SCANS[0][1])
    builder.add(scan(SCANS[3][0]), SCANS[3][1])
    builder.cut(2)
    builder.add(scan(SCANS[1][0]), SCANS[1][1])
    assert builder.table()["reward"].to_pylist() == [0.5, None, 0.25]
    builder.cut(0)
    assert builder.count == 0


class FailsHalfWay(RelaxFormat):
    """Gives the rows of `train/1.jsonl` in two parts, and fails at the second."""

    def scan(self, store: Store, source: Source, start: int, end: int) -> Scan:
        found = super().scan(store, source, start, end)
        if source.step == 1:
            if start > 0:
                raise ZeroDivisionError("half way")
            found.more = True
        return found


def test_a_format_that_fails_in_one_file_leaves_the_others_whole(tmp_path: Path) -> None:
    run = write_relax(tmp_path / "run", steps=3)
    index = Index(open_store(run), FailsHalfWay())
    index.refresh()
    assert {step: index.snapshot.rows_of("train", step).num_rows for step in range(3)} == {0: 8, 1: 0, 2: 8}
    (told,) = index.snapshot.skipped()
    assert (told.file, told.reason) == ("train/1.jsonl", "cannot be read: ZeroDivisionError: half way")
    table = index.snapshot.rows_of("train", 2)
    whole = rollscope.open(run, index_dir=str(tmp_path / "other"))
    assert table["reward"].to_pylist() == [row.reward for row in whole.samples(step=2).rows]


def test_staleness_that_no_column_holds_is_missing() -> None:
    scan = Scan(rows=3, columns={"step": [2**63 - 1, 5, 7], "sampling_step": [-1, 2, None], "offset": [0, 1, 2]})
    assert table_from_scan(scan, Source(path="a"))["staleness"].to_pylist() == [None, 3, None]


def test_a_step_that_is_no_whole_number_is_told_and_shown_nowhere(tmp_path: Path) -> None:
    steps = [*range(40), 1.5, "2.5", 2.0, "3", None, "no number", 10**30, [3], math.nan]
    records = [{"prompt": f"p{step}", "response": "so", "reward": 1.0, "step": step} for step in steps]
    write_jsonl(tmp_path / "run.jsonl", [{**record, "completion_tokens": 2.5} for record in records])
    run = rollscope.open(tmp_path)
    assert [row.samples for row in run.steps()][:4] == [2, 1, 2, 2]
    assert [(item.line, item.reason) for item in run.doctor().skipped] == [
        (41, "its step is 1.5: no whole number"),
        (42, "its step is 2.5: no whole number"),
        (46, 'its step is "no number": no number'),
        (47, "its step is a number beyond 9223372036854775807"),
        (48, "its step is a list: no number"),
        (49, "its step is NaN: no whole number"),
    ]
    rows = run.samples().rows
    assert {row.completion_tokens for row in rows} == {None}, "half a token is none that was counted"
    assert run.sample(rows[0].address).completion_tokens is None
