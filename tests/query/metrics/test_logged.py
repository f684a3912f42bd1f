"""Logged metrics are read again when their files change, and only then."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from tests.runs import settle

from rollscope.formats.base import MetricRow
from rollscope.formats.rollscope import RollscopeFormat
from rollscope.query.metrics.logged import LoggedMetrics
from rollscope.storage.open_store import open_store
from rollscope.storage.store import Store


class _Counting(RollscopeFormat):
    def __init__(self) -> None:
        super().__init__()
        self.reads = 0

    def metrics(self, store: Store) -> Iterator[MetricRow]:
        self.reads += 1
        return super().metrics(store)


def rows(*losses: float) -> str:
    return "".join(json.dumps({"step": step, "loss": loss}) + "\n" for step, loss in enumerate(losses))


def test_files_that_are_as_they_were_are_read_once(tmp_path: Path) -> None:
    (tmp_path / "metrics.jsonl").write_text(rows(1.0, 0.5))
    settle(tmp_path)
    format_ = _Counting()
    logged = LoggedMetrics(open_store(tmp_path), format_)
    assert logged.curves()["loss"].values.tolist() == [1.0, 0.5]
    assert logged.curves() is logged.curves()
    assert not logged.refresh()
    assert (format_.reads, logged.version) == (1, 0)


def test_a_file_that_grew_is_read_again_and_counts_as_a_change(tmp_path: Path) -> None:
    file = tmp_path / "metrics.jsonl"
    file.write_text(rows(1.0))
    logged = LoggedMetrics(open_store(tmp_path), RollscopeFormat())
    assert len(logged.curves()["loss"].steps) == 1
    file.write_text(rows(1.0, 0.5))
    assert logged.refresh()
    assert logged.version == 1
    assert logged.curves()["loss"].values.tolist() == [1.0, 0.5]


def test_files_of_the_same_size_with_other_numbers_are_noticed(tmp_path: Path) -> None:
    file = tmp_path / "metrics.jsonl"
    file.write_text(rows(1.0))
    logged = LoggedMetrics(open_store(tmp_path), RollscopeFormat())
    logged.curves()
    file.write_text(rows(2.0))
    assert logged.curves()["loss"].values.tolist() == [2.0]


def test_what_was_written_elsewhere_is_no_reason_to_look(tmp_path: Path) -> None:
    file = tmp_path / "metrics.jsonl"
    file.write_text(rows(1.0))
    logged = LoggedMetrics(open_store(tmp_path), RollscopeFormat())
    logged.curves()
    file.write_text(rows(1.0, 0.5))
    assert not logged.refresh(["train/3.jsonl"])
    assert logged.refresh(["train/3.jsonl", "metrics.jsonl"])
