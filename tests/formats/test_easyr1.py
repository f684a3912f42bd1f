from __future__ import annotations

from pathlib import Path

from tests.fixtures import write_jsonl
from tests.formats.rows_and_samples import only_run, opened, said

BLOCK = "[prompt] {}\n[output] {}\n[ground_truth] {}\n[score] {}\n\n"
EVAL = "eval/validation"


def test_blocks_of_the_log_are_samples_whatever_their_texts_hold(tmp_path: Path) -> None:
    first = BLOCK.format("user\nWhat is 6 × 7?\nassistant\n", "Let me see.\n\n\\boxed{42}", "42", 1.0)
    second = BLOCK.format("user\nWhat is 6 × 7?\nassistant\n", "<think>hm</think> 41", "42", "0.1")
    torn = "[prompt] user\nWhat is 2 + 2?\n[output] fo"
    (tmp_path / "generations.log").write_text(first + second + torn, encoding="utf-8")
    write_jsonl(tmp_path / "experiment_log.jsonl", [{"step": 5, "val": {"reward": 0.5}}])
    run = only_run(tmp_path)
    pairs = opened(run)
    assert [(row.split, row.step, row.reward) for row, _ in pairs] == [(EVAL, 0, 1.0), (EVAL, 0, 0.1)]
    assert [said(sample) for _, sample in pairs] == ["Let me see.\n\n\\boxed{42}", "<think>hm</think> 41"]
    assert {sample.golden_answers["ground_truth"] for _, sample in pairs} == {"42"}
    assert pairs[0][0].group == pairs[1][0].group
    assert "val/reward" in [series.name for series in run.metrics()]
