"""Filters and orders over a step: names that differ only in case, NaN, bad numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import write_jsonl
from tests.runs import relax_record

import rollscope
from rollscope.errors import UsageError
from rollscope.query.language.sql import column_name
from rollscope.query.run import Run


def addresses(run: Run, **asked: Any) -> list[int]:
    return [row.index for row in run.samples(**asked).rows]


def test_metrics_that_differ_only_in_case_are_two_metrics(tmp_path: Path) -> None:
    values = [(1, 0), (0, 1), (1, 1), (0, 0)]
    records = [relax_record(0, index, acc=low, Acc=high, ACC=7) for index, (low, high) in enumerate(values)]
    write_jsonl(tmp_path / "train" / "0.jsonl", records)
    run = rollscope.open(tmp_path)
    assert addresses(run, where="metrics.acc = 1") == [0, 2]
    assert addresses(run, where="metrics.Acc = 1") == [1, 2]
    assert addresses(run, where="metrics.acc = 1 and metrics.Acc = 0 and metrics.ACC = 7") == [0]
    assert addresses(run, where="metrics.Acc = 1", sort="-metrics.acc") == [2, 1]


def test_every_column_has_a_name_of_its_own_whatever_the_case() -> None:
    names = ["acc", "Acc", "aCc", "ACC", "acc\x1f1", "Acc\x1f1", "metrics.É", "metrics.é"]
    assert len({column_name(name).lower() for name in names}) == len(names)
    assert column_name("metrics.correct") == "metrics.correct"


@pytest.mark.parametrize("asked", [{"limit": -1}, {"offset": -1}, {"offset": -3, "limit": 2}])
def test_negative_offsets_and_limits_are_refused(tmp_path: Path, asked: dict[str, Any]) -> None:
    write_jsonl(tmp_path / "train" / "0.jsonl", [relax_record(0, 0)])
    run = rollscope.open(tmp_path)
    with pytest.raises(UsageError, match="cannot be negative"):
        run.samples(**asked)
    with pytest.raises(UsageError, match="cannot be negative"):
        run.table(**asked)
    with pytest.raises(UsageError, match="cannot be negative"):
        run.groups(step=0, **asked)


@pytest.mark.parametrize("asked", [{"limit": "5"}, {"limit": 1.5}, {"offset": None}])
def test_offsets_and_limits_are_whole_numbers(tmp_path: Path, asked: dict[str, Any]) -> None:
    write_jsonl(tmp_path / "train" / "0.jsonl", [relax_record(0, 0)])
    with pytest.raises(UsageError, match="offset and limit are whole numbers"):
        rollscope.open(tmp_path).samples(**asked)


def test_text_that_is_no_utf8_is_refused_in_a_sentence(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "train" / "0.jsonl", [relax_record(0, 0)])
    run = rollscope.open(tmp_path)
    with pytest.raises(UsageError, match="the pattern is not UTF-8"):
        list(run.search("\udcff"))
    with pytest.raises(UsageError, match="the filter is not UTF-8"):
        run.samples(where='status = "\udcff"')
    with pytest.raises(UsageError, match="the query is not UTF-8"):
        run.sql("SELECT '\udcff'")
