"""W&B's local tables: told by their columns, each row once, wide ones unfolded."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import fixture_path
from tests.formats.opened import opened, texts

from rollscope.formats.wandb_table import WandbTableFormat
from rollscope.query.library import Library
from rollscope.storage.open_store import open_store

FILES = "wandb/offline-run-20261116_024621-abc/files"


def log(root: Path, key: str, step: int, columns: list[str], data: list[list[Any]]) -> Path:
    path = root / FILES / "media" / "table" / f"{key}_{step}_{step:020x}.table.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"columns": columns, "data": data}), encoding="utf-8")
    return path


def test_the_fixture_opens_with_exactly_its_samples() -> None:
    path = fixture_path("wandb_table")
    rows = []
    for file in sorted(path.rglob("*.table.json")):
        table = json.loads(file.read_text(encoding="utf-8"))
        rows += [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]
    found = opened(path)
    assert len(found) == len(rows) == 24
    for sample, row in zip(found, rows, strict=True):
        assert (sample.split, sample.step) == ("train", int(row["step"]))
        assert (sample.reward, sample.rewards) == (row["reward"], {"correctness_reward": row["correctness_reward"]})
        assert sample.advantage == row["advantage"]
        assert "".join(message.text for message in sample.messages) == row["prompt"] + row["completion"]
        assert [message.role for message in sample.messages] == ["system", "user", "assistant", "assistant"]
    assert [sample.group for sample in found] == [0, 0, 0, 0, 1, 1, 1, 1] * 3


def test_rows_that_are_logged_again_count_once_and_equal_rows_of_one_table_each(tmp_path: Path) -> None:
    columns = ["step", "prompt", "completion", "correct", "advantage"]
    first = [[1, "p", "a", 1.0, 0.5], [1, "p", "a", 1.0, 0.5]]
    log(tmp_path, "completions", 1, columns, first)
    log(tmp_path, "completions", 2, columns, [*first, [2, "p", "b", math.nan, None]])
    found = opened(tmp_path)
    assert [sample.address for sample in found] == ["train/1/0", "train/1/1", "train/2/0"]
    assert math.isnan(found[2].reward or 0.0)


def test_rows_without_a_step_stand_at_the_table_that_had_them_first(tmp_path: Path) -> None:
    columns = ["prompt", "completion", "reward"]
    log(tmp_path, "samples", 5, columns, [["p", "a", 1.0]])
    log(tmp_path, "samples", 10, columns, [["p", "a", 1.0], ["q", "b", 0.0]])
    log(tmp_path, "samples", 15, columns, [["r", "c", 0.5]])
    assert [(s.address, s.reward) for s in opened(tmp_path)] == [
        ("train/5/0", 1.0),
        ("train/10/0", 0.0),
        ("train/15/0", 0.5),
    ]


def test_wide_tables_of_verl_are_unfolded(tmp_path: Path) -> None:
    columns = ["step", "input_1", "output_1", "score_1", "input_2", "output_2", "score_2"]
    log(tmp_path, "val/generations", 10, columns, [[10, "p", "a", 1.0, "q", "b", 0.0]])
    log(
        tmp_path,
        "val/generations",
        20,
        columns,
        [[10, "p", "a", 1.0, "q", "b", 0.0], [20, "p", "c", 0.5, "q", "d", 0.25]],
    )
    found = opened(tmp_path)
    assert [(s.address, s.reward) for s in found] == [
        ("eval/generations/10/0", 1.0),
        ("eval/generations/10/1", 0.0),
        ("eval/generations/20/0", 0.5),
        ("eval/generations/20/1", 0.25),
    ]
    assert texts(found[3]) == [("user", "q"), ("assistant", "d")]


def test_one_text_for_prompt_and_answer_is_split_at_the_assistants_header(tmp_path: Path) -> None:
    text = "<|im_start|>user\n2 + 2?<|im_end|>\n<|im_start|>assistant\n4<|im_end|>\n"
    log(tmp_path, "train/generated_samples", 1, ["global_step", "text", "reward"], [[3, text, 1.0], [3, "bare", 0.0]])
    first, second = opened(tmp_path)
    assert (first.step, first.reward) == (3, 1.0)
    assert [message.role for message in first.messages if message.turn is not None] == ["assistant"]
    assert "".join(message.text for message in first.messages) == text
    assert any("nothing marks" in note for note in second.notes)


def test_messages_and_answers_in_columns(tmp_path: Path) -> None:
    chat = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]
    columns = ["step", "example_id", "messages", "reward", "answer", "num_turns", "note"]
    log(tmp_path, "samples", 1, columns, [[1, 7, json.dumps(chat), 1.0, "a", 1, "hello"]])
    (sample,) = opened(tmp_path)
    assert texts(sample) == [("user", "q"), ("assistant", "a")]
    assert (sample.group, sample.golden_answers, sample.turns[0].logs) == (7, {"answer": "a"}, {"note": "hello"})


def test_other_tables_and_damaged_ones(tmp_path: Path) -> None:
    log(tmp_path, "confusion", 1, ["actual", "predicted", "n"], [["a", "b", 3]])
    assert WandbTableFormat().detect(open_store(tmp_path / FILES)) is None
    log(tmp_path, "samples", 1, ["prompt", "completion", "reward"], [["p", "a", 1.0]])
    torn = log(tmp_path, "samples", 2, ["prompt", "completion", "reward"], [["p", "b", 1.0]])
    torn.write_bytes(torn.read_bytes()[:-20])
    log(tmp_path, "samples", 3, ["prompt", "completion", "reward"], [])
    (run,) = Library([tmp_path]).runs()
    assert [row.address for row in run.samples().rows] == ["train/1/0"]
    assert [skip.file for skip in run.doctor().skipped] == [str(torn.relative_to((tmp_path / FILES).parent))]


@pytest.mark.parametrize("key", ["eval/completions", "eval_completions", "completions/test"])
def test_evaluations_are_told_by_their_key(tmp_path: Path, key: str) -> None:
    log(tmp_path, key, 1, ["step", "prompt", "completion", "reward"], [[1, "p", "a", 1.0]])
    assert [sample.split for sample in opened(tmp_path)] == ["eval/completions"]


def test_the_config_is_w_and_bs(tmp_path: Path) -> None:
    log(tmp_path, "samples", 1, ["prompt", "completion", "reward"], [["p", "a", 1.0]])
    (tmp_path / FILES / "config.yaml").write_text("_wandb:\n  value: {}\nlr:\n  desc: null\n  value: 0.1\n")
    assert WandbTableFormat().config(open_store(tmp_path / FILES)) == {"lr": 0.1}


def test_a_link_to_the_latest_run_is_not_another_run(tmp_path: Path) -> None:
    log(tmp_path, "samples", 5, ["prompt", "completion", "reward"], [["p", "a", 1.0]])
    (tmp_path / "wandb" / "latest-run").symlink_to(Path(FILES).parent.name)
    assert [run.name for run in Library([tmp_path]).runs()] == [Path(FILES).parent.name]


def test_a_row_s_own_id_is_no_group_and_its_stop_reason_says_how_it_ended(tmp_path: Path) -> None:
    columns = ["id", "prompt", "completion", "reward", "stop_reason"]
    log(tmp_path, "samples", 5, columns, [[1, "p", "a", 1.0, "length"], [2, "p", "b", 0.0, "stop"]])
    assert [(s.group, s.status) for s in opened(tmp_path)] == [(0, "truncated"), (0, "completed")]


def test_the_folders_on_the_way_to_the_tables_open_too() -> None:
    files = next(fixture_path("wandb_table").glob("wandb/*/files"))
    wanted = len(opened(files))
    assert wanted > 0
    for folder in (files / "media", files / "media" / "table"):
        assert len(opened(folder)) == wanted


def test_samples_that_are_one_text_are_grouped_by_what_was_asked(tmp_path: Path) -> None:
    asked = [
        "<|im_start|>user\nq1<|im_end|>\n<|im_start|>assistant\n",
        "<|im_start|>user\nq2<|im_end|>\n<|im_start|>assistant\n",
    ]
    rows = [[1, f"{asked[number // 2]}answer {number}<|im_end|>", 0.5] for number in range(4)]
    log(tmp_path, "samples", 0, ["global_step", "text", "reward"], rows)
    assert [sample.group for sample in opened(tmp_path)] == [0, 0, 1, 1]


def test_the_tasks_of_each_environment_are_groups_of_their_own(tmp_path: Path) -> None:
    rows = [[3, env, place, f"answer {place}", 1.0] for env in ("aime", "gsm8k") for place in (0, 0, 1)]
    log(tmp_path, "eval/samples", 0, ["step", "env", "task_idx", "completion", "reward"], rows)
    groups = [sample.group for sample in opened(tmp_path)]
    assert groups == ["aime/0", "aime/0", "aime/1", "gsm8k/0", "gsm8k/0", "gsm8k/1"]


def test_a_prompt_that_lies_in_the_task_is_shown(tmp_path: Path) -> None:
    chat = [{"role": "user", "content": "1 + 1?"}]
    tasks = [
        {"idx": 0, "prompt": "1 + 1?", "answer": "2"},
        {"idx": 0, "prompt": chat, "system_prompt": "Be brief."},
        {"type": "t", "data": {"prompt": chat}},
        {"idx": 1, "prompt": None},
        ["no task"],
    ]
    rows = [[3, "math", json.dumps(task), 0, "two", 1.0] for task in tasks]
    rows.append([3, "math", "gsm8k", 0, "two", 1.0])
    log(tmp_path, "eval/samples", 0, ["step", "env", "task", "task_idx", "completion", "reward"], rows)
    asked = [texts(sample)[:-1] for sample in opened(tmp_path)]
    said = [("user", "1 + 1?")]
    assert asked == [said, [("system", "Be brief."), *said], said, [], [], []]


def test_openrlhf_s_samples_without_special_tokens_are_split_at_the_assistant_s_line(tmp_path: Path) -> None:
    qwen = "system\nBe brief.\nuser\nWhat is 2 + 2?\nassistant\n"
    llama = "system\n\nBe brief.user\n\nWhat is 2 + 2?assistant\n\n"
    data = [[3, f"{prompt}{said}", 1.0] for prompt in (qwen, llama) for said in ("4", "The assistant\nsays 4")]
    log(tmp_path, "train/generated_samples", 3, ["global_step", "text", "reward"], data)
    found = opened(tmp_path)
    assert [sample.messages[-1].text for sample in found] == ["4", "The assistant\nsays 4"] * 2
    assert [[message.role for message in sample.messages] for sample in found] == [
        ["system", "user", "assistant", "assistant"]
    ] * 4
    assert [sample.group for sample in found] == [0, 0, 1, 1]
    assert all("guessed" in note for sample in found for note in sample.notes)


def test_skyrl_s_trajectories_are_the_blocks_that_they_name(tmp_path: Path) -> None:
    said = "[SYSTEM]\nBe\n\nbrief.\n\n[USER]\nWhat is 2 + 2?\n\n[ASSISTANT]\nI ask.\n\n[USER/TOOL]\n4\n\n[ASSISTANT]\nSo\n\n[x]"
    columns = ["step", "idx", "reward", "num_turns", "trajectory"]
    log(tmp_path, "trajectories/train", 0, ["step", *columns[2:]], [[1, 0.5, 2, said], [1, 0.0, 2, said + "!"]])
    log(tmp_path, "trajectories/eval", 0, columns, [[1, 7, 0.25, 2, said]])
    found = opened(tmp_path)
    assert [(sample.address, sample.reward) for sample in found] == [
        ("train/1/0", 0.5),
        ("train/1/1", 0.0),
        ("eval/trajectories/1/0", 0.25),
    ]
    roles = ["system", "user", "assistant", "user/tool", "assistant"]
    assert texts(found[0]) == list(
        zip(roles, ["Be\n\nbrief.", "What is 2 + 2?", "I ask.", "4", "So\n\n[x]"], strict=True)
    )
    assert found[0].group == found[1].group


def test_nemo_rl_s_tables_of_whole_results_are_the_records_in_them(tmp_path: Path) -> None:
    def record(said: str, reward: float) -> str:
        asked = {"input": [{"role": "user", "content": "2 + 2?"}]}
        message = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": said}]}
        told = {"responses_create_params": asked, "response": {"output": [message]}, "reward": reward, "judged": 1}
        return json.dumps({**told, "expected_answer": "4", "agent_ref": {"name": "maths"}})

    log(
        tmp_path, "train/maths/full_result", 3, ["Full result"], [[record("4", 1.0)], [record("5", 0.0)], ["no record"]]
    )
    log(tmp_path, "validation/maths/full_result", 3, ["Full result"], [[record("4", 1.0)]])
    found = opened(tmp_path)
    assert [(sample.address, sample.reward, texts(sample)) for sample in found] == [
        ("train/3/0", 1.0, [("user", "2 + 2?"), ("assistant", "4")]),
        ("train/3/1", 0.0, [("user", "2 + 2?"), ("assistant", "5")]),
        ("eval/maths_full_result/3/0", 1.0, [("user", "2 + 2?"), ("assistant", "4")]),
    ]
    assert found[0].group == found[1].group
    assert (found[0].env, found[0].metrics, found[0].golden_answers) == (
        "maths",
        {"judged": 1.0},
        {"expected_answer": "4"},
    )
