"""NeMo-RL's tables of whole results: each cell a record, unfolded into columns."""

from __future__ import annotations

import json

from rollscope.formats.tables.nemo_gym_results import unfold_results

RECORD = {
    "responses_create_params": {"input": [{"role": "user", "content": "2 + 2?"}]},
    "response": {
        "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "4"}]}],
        "usage": {"input_tokens": 5, "output_tokens": 1},
    },
    "reward": 0.5,
    "judged": 1,
    "_ng_task_index": 7,
    "_ng_rollout_index": 3,
    "expected_answer": "4",
    "agent_ref": {"name": "maths"},
}


def test_a_record_becomes_a_row() -> None:
    names, rows = unfold_results([[json.dumps(RECORD)]])
    row = dict(zip(names, rows[0], strict=True))
    assert row.pop("prompt")[0]["content"] == "2 + 2?"
    assert row.pop("completion")[0]["role"] == "assistant"
    assert row == {
        "reward": 0.5,
        "group_id": 7,
        "env": "maths",
        "prompt_tokens": 5,
        "completion_tokens": 1,
        "judged": 1.0,
        "expected_answer": "4",
    }, "what NeMo-Gym counts for itself is no metric"


def test_rows_have_the_same_columns_whatever_their_records_have() -> None:
    names, rows = unfold_results([[json.dumps(RECORD)], [json.dumps({"reward": 1.0, "speed": 2.0})]])
    assert [dict(zip(names, row, strict=True))["speed"] for row in rows] == [None, 2.0]


def test_cells_that_are_no_record_are_left_out() -> None:
    assert unfold_results([["no record"], [], [None], ["[1]"]])[1] == []
