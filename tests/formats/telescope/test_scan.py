"""Rows of Telescope's archives: each sample once, blocks in order, texts left unread."""

from __future__ import annotations

import io
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import zstandard
from tests.formats.data_rows import ReadRun
from tests.formats.data_telescope import (
    EVALS,
    EVENTS,
    METRICS,
    STEPS,
    eval_completion,
    kept_sample,
    merged,
    parquet,
    write_archive,
)

import rollscope
from rollscope.formats.containers.parquet import Table
from rollscope.formats.telescope import TelescopeFormat
from rollscope.storage.open_store import open_store


def noise(seed: int, size: int) -> bytes:
    """Bytes that do not compress, so that stretches of the archive are as long as those of the member."""
    return np.random.default_rng(seed).bytes(size)


def test_a_sample_in_several_archives_is_one_and_the_finished_block_counts(tmp_path: Path) -> None:
    block = kept_sample(5, step=2, group=1, reward=0.75, texts=["from the block"])
    write_archive(tmp_path / "steps" / "block_0.zip", block, suffixes=STEPS)
    for name in ("steps/block_live.zip", "steps/tail.zip"):
        late = merged(
            kept_sample(5, step=2, group=1, reward=0.75, texts=["from a later archive"]),
            kept_sample(6, step=3, group=2, reward=0.25, texts=[f"new in {name}"]),
        )
        write_archive(tmp_path / name, late, suffixes=STEPS)
    events = kept_sample(5, step=2, group=1, reward=0.75, texts=["from the events"], suffix="_kept")
    write_archive(tmp_path / "events" / "tail.zip", events, suffixes=EVENTS)
    run = ReadRun(TelescopeFormat(), tmp_path)
    assert [(row["key"], row["source"].path) for row in run.rows] == [
        ("5", "steps/block_0.zip"),
        ("6", "steps/block_live.zip"),
    ]
    assert [run.load(row).messages[-1].text for row in run.rows] == ["from the block", "new in steps/block_live.zip"]


def test_blocks_are_ordered_by_number(tmp_path: Path) -> None:
    for number in (10, 9, 0):
        write_archive(tmp_path / "steps" / f"block_{number}.zip", {}, suffixes=STEPS)
    write_archive(tmp_path / "events" / "block_0.zip", {}, suffixes=EVENTS)
    write_archive(tmp_path / "steps" / "tail.zip", {}, suffixes=STEPS)
    sources = list(TelescopeFormat().sources(open_store(tmp_path)))
    assert [source.path for source in sources] == [
        *("steps/block_0.zip", "steps/block_9.zip", "steps/block_10.zip", "steps/tail.zip", "events/block_0.zip")
    ]
    assert [source.rank for source in sources] == sorted(source.rank for source in sources)
    assert not any(source.appendable for source in sources)


def test_samples_cancelled_before_they_had_an_id_are_counted_once_each(tmp_path: Path) -> None:
    common = {"group_id": 4, "trainer_step": 1, "inference_step": 2, "discard_reason": "eval_drain", "tail_idx": 9}
    tables = {
        "prompts_cancelled": [{**common, "env": "cities_qa", "prompt": "never answered"}],
        "samples_data_cancelled": [{**common, "sample_id": identity, "num_generations": 0} for identity in (8, -1, -1)],
    }
    for name in ("block_live", "tail"):
        write_archive(tmp_path / "events" / f"{name}.zip", tables, suffixes=EVENTS)
    run = ReadRun(TelescopeFormat(), tmp_path)
    assert len(run.rows) == 3
    assert {(row["step"], row["discard_reason"], row["env"]) for row in run.rows} == {(1, "eval_drain", "cities_qa")}
    assert [row["staleness"] for row in run.rows][1:] == [None, None]
    assert [run.load(row).messages[0].text for row in run.rows] == ["never answered"] * 3


def test_evals_repeated_after_training_are_all_kept(tmp_path: Path) -> None:
    during = merged(*(eval_completion(0, c, step=6, correct=0.0, text="during", sample=c) for c in (0, 1)))
    write_archive(tmp_path / "events" / "block_0.zip", during, suffixes=EVENTS)
    for name in ("20260101_000000", "20260102_000000"):
        after = merged(*(eval_completion(0, c, step=6, correct=1.0, text=name) for c in (0, 1)))
        path = tmp_path / "evals_after_training" / f"evals_after_training_{name}.zip"
        write_archive(path, after, suffixes=EVALS)
    run = ReadRun(TelescopeFormat(), tmp_path)
    assert Counter(row["split"] for row in run.rows) == {"eval/holdout": 2, "eval/holdout@after_training": 4}
    assert [row["metrics.correct"] for row in run.where(split="eval/holdout")] == [0.0, 0.0]
    assert len({row["key"] for row in run.rows}) == 6
    texts = [run.load(row).messages[-1].text for row in run.where(split="eval/holdout@after_training")]
    assert texts == ["20260101_000000"] * 2 + ["20260102_000000"] * 2
    assert {row["prompt_tokens"] for row in run.rows} == {None}


def test_scanning_reads_no_texts_and_loading_only_a_stretch(tmp_path: Path) -> None:
    """A hundred megabytes of text in one table; neither a scan nor a walk over the samples holds them."""
    count, size = 12_800, 8 << 10
    block = kept_sample(0, step=0, group=0, reward=0.0, texts=["x"])
    data, compress = noise(1, count * size), zstandard.ZstdCompressor().compress
    block["samples_data"] = [{**block["samples_data"][0], "sample_id": i} for i in range(count)]
    block["generations"] = [
        {**block["generations"][0], "sample_id": i, "content": compress(data[i * size : (i + 1) * size])}
        for i in range(count)
    ]
    path = tmp_path / "steps" / "block_0.zip"
    write_archive(path, block, suffixes=STEPS, compression=zipfile.ZIP_STORED)
    block.clear()
    run = ReadRun(TelescopeFormat(), tmp_path)
    assert len(run.rows) == count
    assert pa.total_allocated_bytes() < 4 << 20
    for row in run.rows[:: count // 8]:
        run.texts(row)
        assert pa.total_allocated_bytes() < 40 << 20


def test_rows_are_found_over_row_groups_of_any_size() -> None:
    rows = [{"step": i, "section": "a", "group": "", "metric": str(i), "value": float(i)} for i in range(1000)]
    table = Table(io.BytesIO(parquet(METRICS, rows, row_group_size=77)))
    for number in (999, 0, 76, 77, 255, 256, 512, 3):
        assert table.rows([number])[0]["step"] == number
    assert table.find("step", 613, metric="613") == [613]
    assert table.find("step", 613, metric="614") == []
    assert table.find("step", 5000) == []


def test_archives_of_other_versions_open_with_fewer_tables_and_columns(tmp_path: Path) -> None:
    whole = write_archive(
        tmp_path / "whole.zip",
        kept_sample(1, step=0, group=0, reward=1.0, texts=["look", "done"]),
        suffixes=STEPS,
    )
    gone = ("sample_tags", "info_turns", "turn_metrics", "golden_answers")
    missing = {"stop_reason", "agent_id", "turn_type", "response_time", "prompt_tokens", "off_policy_steps"}
    (tmp_path / "run/steps").mkdir(parents=True)
    with zipfile.ZipFile(whole) as full, zipfile.ZipFile(tmp_path / "run/steps/block_0.zip", "w") as older:
        for name in full.namelist():
            data = full.read(name)
            if name.endswith(".parquet") and name.removesuffix(".parquet") not in gone:
                table = pq.read_table(io.BytesIO(data))
                buffer = io.BytesIO()
                pq.write_table(table.select([key for key in table.column_names if key not in missing]), buffer)
                older.writestr(name, buffer.getvalue())
        older.writestr("metadata.json", full.read("metadata.json"))
    run = rollscope.open(tmp_path / "run")
    (row,) = run.samples().rows
    sample = run.sample(row.address)
    assert (row.reward, row.stop_reason, row.staleness, row.completion_tokens) == (1.0, None, None, 21)
    assert [message.text for message in sample.messages] == ["question 0", "look", "result 0", "done"]
