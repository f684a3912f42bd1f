"""Conversations and columns that miles writes beside its dumps."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.fixtures import write_jsonl
from tests.formats.opened import opened, texts
from tests.formats.test_slime import record, save


def test_conversations_and_columns_that_miles_writes_beside(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    spans = [[{"version": "3", "abs_start": 1, "abs_end": 3}]]
    told = [record(0, response="<tool_call>…ok it is 4<|im_end|>", weight_versions=spans), record(1)]
    save(tmp_path / "rollout_data" / "4.pt", {"rollout_id": 4, "samples": told})
    call = {"id": "c", "type": "function", "function": {"name": "add", "arguments": "{}"}}
    asked, answer = {"role": "user", "content": "q"}, {"role": "assistant", "content": "it is 4"}
    messages = [
        asked,
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": "4"},
        answer,
    ]
    write_jsonl(
        tmp_path / "trajectory" / "4.jsonl", [{"sample_index": 0, "sample_occurrence": 0, "messages": messages}]
    )
    columns = {"sample_index": [0, 1], "response_length": [2, 2], "total_length": [3, 3], "tokens": [[1, 2, 3]] * 2}
    more = {"loss_mask": [[1, 0], None], "rollout_log_probs": [[-0.5, -0.25]] * 2}
    (tmp_path / "dashboard_columns").mkdir()
    pq.write_table(pa.table({**columns, **more}), tmp_path / "dashboard_columns" / "rollout_4.parquet")
    first, second = opened(tmp_path)
    assert [role for role, _ in texts(first)] == ["user", "assistant", "tool", "assistant"]
    assert (first.metrics, [role for role, _ in texts(second)]) == ({"weight_version": 3.0}, ["user", "assistant"])
    assert first.tokens is not None
    assert first.tokens.logprobs == [-0.5, -0.25]

    # Without the rollout the columns are what there is: numbers, no text.
    shutil.rmtree(tmp_path / "rollout_data")
    shutil.rmtree(tmp_path / "trajectory")
    found = opened(tmp_path)
    assert [(s.address, s.reward, s.completion_tokens, s.prompt_tokens) for s in found] == [
        ("train/4/0", None, 2, 1),
        ("train/4/1", None, 2, 1),
    ]
    assert found[0].tokens is not None
    assert found[0].tokens.mask == [1, 0]
    assert [sample.address for sample in opened(tmp_path / "dashboard_columns")] == ["train/4/0", "train/4/1"]
