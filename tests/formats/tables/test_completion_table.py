"""Tables of completions: which column is what, and a row as a sample."""

from __future__ import annotations

import math
from typing import Any

import pytest

from rollscope.formats.tables.completion_table import (
    Rules,
    as_messages,
    find_rules,
    row_sample,
    row_values,
    total,
    unfold,
)


def rules_of(columns: list[str], *rows: list[Any]) -> Rules:
    found = find_rules(columns, rows)
    assert found is not None
    return found


def test_columns_are_taken_by_their_names_and_what_they_hold() -> None:
    columns = ["step", "prompt", "completion", "accuracy_reward", "advantage", "length", "answer", "extra"]
    rules = rules_of(columns, [1, "q", "a", 1.0, 0.5, 12, "42", "x"])
    assert (rules.step, rules.prompt, rules.response, rules.total, rules.advantage) == (
        "step", "prompt", "completion", None, "advantage",
    )  # fmt: skip
    assert (rules.rewards, rules.metrics, rules.golden, rules.extras) == (
        ("accuracy_reward",), ("length",), ("answer",), ("extra",),
    )  # fmt: skip


def test_a_table_without_completions_is_none() -> None:
    assert find_rules(["step", "loss"]) is None
    assert find_rules(["text", "label"]) is None, "a text alone is anybody's"
    assert rules_of(["text", "reward"]).whole == "text"


def test_a_name_that_every_row_has_for_itself_is_no_group() -> None:
    columns = ["id", "prompt", "completion"]
    assert rules_of(columns, [1, "q", "a"], [2, "q", "b"]).group is None
    assert rules_of(columns, [1, "q", "a"], [1, "q", "b"]).group == "id"


def test_wide_rows_are_a_sample_for_each_number() -> None:
    columns = ["step", "inputs_2", "output_2", "gts_2", "input_10", "output_10"]
    names, rows = unfold(columns, [[5, "q", "a", "g", "r", "b"], [6, "q", "a"], "no row"])
    assert names == ["step", "input", "output", "ground_truth"]
    assert rows == [[5, "q", "a", "g"], [5, "r", "b", None], [6, "q", "a", None]]
    assert unfold(["step", "input_1"], [[1, "q"]]) == (["step", "input_1"], [[1, "q"]])


@pytest.mark.parametrize(
    ("row", "expected"), [({"a": 1, "b": 0.5}, 1.5), ({"a": 1, "b": math.nan}, 1.0), ({"a": "x"}, None), ({}, None)]
)
def test_the_total_is_the_sum_of_what_was_given(row: dict[str, Any], expected: float | None) -> None:
    assert total(Rules(columns=("a", "b"), rewards=("a", "b")), row) == expected


def test_a_total_of_nothing_but_nan_is_nan() -> None:
    found = total(Rules(columns=("a",), rewards=("a",)), {"a": math.nan})
    assert found is not None
    assert math.isnan(found)


def test_list_and_sample_say_the_same_of_a_row() -> None:
    rules = rules_of(["step", "prompt", "completion", "reward", "finish_reason", "completion_tokens", "note"])
    row = {"step": 4, "prompt": "q", "completion": "ü", "reward": 1, "finish_reason": "length", "note": "n"}
    row["completion_tokens"] = 1e300
    values, sample = row_values(rules, row), row_sample(rules, row)
    assert (values["step"], values["reward"], values["response_bytes"]) == (4, 1.0, 2)
    assert values["status"] == sample.status == "truncated"
    assert sample.completion_tokens is None, "no column holds it"
    assert [(message.role, message.text) for message in sample.messages] == [("user", "q"), ("assistant", "ü")]
    assert sample.turns[0].logs == {"note": "n"}


def test_a_step_that_no_column_holds_is_missing() -> None:
    rules = rules_of(["step", "prompt", "completion"])
    assert [row_values(rules, {"step": step})["step"] for step in (3, "4", 1e300, math.nan, "x", None)] == [
        3, 4, None, None, None, None,
    ]  # fmt: skip


@pytest.mark.parametrize("value", ['[{"role": "\ud83d"}]', '[{"a": 1}]', '[{"', "text", 3])
def test_a_text_that_is_no_list_of_messages_stays_text(value: Any) -> None:
    assert as_messages(value) == value
    assert as_messages('[{"role": "user", "content": "q"}]') == [{"role": "user", "content": "q"}]
