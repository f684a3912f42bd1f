"""An evaluation smaller than a batch leaves training's own rows in its file: they stay training's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.formats.data_trl import write_completions
from tests.formats.opened import opened

from rollscope.formats.tables.reward_totals import Numbers
from rollscope.formats.trl.left_over import splits_of
from rollscope.formats.trl.state import Evaluation

GOOD = [1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0]
#: Batches of four rows and of two: their means' mean, which is not that of the six rows.
LOGGED = (0.75 + 0.0) / 2


def run(root: Path, **evaluation: Any) -> Path:
    """A batch of eight; at step 2 an evaluation of three prompts, two completions each."""
    prompts = [f"p{place // 2}" for place in range(8)]
    for step in (1, 2):
        columns = {"prompt": prompts, "completion": list("abcdefgh"), "good": GOOD, "advantage": [0.0] * 8}
        write_completions(root, step, columns)
    logged = {"eval_runtime": 0.0333, "eval_samples_per_second": 90.0, "eval_rewards/good/mean": LOGGED, **evaluation}
    history = [
        {"step": 1, "reward": 0.5, "rewards/good/mean": 0.5},
        {"step": 2, "reward": 0.5, "rewards/good/mean": 0.5},
        {"step": 2, "eval_reward": LOGGED, **{name: value for name, value in logged.items() if value is not None}},
    ]
    (root / "trainer_state.json").write_text(json.dumps({"global_step": 2, "max_steps": 2, "log_history": history}))
    return root


def shown(path: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for sample in opened(path):
        where = f"{sample.split}/{sample.step}"
        found[where] = found.get(where, "") + sample.messages[-1].text
    return found


def test_rows_before_the_evaluations_own_are_training(tmp_path: Path) -> None:
    assert shown(run(tmp_path)) == {"train/1": "abcdefgh", "train/2": "ab", "eval/2": "cdefgh"}


@pytest.mark.parametrize(
    "doubt",
    [
        {"eval_rewards/good/mean": 0.9},
        {"eval_samples_per_second": None},
        {"eval_runtime": 0.0283},
        {"eval_runtime": 0.0444},
        {"eval_runtime": 9.0},
    ],
    ids=["other rewards", "no size", "half a row", "all rows", "a large evaluation"],
)
def test_in_doubt_all_are_the_evaluations(tmp_path: Path, doubt: dict[str, Any]) -> None:
    assert shown(run(tmp_path, **doubt)) == {"train/1": "abcdefgh", "eval/2": "abcdefgh"}


def test_a_reward_that_no_row_of_a_batch_got_is_left_out_of_its_mean() -> None:
    values = np.array([1.0, 1.0, np.nan, np.nan, 0.5, 1.0])
    numbers = Numbers(step=2, names=["good"], values=[values], advantage=None, groups=np.array([1, 1, 2, 2, 3, 3]))
    assert splits_of(numbers, Evaluation("eval", 2, {"good": 0.75}), 0) == ["train"] * 2 + ["eval"] * 4
    assert splits_of(numbers, Evaluation("eval", 2, {"other": 0.75}), 0) == ["eval"] * 6
