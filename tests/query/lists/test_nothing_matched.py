"""Why a filter matched nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fixtures import write_jsonl

import rollscope
from rollscope.query.lists.nothing_matched import values_no_sample_has
from rollscope.query.run import Run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    rows = [{"prompt": "p", "response": "r", "reward": 1, "env": "math" if n else "code"} for n in range(3)]
    rows[2]["discard_reason"] = "stale"
    write_jsonl(tmp_path / "0.jsonl", rows)
    return rollscope.open(tmp_path)


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ('env = "maths"', ['no sample has env "maths": there is math, code']),
        ('reward > 2 and (env in ("a", "b") or env = "c")', ['no sample has env "a" or "b": there is math, code',
            'no sample has env "c": there is math, code']),
        ('status = "truncated"', ["no sample has status"]),
        ('discard_reason = "zero"', ['no sample has discard_reason "zero": there is stale']),
        # These are not why: the value occurs, or it is what is not wanted, or it is no word of a few.
        ('env = "math" and reward > 2', []),
        ('env in ("maths", "math") and reward > 2', []),
        ('env != "maths" and reward > 2', []),
        ('not (env = "maths") and reward > 2', []),
        ('group = "maths"', []),
        ("reward = 3", []),
    ],
)  # fmt: skip
def test_values_that_do_not_occur_are_told_with_those_that_do(run: Run, where: str, said: list[str]) -> None:
    assert values_no_sample_has([run], where) == said
