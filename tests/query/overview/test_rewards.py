"""How far a run came, in the list of runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fixtures import write_jsonl
from tests.runs import relax_record

import rollscope


def test_a_run_says_its_last_and_its_best_mean_reward(tmp_path: Path) -> None:
    for step, rewards in {0: (0.0, 0.5), 3: (1.0, 0.8), 7: (0.25, 0.5)}.items():
        records = [relax_record(step, n, reward=reward) for n, reward in enumerate(rewards)]
        write_jsonl(tmp_path / "train" / f"{step}.jsonl", records)
    info = rollscope.open(tmp_path).info()
    assert info.reward is not None
    assert (info.reward.last_step, info.reward.best_step) == (7, 3)
    assert [info.reward.last, info.reward.best] == pytest.approx([0.375, 0.9])
    assert info.started is not None
    assert info.modified is not None
    assert info.started <= info.modified


def test_a_run_without_rewards_claims_none(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "train" / "0.jsonl", [relax_record(0, n, reward=None) for n in range(4)])
    assert rollscope.open(tmp_path).info().reward is None
