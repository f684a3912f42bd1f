"""The folder of a run and the folder in it that holds the samples open as the same samples."""

from __future__ import annotations

import pytest
from tests.fixtures import fixture_path
from tests.formats.rows_and_samples import only_run

CASES = [
    ("areal", "logs/root/gsm8k-grpo/trial0", "rollout", "train"),
    ("rllm", "logs/demo/exp1", "episodes", "train"),
    ("art", ".art/demo/models/demo-model", "trajectories", "train"),
    ("tinker_evalstore", ".", "runs", "eval/gsm8k"),
    ("skyrl", ".", "dumped_evals", "eval/arith_hard"),
]


@pytest.mark.parametrize(("fixture", "run", "inside", "split"), CASES, ids=[case[0] for case in CASES])
def test_both_folders_open_alike(fixture: str, run: str, inside: str, split: str) -> None:
    outer = only_run(fixture_path(fixture) / run)
    inner = only_run(fixture_path(fixture) / run / inside)
    assert inner.format == outer.format
    rows = [(row.address, row.reward, row.group) for row in outer.samples(split=split, discarded=None).rows]
    assert rows
    assert [(row.address, row.reward, row.group) for row in inner.samples(split=split, discarded=None).rows] == rows
