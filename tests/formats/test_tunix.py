from __future__ import annotations

import ast
import csv
from pathlib import Path

from tests.fixtures import fixture_path
from tests.formats.expected import assert_as_expected
from tests.formats.rows_and_samples import only_run, opened


def test_every_row_is_there() -> None:
    assert_as_expected("tunix")


def test_tokens_masks_and_logprobs_are_as_written() -> None:
    path = fixture_path("tunix")
    pairs = opened(only_run(path))
    with next(path.glob("*.csv")).open(newline="") as file:
        cells = list(csv.DictReader(file))
    for (_, sample), row in zip(pairs, cells, strict=True):
        assert sample.tokens is not None
        assert sample.tokens.ids == ast.literal_eval(row["conversation_tokens"])
        assert sample.tokens.logprobs == ast.literal_eval(row["old_logprobs"])
        assert sample.golden_answers == {"answer": ast.literal_eval(row["original_input"])["answer"]}


def test_a_cell_is_a_value_and_never_code(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    hostile = f"__import__('pathlib').Path({str(marker)!r}).touch()"
    with (tmp_path / "trajectory_log_1.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["conversation_text", "trajectory_reward", "policy_version", "group_id"])
        writer.writerow([hostile, "1.0", "0", "0"])
    ((row, _),) = opened(only_run(tmp_path))
    assert row.reward == 1.0
    assert not marker.exists()
