from __future__ import annotations

from collections import Counter

from tests.fixtures import fixture_path
from tests.formats.rows_and_samples import only_run, opened, records, said


def test_every_evaluation_is_there_with_its_step_and_score() -> None:
    path = fixture_path("skyrl")
    ours = Counter((row.split, row.step, row.reward, said(sample)) for row, sample in opened(only_run(path)))
    theirs: Counter[tuple[str, int, float, str]] = Counter()
    for folder, prefix, step in (
        ("global_step_0_evals", "", 0),
        ("global_step_20_evals", "", 20),
        ("eval_only", "eval_only-", 0),
    ):
        for name in ("arith_hard", "openai_gsm8k"):
            for record in records(path / "dumped_evals" / folder, f"{name}.jsonl"):
                score = record["score"]
                total = float(sum(score) if isinstance(score, list) else score)
                theirs[f"eval/{prefix}{name}", step, total, record["output_response"]] += 1
    assert ours == theirs


def test_status_follows_the_stop_reason_and_the_answer_is_found() -> None:
    row, sample = opened(only_run(fixture_path("skyrl")))[0]
    assert (row.status, row.stop_reason, row.dataset) == ("truncated", "length", "arith/hard")
    assert sample.golden_answers == {"ground_truth": "72"}


def test_aggregated_results_are_metrics_of_their_step() -> None:
    series = {item.name: item for item in only_run(fixture_path("skyrl")).metrics()}
    assert [point[0] for point in series["eval/all/avg_score"].points] == [0, 20]
