from __future__ import annotations

from pathlib import Path

from tests.fixtures import fixture_path, write_jsonl
from tests.formats.rows_and_samples import only_run, opened, records

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
