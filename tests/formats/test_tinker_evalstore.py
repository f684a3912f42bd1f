from __future__ import annotations

import json
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


def test_a_checkpoint_without_a_name_is_told_by_its_path(tmp_path: Path) -> None:
    """`create_run(checkpoint_path=…)` alone calls the run `base`."""
    row = {"idx": 0, "benchmark": "b", "example_id": "h", "turns": [], "reward": 1.0}
    for run, path in (
        ("base_20261101_080000_bb", None),
        ("base_20261101_090000_cc", "tinker://r/sampler_weights/000020"),
    ):
        write_jsonl(tmp_path / "runs" / run / "b" / "trajectories.jsonl", [row])
        told = {"run_id": run, "checkpoint_name": None, "checkpoint_path": path}
        (tmp_path / "runs" / run / "metadata.json").write_text(json.dumps(told))
    assert [row.step for row, _ in opened(only_run(tmp_path))] == [0, 20]


def _turns(*turns: tuple[str, str]) -> list[dict[str, object]]:
    return [{"role": role, "content": content, "token_count": len(content)} for role, content in turns]


def test_what_the_model_saw_again_is_shown_once_with_the_roles_of_its_template(tmp_path: Path) -> None:
    asked = "<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\n"
    said = "a<|im_end|>"
    seen = "\n<|im_start|>tool\nr<|im_end|>\n<|im_start|>assistant\n"
    turns = _turns(("user", asked), ("assistant", said), ("environment", asked + said + seen), ("assistant", "b"))
    base = {"idx": 0, "benchmark": "b", "example_id": "", "reward": 0.0, "metrics": {"max_tokens_reached": 1.0}}
    late = {**base, "idx": 1, "turns": [], "metrics": {}, "error": "timeout (300s)"}
    write_jsonl(tmp_path / "evals/step500/b/trajectories.jsonl", [{**base, "turns": turns}, late])
    (one, first), (two, _) = opened(only_run(tmp_path / "evals/step500"))
    told = [(message.role, message.turn) for message in first.messages if message.text.strip()]
    assert told[0] == ("user", None)
    assert [role for role, turn in told if turn is not None and role != "user"][:2] == ["assistant", "tool"]
    assert "".join(message.text for message in first.messages) == asked + said + seen + "b"
    assert (one.step, one.status, one.stop_reason) == (500, "truncated", "max_tokens_reached")
    assert (two.status, two.stop_reason, two.group != one.group) == ("aborted", "timeout", True)


def test_checkpoints_with_words_are_steps_too(tmp_path: Path) -> None:
    row = {"idx": 0, "benchmark": "b", "example_id": "h", "turns": [], "reward": 1.0}
    times = "20261101_090000_aa"
    for run in (f"step_100_{times}", f"base_{times}", f"final_{times}"):
        write_jsonl(tmp_path / "runs" / run / "b" / "trajectories.jsonl", [row])
    (tmp_path / "runs" / "mine").mkdir()
    (tmp_path / "runs" / "mine" / "metadata.json").write_text('{"checkpoint_name": "000050"}')
    write_jsonl(tmp_path / "runs" / "mine" / "b" / "trajectories.jsonl", [row])
    assert sorted(row.step for row, _ in opened(only_run(tmp_path))) == [0, 50, 100, 101]


def test_one_evaluation_and_one_benchmark_open_from_inside() -> None:
    path = fixture_path("tinker_evalstore") / "runs/000100_20261101_090000_a1b2c3"
    assert {row.step for row, _ in opened(only_run(path))} == {100}
    assert {(row.split, row.step) for row, _ in opened(only_run(path / "gsm8k"))} == {("eval/gsm8k", 100)}
