"""JSONL that no format knows: keys are matched by name, and what was guessed is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import write_jsonl

import rollscope
from rollscope.errors import NotFoundError
from rollscope.formats.fallback import CANDIDATES, guess_keys

#: Records as other trainers write them (SkyRL, AReaL, NeMo-RL, a home-made dump), and what they are taken for.
FOREIGN: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (
        {"input_prompt": "2+2?", "output_response": "4", "score": 0.5, "stop_reason": "stop", "data_source": "gsm8k"},
        {"reward": 0.5, "stop_reason": "stop", "dataset": "gsm8k"},
    ),
    (
        {"task_id": 3, "prompt": "2+2?", "completion": "4", "reward": 1.0, "prompt_len": 7, "seqlen": 14},
        {"reward": 1.0, "group": 3, "prompt_tokens": 7, "total_tokens": 14},
    ),
    (
        {"question": "2+2?", "answer": "4", "generation": "4", "return": 2, "iteration": 7},
        {"reward": 2.0, "step": 7, "golden_answers": {"answer": "4"}},
    ),
    (
        {"messages": [{"role": "user", "content": "2+2?"}], "responses": "4", "rewards": {"total": 3, "fmt": 1}},
        {"reward": 3.0, "rewards": {"total": 3.0, "fmt": 1.0}},
    ),
]


@pytest.mark.parametrize(("record", "expected"), FOREIGN)
def test_foreign_records_are_mapped_by_their_names(
    tmp_path: Path, record: dict[str, Any], expected: dict[str, Any]
) -> None:
    write_jsonl(tmp_path / "dump.jsonl", [record])
    run = rollscope.open(tmp_path)
    assert run.format == "jsonl"
    row = run.samples().rows[0]
    sample = run.sample(row.address)
    for name, value in expected.items():
        assert getattr(sample, name) == value, name
        if hasattr(row, name):
            assert getattr(row, name) == value, name
    assert "".join(message.text for message in sample.messages if message.turn is None).strip() == "2+2?"
    assert "".join(message.text for message in sample.messages if message.turn is not None) == "4"


def test_what_was_guessed_is_said(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "dump.jsonl", [FOREIGN[0][0]])
    run = rollscope.open(tmp_path)
    report = run.doctor()
    assert report.confidence == 0.1
    assert "input_prompt → prompt" in report.reasons[0]
    assert "dump.jsonl" in report.reasons[0]
    assert "score as reward" in " ".join(run.sample("train/0/0").notes)
    assert any("matched by their names" in limit for limit in report.limits)


def test_names_that_need_no_guess_are_not_called_one(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "0.jsonl", [{"prompt": "p", "reward": 1.0}])
    assert rollscope.open(tmp_path).sample("train/0/0").notes == []


def test_one_key_is_used_once() -> None:
    chosen = guess_keys(frozenset({"prompt", "answer", "reward", "id"}))
    taken = [key for name in CANDIDATES if (key := getattr(chosen, name)) is not None]
    assert len(taken) == len(set(taken))
    assert (chosen.prompt, chosen.golden, chosen.group) == ("prompt", "answer", "id")


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("7.jsonl", 7),
        ("step_12.jsonl", 12),
        ("rollout-000040.jsonl", 40),
        ("v2_step3.jsonl", 3),
        ("dump.jsonl", 0),
        ("train/5.jsonl", 5),
        ("9.ndjson", 9),
    ],
)
def test_the_step_is_the_last_number_in_the_name(tmp_path: Path, name: str, step: int) -> None:
    write_jsonl(tmp_path / name, [{"prompt": "p", "completion": "c", "reward": 0}])
    assert [row.address for row in rollscope.open(tmp_path).samples().rows] == [f"train/{step}/0"]


def test_the_step_is_the_records_own_where_they_say_it(tmp_path: Path) -> None:
    records = [{"prompt": "p", "completion": "c", "global_step": step, "reward": step} for step in (3, 1, 3, 2)]
    write_jsonl(tmp_path / "all_0001.jsonl", records)
    run = rollscope.open(tmp_path)
    assert [(row.address, row.reward) for row in run.samples().rows] == [
        ("train/1/0", 1.0),
        ("train/2/0", 2.0),
        ("train/3/0", 3.0),
        ("train/3/1", 3.0),
    ]


def test_folders_named_like_an_eval_are_splits(tmp_path: Path) -> None:
    record = {"prompt": "p", "completion": "c", "reward": 1}
    for folder in ("train", "val_math", "test"):
        write_jsonl(tmp_path / folder / "4.jsonl", [record])
    run = rollscope.open(tmp_path)
    assert run.splits == ["train", "eval/test", "eval/val_math"]


def test_files_that_hold_no_samples_are_left_alone(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "0.jsonl", [{"prompt": "p", "completion": "c", "reward": 1}])
    write_jsonl(tmp_path / "metrics.jsonl", [{"step": 1, "loss": 0.5}])
    write_jsonl(tmp_path / "checkpoints.jsonl", [{"name": "a"}])
    assert rollscope.open(tmp_path).samples().total == 1


def test_a_folder_of_other_json_lines_is_no_run(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "events.jsonl", [{"time": 1, "kind": "start"}])
    with pytest.raises(NotFoundError, match="no run found"):
        rollscope.open(tmp_path)


def test_a_key_that_only_some_records_have(tmp_path: Path) -> None:
    records = [{"prompt": "p", "completion": str(i), **({"reward": i} if i % 2 else {})} for i in range(6)]
    write_jsonl(tmp_path / "0.jsonl", records)
    assert [row.reward for row in rollscope.open(tmp_path).samples().rows] == [None, 1.0, None, 3.0, None, 5.0]


def test_the_file_may_begin_with_lines_that_are_no_records(tmp_path: Path) -> None:
    (tmp_path / "0.jsonl").write_text('# a comment\n\nnull\n{"prompt": "p", "completion": "c", "reward": 1}\n')
    run = rollscope.open(tmp_path)
    assert [row.reward for row in run.samples().rows] == [1.0]
    assert [item.line for item in run.doctor().skipped] == [1, 3]


def test_equal_prompts_of_a_step_are_a_group(tmp_path: Path) -> None:
    prompts = ["a", "a", "b", "b", "a", "a"]
    write_jsonl(tmp_path / "0.jsonl", [{"prompt": text, "completion": "c", "reward": 1} for text in prompts])
    groups = [row.group for row in rollscope.open(tmp_path).samples().rows]
    assert groups[0] == groups[1]
    assert groups[2] == groups[3] != groups[0]


def test_keys_behind_a_very_long_text_are_found_too(tmp_path: Path) -> None:
    record = {"prompt": "p", "response": "long " * 600_000, "reward": 0.5, "status": "completed"}
    write_jsonl(tmp_path / "0.jsonl", [record] * 2)
    rows = rollscope.open(tmp_path).samples().rows
    assert [(row.reward, row.status) for row in rows] == [(0.5, "completed")] * 2
