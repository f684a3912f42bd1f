"""verl's generations: exactly the fixture's samples and scores; groups of the classic trainer and of v1; bare roles."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zstandard
from tests.fixtures import fixture_path, write_jsonl
from tests.formats.naive import naive_records
from tests.formats.opened import opened

import rollscope
from rollscope.query.library import Library

CLASSIC: dict[str, Any] = {
    "input": "system\nBe brief.\nuser\nWhat is 17 + 25?\nassistant\n",
    "output": "<think>\nadd</think>\n#### 42",
    "gts": "42",
    "score": 1.0,
    "step": 1,
    "acc": True,
}


@pytest.mark.parametrize(
    ("folder", "split"), [("rollout", "train"), ("v1_rollout", "train"), ("validation", "eval/validation")]
)
def test_the_fixture_gives_exactly_its_samples_and_scores(folder: str, split: str) -> None:
    path = fixture_path("verl") / folder
    run = rollscope.open(path)
    assert (run.format, run.splits) == ("verl", [split])
    assert run.doctor().skipped == []
    files = {int(file.stem): naive_records(file) for file in path.iterdir()}
    assert [row.step for row in run.steps(split).steps] == sorted(files)
    for step, records in files.items():
        rows = run.samples(split=split, step=step).rows
        assert [row.reward for row in rows] == [record["score"] for record in records]
        for row, record in list(zip(rows, records, strict=True))[::7]:
            assert run.raw(row.address) == record["input"] + record["output"]
            sample = run.sample(row.address)
            assert sample.record == record
            assert sample.golden_answers == ({"gts": record["gts"]} if record["gts"] else {})
            assert sample.advantage is None


@pytest.mark.parametrize("folder", ["rollout", "v1_rollout"])
@pytest.mark.parametrize("ending", [".gz", ".zst"])
def test_dumps_that_were_compressed_are_read_as_they_were(tmp_path: Path, folder: str, ending: str) -> None:
    plain = fixture_path("verl") / folder
    pack = gzip.compress if ending == ".gz" else zstandard.ZstdCompressor().compress
    for file in plain.iterdir():
        (tmp_path / f"{file.name}{ending}").write_bytes(pack(file.read_bytes()))
    (tmp_path / "2.jsonl").write_bytes((plain / "2.jsonl").read_bytes())  # its compressed twin counts no more
    run, before = rollscope.open(tmp_path), rollscope.open(plain)
    assert (run.format, run.splits) == ("verl", ["train"])
    assert run.doctor().skipped == []
    rows = run.samples().rows
    assert [(row.step, row.group, row.reward) for row in rows] == [
        (row.step, row.group, row.reward) for row in before.samples().rows
    ]
    assert run.sample(rows[-1].address).record == before.sample(rows[-1].address).record
    found, wanted = [[(hit.address, hit.snippet) for hit in each.search("answer", limit=20)] for each in (run, before)]
    assert found == wanted != []


def test_a_compressed_dump_that_is_damaged_is_named_and_the_others_open(tmp_path: Path) -> None:
    (tmp_path / "1.jsonl.gz").write_bytes(gzip.compress(msgspec.json.encode(CLASSIC) + b"\n"))
    (tmp_path / "2.jsonl.gz").write_bytes(b"\x1f\x8b and no gzip")
    run = rollscope.open(tmp_path)
    assert [row.step for row in run.samples().rows] == [1]
    (skipped,) = run.doctor().skipped
    assert (skipped.file, "damaged" in skipped.reason) == ("2.jsonl.gz", True)


def test_several_folders_of_rollouts_are_several_runs() -> None:
    library = Library([fixture_path("verl")])
    assert sorted(run.name for run in library.runs()) == ["rollout", "v1_rollout", "validation"]


def test_classic_samples_with_an_equal_input_are_a_group() -> None:
    path = fixture_path("verl") / "rollout"
    run = rollscope.open(path)
    records = naive_records(path / "1.jsonl")
    by_group: dict[int | str | None, list[str]] = {}
    for row, record in zip(run.samples(step=1).rows, records, strict=True):
        by_group.setdefault(row.group, []).append(record["input"])
    assert all(len(set(inputs)) == 1 for inputs in by_group.values())
    assert len({len(inputs) for inputs in by_group.values()}) == 1, "every group has the same size"


def test_the_uid_of_v1_begins_with_its_group() -> None:
    path = fixture_path("verl") / "v1_rollout"
    run = rollscope.open(path)
    assert "uid" in run.doctor().reasons[0]
    assert not any("Without a uid" in limit for limit in run.doctor().limits), "it has them"
    records = naive_records(path / "1.jsonl")
    rows = run.samples(step=1).rows
    assert [row.group for row in rows] == [record["uid"].rsplit("_", 2)[0] for record in records]


def test_reward_extras_are_metrics_whatever_their_writer_made_of_them(tmp_path: Path) -> None:
    extras: list[dict[str, Any]] = [
        {"acc": True},
        {"acc": "True"},
        {"acc": "0.5"},
        {"acc": "[1 2 3]"},
        {"acc": None},
        {},
    ]
    records = [{**{k: v for k, v in CLASSIC.items() if k != "acc"}, **extra} for extra in extras]
    write_jsonl(tmp_path / "1.jsonl", records)
    run = rollscope.open(tmp_path)
    assert [row.metrics.get("acc") for row in run.samples().rows] == [1.0, 1.0, 0.5, None, None, None]
    assert [run.sample(f"train/1/{i}").metrics.get("acc") for i in range(6)] == [1.0, 1.0, 0.5, None, None, None]


def test_roles_are_read_off_bare_lines_and_marked_as_a_guess(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "1.jsonl", [CLASSIC])
    run = rollscope.open(tmp_path)
    sample = run.sample("train/1/0")
    assert [message.role for message in sample.messages][:2] == ["system", "user"]
    assert {message.role for message in sample.messages[2:]} == {"assistant"}
    assert any(message.guessed for message in sample.messages)
    assert any("guess" in note for note in sample.notes)
    assert any("guess" in limit for limit in run.details().limits)
    assert any("Without a uid" in limit for limit in run.details().limits)
    assert run.raw("train/1/0") == CLASSIC["input"] + CLASSIC["output"]


def test_special_tokens_that_were_kept_leave_nothing_to_guess(tmp_path: Path) -> None:
    asked = "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nSix sevens?<|im_end|>\n<|im_start|>assistant\n"
    write_jsonl(tmp_path / "1.jsonl", [{"input": asked, "output": "42<|im_end|>", "score": 1.0, "step": 1}])
    (sample,) = opened(tmp_path)
    assert [message.role for message in sample.messages if message.turn is None][:2] == ["system", "user"]
    assert sample.notes == []


def test_a_folder_of_rollouts_beside_its_validations_is_one_run(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "rollouts" / "1.jsonl", [CLASSIC])
    write_jsonl(tmp_path / "val_aime" / "0.jsonl", [CLASSIC])
    write_jsonl(tmp_path / "validation" / "0.jsonl", [CLASSIC, CLASSIC])
    run = rollscope.open(tmp_path)
    assert run.splits == ["train", "eval/val_aime", "eval/validation"]
    assert [run.samples(split=split).total for split in run.splits] == [1, 1, 2]


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("validation", "eval/validation"),
        ("val_generations", "eval/val_generations"),
        ("Eval", "eval/Eval"),
        ("test_new_reward", "train"),
        ("value_model", "train"),
        ("rollouts", "train"),
    ],
)
def test_a_folder_on_its_own_is_a_validation_only_by_a_plain_name(tmp_path: Path, name: str, split: str) -> None:
    write_jsonl(tmp_path / name / "5.jsonl", [CLASSIC])
    assert rollscope.open(tmp_path / name).splits == [split]


def test_forks_name_files_by_split_and_step(tmp_path: Path) -> None:
    for name in ("train_1.jsonl", "train_10.jsonl", "train_2.jsonl", "test_10.jsonl"):
        write_jsonl(tmp_path / name, [{**CLASSIC, "data_source": "gsm8k"}])
    run = rollscope.open(tmp_path)
    assert (run.splits, [row.step for row in run.steps().steps]) == (["train", "eval/test"], [1, 2, 10])
    assert run.sample("eval/test/10/0").dataset == "gsm8k"


def test_older_forks_write_no_answer(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "1.jsonl", [{key: value for key, value in CLASSIC.items() if key != "gts"}])
    assert rollscope.open(tmp_path).sample("train/1/0").golden_answers == {}


@pytest.mark.parametrize(
    ("folders", "splits"),
    [
        ({"rollout_train": [1, 2], "rollout_val": [0, 2]}, ["train", "eval/rollout_val"]),
        ({"rollouts": [1], "my_validation_dump": [1]}, ["train", "eval/my_validation_dump"]),
        ({"": [1, 2], "val": [2]}, ["train", "eval/val"]),
        ({"generations": [0, 5]}, ["eval/generations"]),
        ({"rollouts": [0, 1]}, ["train", "eval/validation"]),
        ({"test_new_reward": [1, 2]}, ["train"]),
    ],
)
def test_which_folders_are_validations(folders: dict[str, list[int]], splits: list[str], tmp_path: Path) -> None:
    for folder, steps in folders.items():
        for step in steps:
            # Of a validation, verl writes the score a second time.
            write_jsonl(tmp_path / "exp" / folder / f"{step}.jsonl", [{**CLASSIC, "step": step, "reward": 1.0}])
    (run,) = Library([tmp_path / "exp"]).runs()
    assert sorted(run.splits) == sorted(splits)
    assert run.samples().total == sum(map(len, folders.values()))


def test_rollouts_that_somebody_counts_from_zero_are_no_validation(tmp_path: Path) -> None:
    for step in (0, 1, 2):
        write_jsonl(tmp_path / "experiment" / f"{step}.jsonl", [{**CLASSIC, "step": step}])
    assert rollscope.open(tmp_path / "experiment").splits == ["train"]


def test_a_folder_for_each_dataset_of_a_validation_is_an_evaluation(tmp_path: Path) -> None:
    line = {"input": "user\nq\nassistant\n", "output": "a", "score": 1.0, "step": 1}
    for folder in ("train_rollouts", "val_rollouts/aime24", "val_rollouts/math500"):
        write_jsonl(tmp_path / "qwen3-4b" / folder / "1.jsonl", [line])
    found = {sample.split for sample in opened(tmp_path)}
    assert found == {"train", "eval/aime24", "eval/math500"}
