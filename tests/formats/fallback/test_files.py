"""Tables of no known trainer: parquet, and what Hugging Face `datasets` saves on a disk."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from tests.fixtures import write_jsonl
from tests.formats.opened import opened, texts

from rollscope.errors import NotFoundError
from rollscope.query.library import Library

ROWS: dict[str, list[Any]] = {
    "question": ["Q", "Q", "R"],
    "generation": ["a", "b", "c"],
    "score": [1.0, 0.0, 0.5],
    "ground_truth": ["4", "4", None],
    "step": [1, 1, 2],
    "points": [{"format": 1.0}] * 3,
    "image": [{"bytes": b"123", "path": "x.png"}] * 3,
}


def parquet(path: Path, rows: dict[str, list[Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(rows), path)
    return path


def arrow(path: Path, rows: dict[str, list[Any]], batch: int = 2) -> Path:
    """As `Dataset.save_to_disk` does: a stream of small batches, with two small files beside it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pa.table(rows)
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=batch)
    (path.parent / "dataset_info.json").write_text("{}")
    (path.parent / "state.json").write_text('{"_data_files": []}')
    return path


@pytest.mark.parametrize("write", [parquet, arrow])
def test_a_table_s_rows_are_samples_by_the_names_of_its_columns(write: Any, tmp_path: Path) -> None:
    write(tmp_path / f"data.{write.__name__}", ROWS)
    (run,) = Library([tmp_path]).runs()
    found = opened(tmp_path)
    assert run.format == "jsonl"
    assert [(s.address, s.reward, s.group) for s in found] == [
        ("train/1/0", 1.0, 0), ("train/1/1", 0.0, 0), ("train/2/0", 0.5, 0)
    ]  # fmt: skip
    assert [texts(s) for s in found] == [
        [("user", q), ("assistant", a)] for q, a in (("Q", "a"), ("Q", "b"), ("R", "c"))
    ]
    assert [s.golden_answers for s in found] == [{"ground_truth": "4"}, {"ground_truth": "4"}, {}]
    assert [s.metrics for s in found] == [{"points/format": 1.0}] * 3
    assert found[0].record["image"] == {"bytes": "<3 bytes>", "path": "x.png"}
    assert [hit.address for hit in run.search("c")] == ["train/2/0"]
    assert [sentence for sentence in run.guessed() if "generation as response" in sentence]


def test_a_mapping_says_what_the_columns_are(tmp_path: Path) -> None:
    parquet(tmp_path / "house.parquet", {**ROWS, "out": ROWS["generation"]})
    (run,) = Library([tmp_path], mapping="reward=points.format,response=out").runs()
    rows = run.samples().rows
    assert [row.reward for row in rows] == [1.0, 1.0, 1.0]
    metrics = [row.metrics for row in rows] + [run.sample(row.address).metrics for row in rows]
    assert {name for each in metrics for name in each} == {"score"}, "the reward is no metric as well"


def test_splits_are_folders_or_the_names_of_files(tmp_path: Path) -> None:
    rows: dict[str, list[Any]] = {"prompt": ["Q"], "completion": ["a"], "reward": [1.0]}
    for split in ("train", "test"):
        arrow(tmp_path / "saved" / split / "data-00000-of-00001.arrow", rows)
        parquet(tmp_path / "hub" / f"{split}-00001-of-00002.parquet", rows)
    arrow(tmp_path / "saved" / "train" / "cache-0123456789abcdef.arrow", rows)
    for run in Library([tmp_path]).runs():
        assert [(info.split, info.samples, info.last_step) for info in run.info().splits] == [
            ("train", 1, 0),
            ("eval/test", 1, 0),
        ]


def test_datasets_to_train_on_are_no_runs_and_not_mixed_into_one(tmp_path: Path) -> None:
    parquet(tmp_path / "train.parquet", {"prompt": ["Q"], "answer": ["4"]})
    with pytest.raises(NotFoundError):
        Library([tmp_path])
    write_jsonl(tmp_path / "rollouts.jsonl", [{"prompt": "Q", "completion": "a", "reward": 1.0}])
    parquet(tmp_path / "sft.parquet", {"prompt": ["Q"], "completion": ["4"]})
    assert [sample.reward for sample in opened(tmp_path)] == [1.0]


@pytest.mark.parametrize("write", [parquet, arrow])
def test_a_damaged_table_is_told_in_one_line(write: Any, tmp_path: Path) -> None:
    path = write(tmp_path / f"data.{write.__name__}", ROWS)
    (run,) = Library([tmp_path]).runs()
    run.refresh()
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], whole[:200] + b"\xff" * 400 + whole[600:], b"ARROW1\0\0" + whole):
        path.write_bytes(damaged)
        run.refresh()
        said = [skipped.reason for skipped in run.doctor().skipped]
        assert said == [] or all("cannot be read" in reason and "\n" not in reason for reason in said)


def test_an_arrow_file_with_a_footer_opens_too(tmp_path: Path) -> None:
    table = pa.table({"prompt": ["Q", "R"], "completion": ["a", "b"], "reward": [1.0, 0.0]})
    with pa.OSFile(str(tmp_path / "x.arrow"), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=1)
    assert [sample.reward for sample in opened(tmp_path)] == [1.0, 0.0]


def test_samples_beside_their_metrics_are_an_evaluation(tmp_path: Path) -> None:
    """As Atropos' evaluations are written."""
    record = {"messages": [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "4"}], "gold_answer": "4"}
    write_jsonl(tmp_path / "gsm8k" / "samples.jsonl", [{**record, "score": 1}])
    (tmp_path / "gsm8k" / "metrics.json").write_text('{"results": {"all": {}}}')
    (sample,) = opened(tmp_path)
    assert (sample.split, sample.reward, sample.golden_answers) == ("eval/gsm8k", 1.0, {"gold_answer": "4"})
    # Others cut the problem, name the item and judge it.
    judged = {"problem": "Q…", "response": "4", "gold_answer": "4", "extracted_int": 4}
    lines = [judged | {"item_id": f"x{i // 2}", "is_correct": i == 1} for i in range(4)]
    write_jsonl(tmp_path / "gsm8k" / "samples.jsonl", lines)
    assert [(sample.group, sample.reward) for sample in opened(tmp_path)] == [
        ("x0", 0),
        ("x0", 1),
        ("x1", 0),
        ("x1", 0),
    ]


LINES = [
    {"prompt": "q", "completion": "ä", "reward": 1.0, "step": 3},
    {"prompt": "q", "completion": "b", "reward": math.nan, "step": 3},
    {"prompt": ["r", "s"], "completion": ["c", "d"], "reward": [0.0, 0.5], "step": 4},
]
PLAIN = "".join(f"{json.dumps(line)}\n" for line in LINES).encode()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("rollouts.jsonl.gz", gzip.compress(PLAIN[:50]) + gzip.compress(PLAIN[50:])),
        ("rollouts.jsonl.zst", zstandard.compress(PLAIN[:50]) + zstandard.compress(PLAIN[50:])),
        ("rollouts.json", json.dumps(LINES, indent=1).encode()),
        ("rollouts.json.gz", gzip.compress(json.dumps(LINES, indent=1).encode())),
        ("rollouts.json", PLAIN),
        ("rollouts.json", json.dumps({"model": "m", "samples": LINES}).encode()),
    ],
)
def test_packed_lines_and_lists_of_records_open(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    (tmp_path / "config.json").write_text('{"samples": 3, "steps": [{"lr": 1}]}')
    found = opened(tmp_path)
    assert [(sample.step, str(sample.reward), texts(sample)[-1][1]) for sample in found] == [
        *((3, "1.0", "ä"), (3, "nan", "b"), (4, "0.0", "c"), (4, "0.5", "d")),
    ]
    if ".jsonl" in name:
        # Plain lines beside packed ones of the same name are the same samples.
        (tmp_path / name.rpartition(".")[0]).write_bytes(PLAIN)
        assert len(opened(tmp_path)) == 4


def test_an_object_may_list_records_by_their_step(tmp_path: Path) -> None:
    lists = {str(step): [{"prompt": "q", "response": f"{step}{n}", "reward": n} for n in range(2)] for step in (3, 12)}
    (tmp_path / "rollouts.json").write_text(json.dumps(lists))
    assert [(sample.step, sample.reward, texts(sample)[-1][1]) for sample in opened(tmp_path)] == [
        (3, 0.0, "30"),
        (3, 1.0, "31"),
        (12, 0.0, "120"),
        (12, 1.0, "121"),
    ]


def test_a_dataset_whose_name_begins_like_a_log_is_none(tmp_path: Path) -> None:
    for name in ("gsm8k", "logiqa", "tracer_bench", "logs_3", "trace"):
        write_jsonl(tmp_path / f"{name}.jsonl", [{"prompt": name, "response": "a", "reward": 1.0}])
    assert sorted(texts(sample)[0][1] for sample in opened(tmp_path)) == ["gsm8k", "logiqa", "tracer_bench"]


def test_a_file_may_hold_one_record(tmp_path: Path) -> None:
    for step, number in ((1, 0), (1, 1), (2, 0)):
        record = {"prompt": f"Q{step}", "completion": f"a{number}", "reward": number / 2, "note": math.nan}
        path = tmp_path / f"step_{step}" / f"sample_{number}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(record, indent=1))
    (tmp_path / "config.json").write_text('{"prompt": "be brief", "output": "out", "reward": 1}')
    found = opened(tmp_path)
    assert [(s.step, s.group, s.reward, texts(s)) for s in found] == [
        (1, 0, 0.0, [("user", "Q1"), ("assistant", "a0")]),
        (1, 0, 0.5, [("user", "Q1"), ("assistant", "a1")]),
        (2, 0, 0.0, [("user", "Q2"), ("assistant", "a0")]),
    ]


def test_any_number_of_files_with_one_record_each_opens(tmp_path: Path) -> None:
    for number in range(150):
        name = hashlib.md5(str(number).encode()).hexdigest()
        (tmp_path / f"episode_{name}.json").write_text(json.dumps({"prompt": "Q", "response": name, "score": number}))
    assert sorted(s.reward or 0.0 for s in opened(tmp_path)) == list(range(150))


def test_objects_about_something_else_are_no_samples(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"prompt": "p", "temperature": 1}')
    (tmp_path / "b.json").write_text('{"layers": [{"prompt": "p"}]}')
    (tmp_path / "run_args.json").write_text('{"input": "p", "output": "r"}')
    with pytest.raises(NotFoundError):
        opened(tmp_path)


def test_a_file_that_is_called_a_log_holds_samples_where_there_is_nothing_else(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "log.jsonl", [{"step": 3, "prompt": "Q", "completion": "a", "reward": 1.0}])
    assert [texts(s) for s in opened(tmp_path)] == [[("user", "Q"), ("assistant", "a")]]
    write_jsonl(tmp_path / "samples.jsonl", [{"step": 3, "prompt": "Q", "completion": "b", "reward": 1.0}])
    assert [texts(s) for s in opened(tmp_path)] == [[("user", "Q"), ("assistant", "b")]]


def test_a_log_without_texts_is_no_run(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "metrics.jsonl", [{"step": 3, "response": "a", "reward": 1.0}])
    with pytest.raises(NotFoundError):
        opened(tmp_path)
