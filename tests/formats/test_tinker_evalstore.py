from __future__ import annotations

from pathlib import Path

from tests.fixtures import fixture_path, write_jsonl
from tests.formats.expected import assert_as_expected
from tests.formats.rows_and_samples import only_run, opened


def test_every_evaluation_of_every_checkpoint_is_there() -> None:
    assert_as_expected("tinker_evalstore")


def test_checkpoints_are_steps_and_results_are_curves() -> None:
    run = only_run(fixture_path("tinker_evalstore"))
    assert sorted({row.step for row, _ in opened(run)}) == [100, 200]
    series = {item.name: item for item in run.metrics()}
    assert [point[0] for point in series["eval/gsm8k/score"].points] == [100, 200]


def test_what_the_environment_and_the_grader_say_belongs_to_the_answer() -> None:
    samples = [sample for row, sample in opened(only_run(fixture_path("tinker_evalstore"))) if "terminal" in row.split]
    assert [message.role for message in samples[0].messages] == [
        "user",
        "assistant",
        "environment",
        "assistant",
        "grader",
    ]
    assert samples[0].completion_tokens == 19 + 11


def test_an_evaluation_without_a_checkpoint_counts_from_0_whatever_stands_beside_it(tmp_path: Path) -> None:
    row = {"idx": 0, "benchmark": "b", "example_id": "h", "turns": [], "reward": 1.0}
    for run in ("000100_20261101_090000_aa", "base_20261101_080000_bb"):
        write_jsonl(tmp_path / "runs" / run / "b" / "trajectories.jsonl", [row])
    assert [row.step for row, _ in opened(only_run(tmp_path))] == [0, 100]
