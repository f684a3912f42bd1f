"""The columns of TRL's tables."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from tests.formats.data_rows import ReadRun, assert_row_matches_sample
from tests.formats.data_trl import CHAT_PROMPT, TEXT_PROMPT, write_completions

from rollscope.errors import NotFoundError
from rollscope.formats.trl import TrlFormat


def test_one_reward_column_is_the_total_and_nan_stays_nan(tmp_path: Path) -> None:
    rewards = [1.0, math.nan, None]
    write_completions(
        tmp_path, 1, {"prompt": [TEXT_PROMPT] * 3, "completion": list("abc"), "score": rewards, "advantage": [0.0] * 3}
    )
    run = ReadRun(TrlFormat(), tmp_path)
    first, second, third = (run.load(row) for row in run.rows)
    assert (first.reward, first.rewards) == (1.0, {"score": 1.0})
    assert second.reward is not None
    assert math.isnan(second.reward)
    assert math.isnan(second.rewards["score"])
    assert (third.reward, third.rewards) == (None, {})
    assert not any("sum" in note for note in first.notes)
    for row in run.rows:
        assert_row_matches_sample(row, run.load(row))


def test_of_several_rewards_those_that_were_not_given_are_left_out_of_the_sum(tmp_path: Path) -> None:
    columns = {
        "prompt": [TEXT_PROMPT] * 3,
        "completion": list("abc"),
        "good": [1.0, None, None],
        "short": [0.5, 0.25, None],
        "advantage": [0.0] * 3,
    }
    write_completions(tmp_path, 1, columns)
    run = ReadRun(TrlFormat(), tmp_path)
    assert [row["reward"] for row in run.rows] == [1.5, 0.25, None]
    assert run.load(run.rows[1]).rewards == {"short": 0.25}


def test_extra_columns_are_sorted_by_what_they_can_be(tmp_path: Path) -> None:
    columns = {
        "prompt": [CHAT_PROMPT],
        "completion": [[{"role": "assistant", "content": "<think>so</think>2"}]],
        "good": [1.0],
        "tries": [3],
        "parsed": [True],
        "answer": ["2"],
        "trace": [["a", "b"]],
        "advantage": [0.5],
    }
    write_completions(tmp_path, 1, columns)
    run = ReadRun(TrlFormat(), tmp_path)
    sample = run.load(run.rows[0])
    assert sample.rewards == {"good": 1.0}
    assert sample.metrics == {"tries": 3.0, "parsed": 1.0}
    assert sample.golden_answers == {"answer": "2"}
    assert sample.turns[0].logs == {"trace": ["a", "b"]}
    assert [part.type for part in sample.messages[-1].parts] == ["thinking", "text"]


def test_tool_turns_of_a_chat_completion_are_numbered(tmp_path: Path) -> None:
    call = {"type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
    completion = [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": "2", "tool_calls": None},
        {"role": "assistant", "content": "It is 2.", "tool_calls": None},
    ]
    write_completions(
        tmp_path, 1, {"prompt": [CHAT_PROMPT], "completion": [completion], "good": [1.0], "advantage": [0.0]}
    )
    run = ReadRun(TrlFormat(), tmp_path)
    messages = run.load(run.rows[0]).messages
    assert [(message.role, message.turn) for message in messages] == [
        ("system", None),
        ("user", None),
        ("assistant", 0),
        ("tool", 0),
        ("assistant", 1),
    ]
    assert messages[2].parts[0].name == "add"


def test_plain_text_prompts_are_one_user_message(tmp_path: Path) -> None:
    write_completions(
        tmp_path, 1, {"prompt": ["Once upon"], "completion": [" a time"], "good": [1.0], "advantage": [0.0]}
    )
    run = ReadRun(TrlFormat(), tmp_path)
    sample = run.load(run.rows[0])
    assert [(m.role, m.text, m.guessed) for m in sample.messages] == [
        ("user", "Once upon", False),
        ("assistant", " a time", False),
    ]
    assert sample.notes == []


def test_a_file_with_fewer_rows_than_indexed_says_so(tmp_path: Path) -> None:
    columns: dict[str, list[Any]] = {
        "prompt": ["p"] * 2,
        "completion": ["c"] * 2,
        "good": [1.0] * 2,
        "advantage": [0.0] * 2,
    }
    path = write_completions(tmp_path, 1, columns)
    run = ReadRun(TrlFormat(), tmp_path)
    write_completions(tmp_path, 1, {name: values[:1] for name, values in columns.items()})
    with pytest.raises(NotFoundError, match="no row 1"):
        run.load(run.rows[1])
    path.unlink()
    with pytest.raises(NotFoundError, match=r"completions_00001\.parquet"):
        run.load(run.rows[0])
