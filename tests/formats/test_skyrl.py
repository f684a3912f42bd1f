from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.fixtures import fixture_path, write_jsonl
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


def test_an_evaluation_alone_has_its_totals_and_an_empty_answer_is_one(tmp_path: Path) -> None:
    record = {"input_prompt": "<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\n", "output_response": "",
              "score": [0.0, None], "stop_reason": None, "env_metrics": {"turns": 2, "ok": {"tool": True}},
              "env_class": "aime", "data_source": None,
              "env_extras": {"reward_model": {"ground_truth": {"target": ["4"]}}}}  # fmt: skip
    folder = tmp_path / "dumped_evals/eval_only"
    write_jsonl(folder / "unknown.jsonl", [record])
    write_jsonl(folder / "aggregated_results.jsonl", [{"eval/all/avg_score": 0.5}])
    run = only_run(tmp_path)
    ((row, sample),) = opened(run)
    assert (row.split, row.step, row.status, row.turns) == ("eval/unknown", 0, None, 1)
    assert sample.golden_answers == {"ground_truth": '{"target": ["4"]}'}
    assert sample.metrics == {"env_metrics/turns": 2.0, "env_metrics/ok/tool": 1.0}
    assert [point[0] for item in run.metrics() if item.name == "eval/all/avg_score" for point in item.points] == [0]


def test_what_a_fork_dumps_of_training_is_the_same_run(tmp_path: Path) -> None:
    record = {"input_prompt": [{"role": "user", "content": "q"}], "output_response": "4", "score": [0.0, 1.0],
              "stop_reason": "stop", "env_class": "aime", "env_extras": {}, "data_source": "math"}  # fmt: skip
    for step in (2, 10):
        rows = [{**record, "uid": f"u{place // 2}"} for place in range(4)]
        write_jsonl(tmp_path / f"dumped_rollouts/global_step_{step}.jsonl", rows)
    write_jsonl(tmp_path / "dumped_evals/global_step_2_evals/math.jsonl", [record])
    run = only_run(tmp_path)
    assert [(row.split, row.step, row.reward) for row, _ in opened(run)] == [
        *[("train", 2, 1.0)] * 4,
        *[("train", 10, 1.0)] * 4,
        ("eval/math", 2, 1.0),
    ]
    assert [row.group for row in run.samples(step=10).rows] == ["u0", "u0", "u1", "u1"]
    assert [message.role for message in run.sample("train/2/0").messages] == ["user", "assistant"]


def test_other_records_in_its_folder_of_rollouts_are_not_taken(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "dumped_rollouts/global_step_1_rollouts.jsonl", [{"prompt": "q", "steps": [], "reward": 1}])
    assert only_run(tmp_path).format == "jsonl"
