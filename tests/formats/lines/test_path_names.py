"""The step and the split that a path says, and those that it only seems to say."""

from __future__ import annotations

import pytest

from rollscope.formats.lines.path_names import split_in_path, step_in_path


@pytest.mark.parametrize(
    ("path", "step"),
    [
        ("12.jsonl", 12),
        ("step_12.jsonl", 12),
        ("global_step_5_evals/aime24.jsonl", 5),
        ("eval-rollout/3/17.jsonl", 3),
        ("rollouts-3.jsonl", 3),
        ("Iteration7/train.jsonl", 7),
        ("step_3/train-00001-of-00004.parquet", 3),
        ("epoch_1/step_50.jsonl", 50),
        ("epoch_1/rollouts_000050.jsonl", 50),
        ("epoch_2/samples.jsonl", 2),
        ("aime24.jsonl", None),
        ("math_500.jsonl", None),
        ("part-00003.jsonl", None),
        ("train-00001-of-00004.parquet", None),
        ("samples.jsonl", None),
    ],
)
def test_a_step_is_said_by_a_word_or_by_a_bare_number(path: str, step: int | None) -> None:
    assert step_in_path(path) == step


@pytest.mark.parametrize(
    ("path", "split"),
    [
        ("12.jsonl", "train"),
        ("train/12.jsonl", "train"),
        ("eval/12.jsonl", "eval"),
        ("eval/aime24/12.jsonl", "eval/aime24"),
        ("global_step_5_evals/aime24.jsonl", "eval/aime24"),
        ("eval-rollout/3/17.jsonl", "eval"),
        ("val_math_step3.jsonl", "eval/val_math"),
        ("eval_results/aime24_step100.jsonl", "eval/aime24"),
        ("evals/step_100/math_500.jsonl", "eval/math_500"),
        ("eval/samples_step3.jsonl", "eval"),
        ("eval/step=3_rank=0.jsonl", "eval"),
        ("retrieval/3.jsonl", "train"),
        ("train_eval_mix.jsonl", "train"),
    ],
)
def test_a_split_is_said_by_the_outermost_folder_that_says_eval(path: str, split: str) -> None:
    assert split_in_path(path) == split
