"""pass@k against counting by hand, and what counts as a pass."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.fixtures import write_jsonl
from tests.runs import relax_record

import rollscope
from rollscope.index.rows.numbering import arrange
from rollscope.index.segments.rows import ALWAYS, column_type
from rollscope.index.statistics.pass_at_k import pass_at_k
from rollscope.index.statistics.summary import summarise


def pass_at(rows: list[dict[str, object]]) -> dict[int, float]:
    """Of rows of one group of one step."""
    names = {*ALWAYS, *(name for row in rows for name in row)}
    placed = [{"split": "eval/a", "step": 0, "group": "0", **row} for row in rows]
    columns = {name: pa.array([row.get(name) for row in placed], column_type(name)) for name in sorted(names)}
    return summarise(arrange(pa.table(columns), None, "recorded")).steps[0].pass_at


@pytest.mark.parametrize(("n", "c"), [(1, 0), (4, 1), (8, 3), (8, 8), (5, 5)])
def test_pass_at_k_is_the_share_of_draws_with_a_pass(n: int, c: int) -> None:
    outcomes = [True] * c + [False] * (n - c)
    for k in range(1, n + 1):
        draws = list(combinations(outcomes, k))
        expected = sum(any(draw) for draw in draws) / len(draws)
        assert pass_at_k(np.array([n]), np.array([c]), k)[0] == pytest.approx(expected)


def test_a_verdict_decides_over_a_reward_for_the_format() -> None:
    assert pass_at([{"reward": 1.0, "metrics.correct": verdict} for verdict in (1.0, 0.0)]) == {1: 0.5, 2: 1.0}


def test_a_number_beyond_one_is_no_verdict() -> None:
    assert pass_at([{"reward": 0.0, "metrics.answer": answer} for answer in (17.0, 1.0)]) == {1: 0.0, 2: 0.0}
    assert pass_at([{"reward": 0.3, "metrics.acc": percent} for percent in (-1.0, 1.0)]) == {}


def test_where_one_verdict_is_none_the_next_decides() -> None:
    assert pass_at([{"metrics.correct": 87.0, "metrics.acc": acc} for acc in (1.0, 1.0)]) == {1: 1.0, 2: 1.0}


def test_a_reward_of_zero_or_one_is_a_verdict_and_any_other_is_none() -> None:
    assert pass_at([{"reward": reward} for reward in (1.0, 0.0)]) == {1: 0.5, 2: 1.0}
    assert pass_at([{"reward": reward} for reward in (0.1, 1.0)]) == {}
    assert pass_at([{"reward": reward} for reward in (-1.0, 1.0)]) == {}


def test_a_sample_without_a_verdict_among_others_with_one_does_not_count() -> None:
    assert pass_at([{"reward": 1.0, "metrics.correct": 0.0}, {"reward": 1.0}]) == {1: 0.0}


def test_what_the_model_answered_is_no_verdict(tmp_path: Path) -> None:
    records = [relax_record(0, index, reward=0.0, answer="17", group_index=0) for index in range(4)]
    write_jsonl(tmp_path / "train" / "0.jsonl", records)
    (step,) = rollscope.open(tmp_path).steps().steps
    assert step.pass_at == {1: 0.0, 2: 0.0, 4: 0.0}
