from __future__ import annotations

from tests.fixtures import fixture_path
from tests.formats.rows_and_samples import only_run, opened, records

from rollscope.formats.open_instruct import NO_TEXT


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
