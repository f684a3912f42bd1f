"""Which records are columns of samples, and which only hold lists."""

from __future__ import annotations

from rollscope.formats.lines.columnar import explode

CHAT = [{"role": "user", "content": "q"}, {"role": "user", "content": "r"}]


def test_columns_of_one_length_are_rows_and_what_is_not_is_shared() -> None:
    record = {"step": ["1", "1"], "prompt": ["p", "q"], "completion": ["a", "b"], "lr": 0.1, "tags": ["x", "y", "z"]}
    shared = {"lr": 0.1, "tags": ["x", "y", "z"]}
    assert explode(record) == [
        {**shared, "step": "1", "prompt": "p", "completion": "a"},
        {**shared, "step": "1", "prompt": "q", "completion": "b"},
    ]


def test_lists_of_messages_are_values_and_lists_of_them_are_columns() -> None:
    assert explode({"prompt": CHAT, "completion": CHAT}) is None
    assert explode({"prompt": [CHAT], "completion": [CHAT]}) == [{"prompt": CHAT, "completion": CHAT}]


def test_lists_of_other_lengths_and_plain_records_are_no_columns() -> None:
    assert explode({"prompt": ["p"], "completion": ["a", "b"]}) is None
    assert explode({"prompt": "p", "completion": "a", "rewards": [1.0]}) is None
    assert explode({"prompt": [], "completion": []}) == []
    assert explode({"prompt": [], "completion": "a", "reward": []}) is None
    assert explode({"prompt": [], "response": [], "output": 7, "tokens": "ab", "group_index": {"calls": [1.5]}}) is None
