from __future__ import annotations

from pathlib import Path

from tests.fixtures import fixture_path, write_jsonl
from tests.formats.rows_and_samples import only_run, opened, records, said

from rollscope.formats.open_instruct import NO_TEXT
from rollscope.query.library import Library


def test_numbers_and_tokens_are_shown_and_the_missing_text_is_said() -> None:
    path = fixture_path("open-instruct") / "rollouts"
    run = only_run(path)
    for (row, sample), record in zip(opened(run), records(path, "*_rollouts_*.jsonl"), strict=True):
        assert (row.step, row.group, row.reward, row.advantage) == (
            record["step"], record["prompt_idx"], record["reward"], record["advantage"]
        )  # fmt: skip
        assert (row.prompt_tokens, row.completion_tokens) == (
            len(record["prompt_tokens"]),
            len(record["response_tokens"]),
        )
        assert sample.tokens is not None
        assert (sample.tokens.ids, sample.tokens.logprobs) == (record["response_tokens"], record["logprobs"])
        assert sample.notes == [NO_TEXT]
    assert run.details().config == next(records(path, "*_metadata.jsonl"))


def test_two_runs_that_saved_into_one_folder_are_two(tmp_path: Path) -> None:
    record = {"step": 1, "sample_idx": 0, "prompt_idx": 0, "prompt_tokens": [1], "response_tokens": [2], "reward": 1.0}
    for name in ("grpo__1__17", "grpo__1__18"):
        write_jsonl(tmp_path / f"{name}_rollouts_000000.jsonl", [record])
        write_jsonl(tmp_path / f"{name}_metadata.jsonl", [{"run_name": name}])
    runs = Library([tmp_path]).runs()
    assert [len(run.samples().rows) for run in runs] == [1, 1]
    assert [run.details().config for run in runs] == [{"run_name": "grpo__1__17"}, {"run_name": "grpo__1__18"}]
    assert [run.doctor().unclaimed for run in runs] == [[], []]


def test_filtered_prompts_are_discarded_samples_of_their_run(tmp_path: Path) -> None:
    trained = {
        "step": 2,
        "prompt_idx": 0,
        "prompt_tokens": [1],
        "response_tokens": [2, 3],
        "reward": 1.0,
        "advantage": 0.5,
    }
    left_out = {
        "step": 2, "filter_reason": "zero_std_reward", "prompt_idx": 0, "dataset_index": 7, "model_step": 1,
        "prompt_tokens": [1, 2],
        "raw_prompt": "<|user|>\nSix sevens?\n<|assistant|>\n", "response_tokens": [4], "decoded_response": "zweiundvierzig",
        "reward": 0.0, "finish_reason": "length", "dataset": "math", "ground_truth": "42", "logprobs": [-0.5],
    }  # fmt: skip
    write_jsonl(tmp_path / "grpo__1__17_rollouts_000000.jsonl", [trained | {"sample_idx": i} for i in range(2)])
    filtered = [left_out | {"sample_idx": i, "prompt_id": prompt} for prompt in ("0_7", "0_9") for i in range(2)]
    write_jsonl(tmp_path / "grpo__1__17_filtered_rollouts_000000.jsonl", filtered)
    write_jsonl(tmp_path / "grpo__1__17_trainer_logprobs_step000002_rank00000.jsonl", [{"step": 2, "sample_idx": 0}])
    found = opened(only_run(tmp_path))
    assert [(row.step, row.group, row.discard_reason) for row, _ in found] == [
        *[(2, 0, None)] * 2, *[(2, "0_7", "zero_std_reward")] * 2, *[(2, "0_9", "zero_std_reward")] * 2
    ]  # fmt: skip
    sample = found[-1][1]
    assert (sample.status, sample.sampling_step, sample.golden_answers) == ("truncated", 1, {"ground_truth": "42"})
    assert (said(sample), sample.notes) == ("zweiundvierzig", [])


def test_older_traces_are_columns_of_a_step(tmp_path: Path) -> None:
    step = {
        "scores": [0.0, 10.0, 10.0],
        "advantages": [[-0.5, -0.5], 0.5, [0.5, 0.25]],
        "finish_reasons": ["stop", "length", "stop"],
        "responses": [[1, 2], [3], [4, 5]],
        "queries": [[9, 9], [9, 9], [8]],
        "ground_truths": ["a", "a", ["b", "c"]],
        "datasets": ["gsm8k", "gsm8k", "math"],
        "objective/verifiable_reward": 6.7,
    }
    texts = {"raw_queries": ["p", "p", "q"], "decoded_responses": ["x", "y", "z"], "indices": [4, 4, 5]}
    write_jsonl(
        tmp_path / "traces_grpo__1__17.jsonl", [{"training_step": 1, **step}, {"training_step": 2, **step, **texts}]
    )
    pairs = opened(only_run(tmp_path))
    assert [(row.step, row.group, row.reward, row.advantage, row.status, row.dataset) for row, _ in pairs[:3]] == [
        (1, 0, 0.0, -0.5, "completed", "gsm8k"),
        (1, 0, 10.0, 0.5, "truncated", "gsm8k"),
        (1, 1, 10.0, None, "completed", "math"),
    ]
    assert [(row.prompt_tokens, row.completion_tokens) for row, _ in pairs[:3]] == [(2, 2), (2, 1), (1, 2)]
    assert [sample.golden_answers["ground_truth"] for _, sample in pairs[:3]] == ["a", "a", "b\nc"]
    assert [sample.notes for _, sample in pairs] == [[NO_TEXT]] * 3 + [[]] * 3
    assert [said(sample) for _, sample in pairs[3:]] == ["x", "y", "z"]


def test_traces_without_prompts_have_no_count_of_them(tmp_path: Path) -> None:
    columns = {"advantages": [0.5], "finish_reasons": ["stop"], "responses": [[1, 2]], "training_step": 3}
    write_jsonl(tmp_path / "traces_distil.jsonl", [columns])
    ((row, _),) = opened(only_run(tmp_path))
    assert (row.step, row.prompt_tokens, row.completion_tokens, row.total_tokens) == (3, None, 2, None)
