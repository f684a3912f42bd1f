from __future__ import annotations

from pathlib import Path

from tests.fixtures import write_jsonl
from tests.formats.rows_and_samples import only_run, opened, said

BLOCK = "[prompt] {}\n[output] {}\n[ground_truth] {}\n[score] {}\n\n"
EVAL = "eval/validation"


def test_blocks_of_the_log_are_samples_whatever_their_texts_hold(tmp_path: Path) -> None:
    first = BLOCK.format("user\nWhat is 6 × 7?\nassistant\n", "Let me see.\n\n\\boxed{42}", "42", 1.0)
    second = BLOCK.format("user\nWhat is 6 × 7?\nassistant\n", "<think>hm</think> 41", "42", "0.1")
    torn = BLOCK.format("user\nWhat is 2 + 2?\nassistant\n", "4", "4", "0.95").removesuffix("95\n\n")
    (tmp_path / "generations.log").write_text(first + second + torn, encoding="utf-8")
    write_jsonl(tmp_path / "experiment_log.jsonl", [{"step": 5, "actor": {"loss": 0.5}}])
    run = only_run(tmp_path)
    pairs = opened(run)
    assert [(row.split, row.step, row.reward) for row, _ in pairs] == [(EVAL, 0, 1.0), (EVAL, 0, 0.1)]
    assert [said(sample) for _, sample in pairs] == ["Let me see.\n\n\\boxed{42}", "<think>hm</think> 41"]
    assert {sample.golden_answers["ground_truth"] for _, sample in pairs} == {"42"}
    assert pairs[0][0].group == pairs[1][0].group
    assert "actor/loss" in [series.name for series in run.metrics()]


def _log(path: Path, *validations: str) -> None:
    """Validations of two questions each, and what each answered."""
    blocks = [BLOCK.format(f"user\n{q}?\nassistant\n", f"{said} {q}", q, 1.0) for said in validations for q in "ab"]
    (path / "generations.log").write_text("".join(blocks), encoding="utf-8")


def _steps(path: Path) -> list[tuple[int, str]]:
    return [(row.step, said(sample)) for row, sample in opened(only_run(path))]


def test_steps_are_those_of_the_validations_whose_metrics_were_logged(tmp_path: Path) -> None:
    _log(tmp_path, "first", "second")
    trained, judged = {"actor": {"loss": 0.5}}, {"val": {"reward_score": 0.5}, "val_response_length": {"mean": 3}}
    logged = [{"step": 0, **judged}, {"step": 1, **trained}, {"step": 5, **trained, **judged}]
    write_jsonl(tmp_path / "experiment_log.jsonl", logged)
    assert _steps(tmp_path) == [(0, "first a"), (0, "first b"), (5, "second a"), (5, "second b")]


def test_a_validation_is_logged_before_the_metrics_of_its_step(tmp_path: Path) -> None:
    _log(tmp_path, "first", "second")
    (tmp_path / "experiment_config.json").write_text('{"trainer": {"val_generations_to_log": 2}}')
    logged = [{"step": 2, "val": {"reward_score": 0.5}}, {"step": 3, "actor": {"loss": 0.5}}]
    write_jsonl(tmp_path / "experiment_log.jsonl", logged)
    assert [step for step, _ in _steps(tmp_path)] == [2, 2, 4, 4]
    write_jsonl(tmp_path / "experiment_log.jsonl", [*logged, {"step": 4, "val": {"reward_score": 0.5}}])
    assert [step for step, _ in _steps(tmp_path)] == [2, 2, 4, 4]


def test_a_log_that_the_validations_do_not_explain_has_no_steps(tmp_path: Path) -> None:
    _log(tmp_path, "first", "second", "third")
    write_jsonl(tmp_path / "experiment_log.jsonl", [{"step": step, "val": {"reward": 1.0}} for step in (0, 5, 10, 15)])
    assert {step for step, _ in _steps(tmp_path)} == {0}
