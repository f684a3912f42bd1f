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


def test_how_it_ended_what_was_filtered_and_what_the_environment_said(tmp_path: Path) -> None:
    chat = (
        "[{'role': 'user', 'content': 'q'}, {'role': 'assistant', 'content': 'a'}, {'role': 'user', 'content': 'no'}]"
    )
    names = ("conversation_text", "conversation_tokens", "conversation_masks", "status", "trajectory_reward")
    header = ",".join((*names, "old_logprobs", "original_input", "group_id"))
    rows = [
        f'"{chat}","[1, 2, 3]","[1, 1, 0]",MAX_STEPS_REACHED,0.5,"[-0.5, nan, 0.0]","{{\'answer\': [\'4\']}}",12',
        f'"{chat}","[1, 2]","[0, 0]",MAX_CONTEXT_LIMIT_REACHED,,"[-0.5, -inf]","{{}}",12',
        f'"{chat}","[1, 2]","[1, 1]",SUCCEEDED,1.0,"[-0.5, -0.5]","{{}}",1',  # being written: group 12 or 13
    ]
    (tmp_path / "trajectory_log.csv").write_text("\n".join([header, *rows]))
    (one, first), (two, second) = opened(only_run(tmp_path))
    assert (one.status, one.stop_reason, one.discard_reason) == ("truncated", "max_steps_reached", None)
    assert (two.status, two.discard_reason) == ("truncated", "masked out: max_context_limit_reached")
    assert first.golden_answers == {"answer": "4"}
    logprobs = [sample.tokens.logprobs if sample.tokens else None for sample in (first, second)]
    assert logprobs == [[-0.5, None, None], [-0.5, float("-inf")]]
    assert (one.group, two.group, one.completion_tokens) == (12, 12, 2)


def test_padding_is_no_part_of_the_prompt(tmp_path: Path) -> None:
    rows = [f'[],{number}.0,"{ids}"' for number, ids in enumerate(("[0, 0, 0, 7, 8]", "[7, 8, 8]", "[]", "[0, 0]"))]
    text = "\n".join(("conversation_text,trajectory_reward,prompt_tokens", *rows))
    (tmp_path / "trajectory_log.csv").write_text(f"{text}\n")
    assert [row.prompt_tokens for row, _ in opened(only_run(tmp_path))] == [2, 3, None, None]


def test_groups_of_a_resumed_process_are_its_own(tmp_path: Path) -> None:
    chat = "[{'role': 'user', 'content': 'q'}, {'role': 'assistant', 'content': 'a'}]"
    for started, steps in ((1763000000, (1, 2)), (1763009999, (2, 3))):
        rows = [f'"{chat}",1.0,{step},{step}\n' for step in steps for _ in range(2)]
        text = "conversation_text,trajectory_reward,policy_version,group_id\n" + "".join(rows)
        (tmp_path / f"trajectory_log_{started}.csv").write_text(text)
    run = only_run(tmp_path)
    found = [(row.step, row.group) for row, _ in opened(run)]
    assert found == [(1, 1), (1, 1), (2, 2), (2, 2), (2, "2 (2)"), (2, "2 (2)"), (3, "3 (2)"), (3, "3 (2)")]
