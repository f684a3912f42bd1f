"""Every format reads through the store it is handed: a run in memory says what the same run on a disk says."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.fixtures import DATA, write_jsonl
from tests.formats.trackio.test_exported import exported
from tests.runs import relax_record

from rollscope.query.export.convert import convert
from rollscope.query.library import Library
from rollscope.query.run import Run
from rollscope.storage.memory import MemoryStore
from rollscope.storage.open_store import open_store
from rollscope.storage.store import Kind


def needs_a_disk(folder: Path) -> bool:
    """SQLite opens files by their names."""
    return any(path.read_bytes()[:15] == b"SQLite format 3" for path in folder.rglob("*") if path.is_file())


RUNS = sorted(path.name for path in DATA.iterdir() if path.is_dir() and not needs_a_disk(path))
#: Samples of a run that are opened whole; the rows of all are compared.
OPENED = 40


def in_memory(folder: Path) -> MemoryStore:
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return MemoryStore.of(folder.name, files)


def said(run: Run) -> dict[str, Any]:
    rows = [msgspec.to_builtins(row) for row in run.samples(discarded=None, preview=True).rows]
    details = msgspec.to_builtins(run.details())
    return {
        "format": run.format,
        "rows": rows,
        "samples": [json.loads(run.sample_json(row["address"])) for row in rows[:OPENED]],
        "config": details["config"],
        "ranges": details["ranges"],
        "reports": details["reports"],
        "skipped": details["skipped"],
        "files": [(file["path"], file["bytes"], file["role"]) for file in details["files"]],
        "metrics": [msgspec.to_builtins(info) for info in run.catalog()],
        "hits": [hit.address for hit in run.search("the")],
    }


@pytest.mark.parametrize("name", RUNS)
def test_a_run_in_memory_says_what_it_says_on_a_disk(name: str) -> None:
    folder = DATA / name
    here, there = Library([str(folder)]).runs(), Library([in_memory(folder).address]).runs()
    assert [(run.name, run.format) for run in there] == [(run.name, run.format) for run in here]
    for one, other in zip(there, here, strict=True):
        mine, its = said(one), said(other)
        for key in its:
            assert mine[key] == its[key], key


SAMPLES = [{"step": n, "question": "2+2?", "reply": f"{n}", "score": n / 4} for n in range(4)]


def generations(folder: Path) -> None:
    block = "[prompt] user\n2+2?\nassistant\n\n[output] the 4\n[ground_truth] 4\n[score] 1.0\n\n"
    (folder / "generations.log").write_text(block * 2)
    write_jsonl(folder / "experiment_log.jsonl", [{"step": 5, "actor": {"loss": 0.5}}])


def lines(folder: Path) -> None:
    write_jsonl(folder / "plain.jsonl", SAMPLES)
    (folder / "packed.jsonl.gz").write_bytes(gzip.compress((folder / "plain.jsonl").read_bytes()))


def columns(folder: Path) -> None:
    pq.write_table(pa.Table.from_pylist(SAMPLES), folder / "step_3.parquet")


def tables(folder: Path) -> None:
    shutil.copytree(DATA / "mlflow" / "mlruns", folder / "mlruns")


def recorded(folder: Path) -> None:
    write_jsonl(folder / "verl" / "1.jsonl", [{"input": "2+2?", "output": "the 4", "score": 1.0, "step": 1}])
    (run,) = Library([folder / "verl"]).runs()
    convert(run, str(folder / "own"))
    shutil.rmtree(folder / "verl")


def parquet_export(folder: Path) -> None:
    exported(folder / "rollouts_traces.parquet")


def sessions(folder: Path) -> None:
    shutil.copytree(DATA / "trackio_traces" / "traces", folder / "traces")


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("easyr1", generations),
        ("jsonl", lines),
        ("jsonl", columns),
        ("mlflow_tables", tables),
        ("rollscope", recorded),
        ("trackio_export", parquet_export),
        ("trackio_sessions", sessions),
    ],
)
def test_formats_without_a_sample_run_say_in_memory_what_they_say_on_a_disk(
    tmp_path: Path, name: str, write: Callable[[Path], None]
) -> None:
    folder = tmp_path / f"{name}-{write.__name__}"
    folder.mkdir()
    write(folder)
    (one,) = Library([str(folder)]).runs()
    (other,) = Library([in_memory(folder).address]).runs()
    assert (one.format, other.format) == (name, name)
    assert said(one) == said(other)


def test_most_formats_are_read_from_memory_here() -> None:
    assert len({run.format for name in RUNS for run in Library([str(DATA / name)]).runs()}) >= 8


def test_what_is_written_to_it_is_seen_at_the_next_look(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "grows" / "train" / "0.jsonl", [relax_record(0, i, reward=0.25) for i in range(4)])
    store = in_memory(tmp_path / "grows")
    (run,) = Library([store.address]).runs()
    assert [row.reward for row in run.samples().rows] == [0.25] * 4
    store.write("train/0.jsonl", store.read("train/0.jsonl").replace(b"0.25", b"0.75"))
    run.refresh()
    assert [row.reward for row in run.samples().rows] == [0.75] * 4
    store.remove("train/0.jsonl")
    store.write("train/1.jsonl", json.dumps(relax_record(1, 0, reward=0.5)).encode())
    run.refresh()
    assert [(row.step, row.reward) for row in run.samples().rows] == [(1, 0.5)]


def test_addresses_lead_to_folders_files_and_nothing() -> None:
    store = MemoryStore.of("kinds", {"a/b/c.txt": b"c", "d.txt": b"d"})
    assert store.kind() is Kind.FOLDER
    assert open_store("memory://kinds/a/b").files() == ["c.txt"]
    assert open_store("memory://kinds/d.txt").kind() is Kind.FILE
    assert open_store("memory://kinds/d.txt").parent().files() == ["d.txt"]
    assert open_store("memory://kinds/nowhere").kind() is Kind.MISSING
    assert store.sub("a").parent().address == store.address
    assert (store.sub("a").name, store.sub("a").sub("b").parent_name) == ("a", "a")
    with pytest.raises(OSError, match="No such file"):
        store.read("nowhere")
