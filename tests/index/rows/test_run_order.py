"""Tables in the run's order: every question of a large run, asked part by part, has the answer of the whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from msgspec import structs
from tests.fixtures import write_jsonl
from tests.runs import relax_record

import rollscope
from rollscope.index import compute, snapshot
from rollscope.index.rows import run_order
from rollscope.index.segments import spill
from rollscope.query.insights.compare_runs import RunComparison
from rollscope.query.insights.contrast.model import Contrast
from rollscope.query.lists import large_groups, lists
from rollscope.query.run import Run

QUESTIONS: dict[str, Callable[[Run], Any]] = {
    "filter": lambda run: run.samples(where="reward > 0.4").rows,
    "a page of it": lambda run: run.samples(where="reward > 0.4", offset=9, limit=7).rows,
    "order": lambda run: run.samples(sort="-reward").rows,
    "order with a limit": lambda run: run.samples(sort="-reward", offset=3, limit=5).rows,
    "ties": lambda run: run.samples(sort="status", limit=30).rows,
    "order by a text": lambda run: run.samples(sort="-group", limit=30).rows,
    "total of an order": lambda run: run.samples(sort="reward", where="reward < 0.9", limit=5).total,
    "nothing": lambda run: run.samples(where="reward > 5", sort="reward", limit=5).rows,
    "text filter": lambda run: run.samples(where='response contains "answer is 1"').rows,
    "text and number": lambda run: run.samples(where='response contains "therefore" and reward > 0.5', limit=9).rows,
    "feature": lambda run: run.samples(where="text.words > 1", sort="-text.words", limit=9).rows,
    "a split": lambda run: run.samples(split="eval/all", sort="reward").rows,
    "a range of steps": lambda run: run.samples(steps="2:5").rows,
    "discarded": lambda run: run.samples(discarded=None, where="reward > 0.2").rows,
    "counts": lambda run: run.step_counts(where="reward > 0.4"),
    "groups": lambda run: run.groups(sort="-spread", limit=5).rows,
    "groups in the run's order": lambda run: run.groups(),
    "a page of groups": lambda run: run.groups(offset=4, limit=3, discarded=None),
    "groups from the last on": lambda run: run.groups(sort="-index", limit=7),
    "groups by their best sample": lambda run: run.groups(sort="-reward", offset=2, limit=6),
    "groups by what ties": lambda run: run.groups(sort="status", limit=9, where="reward > 0.3"),
    "all groups, sorted": lambda run: run.groups(sort="reward"),
    "groups by a feature": lambda run: run.groups(sort="-text.words", columns=("text.words", "reward"), limit=5),
    "groups by a number of theirs": lambda run: run.groups(sort="-reward_spread", limit=5, where="reward > 0.2"),
    "groups by spread, filtered": lambda run: run.groups(sort="spread", where="reward > 0.4", offset=1, limit=5),
    "groups of some steps": lambda run: run.groups(steps="2:7", sort="-completion_tokens", limit=4),
    "groups of an eval": lambda run: run.groups(split="eval/all", sort="-reward", limit=4),
    "no groups": lambda run: run.groups(where="reward > 5", sort="reward", limit=4),
    "groups beyond the last": lambda run: run.groups(sort="reward", offset=1000, limit=4),
    "no group of a page": lambda run: run.groups(sort="reward", limit=0),
    "neighbours among groups": lambda run: run.neighbours("train/3/2", steps=":", sort="-reward", listed="groups"),
    "scatter": lambda run: run.scatter("completion_tokens", limit=10),
    "search": lambda run: list(run.search("answer is 3")),
    "neighbours": lambda run: run.neighbours("train/3/2", steps=":", where="reward > 0.2"),
    "sql": lambda run: (
        run.sql("SELECT step, round(avg(reward), 9), count(*) FROM samples GROUP BY step ORDER BY step").rows
    ),
    "sql of what is missing": lambda run: run.sql("SELECT count(env), max(advantage) FROM samples").rows,
    "findings": lambda run: run.findings(),
}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    chance = np.random.default_rng(3)
    for folder, steps in (("train", 9), ("eval", 3)):
        for step in range(steps):
            rows = [
                {**relax_record(step, index), "reward": round(float(chance.random()), 1)}
                for index in range(int(chance.integers(1, 12)))
            ]
            write_jsonl(tmp_path / "run" / folder / f"{step}.jsonl", rows)
    return tmp_path / "run"


def in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if seven rows were a quarter of a million."""
    monkeypatch.setattr(snapshot, "WHOLE_ROWS", 0)
    monkeypatch.setattr(snapshot, "BATCH_ROWS", 7)
    monkeypatch.setattr(run_order, "LARGE_ROWS", 7)
    monkeypatch.setattr(run_order, "PART_ROWS", 7)
    monkeypatch.setattr(compute, "BLOCK_ROWS", 4)
    monkeypatch.setattr(spill, "MEMORY_ROWS", 5)
    monkeypatch.setattr(lists, "LEAST_FIRST", 4)
    monkeypatch.setattr(large_groups, "LEAST_GROUPS", 2)


def test_whatever_is_asked_in_parts_is_what_is_asked_of_the_whole(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def answers() -> dict[str, str]:
        opened = rollscope.open(run)
        return {name: repr(ask(opened)) for name, ask in QUESTIONS.items()}

    whole = answers()
    in_parts(monkeypatch)
    assert answers() == whole


def test_a_contrast_in_parts_is_that_of_the_whole(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def answers() -> list[Contrast]:
        opened = rollscope.open(run)
        return [
            opened.contrast("reward > 0.4"),
            opened.contrast("reward > 0.4", "reward < 0.7", split="train"),
            opened.contrast("reward > 0.5", a_steps="1:4", b="reward > 0.2", b_steps="3:"),
            opened.contrast("reward > 5"),
            opened.changes(field="prompt"),
        ]

    whole = answers()
    in_parts(monkeypatch)
    for parts, expected in zip(answers(), whole, strict=True):
        assert len(parts.fields) == len(expected.fields)
        theirs = {(row.field, row.value): row for row in expected.fields}
        for row in parts.fields:  # sums in another order
            other = theirs[row.field, row.value]
            assert (row.a, row.b, row.effect) == pytest.approx((other.a, other.b, other.effect), rel=1e-9, abs=1e-12)
            assert (row.a_n, row.b_n) == (other.a_n, other.b_n)
        assert structs.replace(parts, fields=[]) == structs.replace(expected, fields=[])


def test_a_comparison_in_parts_is_that_of_the_whole(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def answers() -> list[RunComparison]:
        opened = rollscope.open(run)
        return [
            opened.compare(opened),
            opened.compare(opened, split="train", where="reward > 0.2", steps="2:"),
            opened.compare(opened, where="reward > 5"),
        ]

    whole = answers()
    assert whole[0].matched > 10
    in_parts(monkeypatch)
    for parts, expected in zip(answers(), whole, strict=True):
        for row, other in zip(parts.rows, expected.rows, strict=True):
            assert (row.a_mean, row.b_mean) == pytest.approx((other.a_mean, other.b_mean), rel=1e-12)
            assert structs.replace(row, a_mean=0, b_mean=0) == structs.replace(other, a_mean=0, b_mean=0)
        if expected.matched:
            assert (parts.a_mean, parts.b_mean) == pytest.approx((expected.a_mean, expected.b_mean), rel=1e-12)
        same: dict[str, Any] = {"rows": [], "a_mean": None, "b_mean": None}
        assert structs.replace(parts, **same) == structs.replace(expected, **same)


@pytest.mark.parametrize("kind", ["parquet", "jsonl", "csv"])
def test_an_export_in_parts_is_that_of_the_whole(
    run: Path, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rollscope.open(run).export(str(tmp_path / f"whole.{kind}"), where="reward > 0.1", sort="-reward", text=True)
    in_parts(monkeypatch)
    rollscope.open(run).export(str(tmp_path / f"parts.{kind}"), where="reward > 0.1", sort="-reward", text=True)
    whole, parts = ((tmp_path / f"{name}.{kind}").read_bytes() for name in ("whole", "parts"))
    assert len(whole) > 1000
    assert kind == "parquet" or parts == whole


def test_rows_are_taken_in_any_order_and_more_than_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compute, "BLOCK_ROWS", 3)
    pieces = [pa.table({"a": [1, None, 3], "b": ["x", "y", None]}) for _ in range(7)]
    table = pa.concat_tables(pieces)
    for rows in ([], [20, 0, 7, 7, 3], [0, 1, 2], list(range(21))):
        numbers = np.array(rows, dtype=np.int64)
        assert compute.take(table, numbers).to_pylist() == [table.to_pylist()[row] for row in rows]
        assert compute.take(table["b"], numbers).to_pylist() == [table["b"][row].as_py() for row in rows]
