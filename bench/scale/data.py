"""A run of many rows whose index is written directly: what is measured is asking, not reading."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from bench.data import small_step

ROWS_A_STEP = 1_000
#: Rows of a segment.
SEGMENT_ROWS = 1_000_000


def write_rows(folder: Path, rows: int) -> tuple[Path, Path]:
    """(the run, the folder of its index). A file a step, whose one line is each of the thousand that the index knows."""
    from rollscope.formats.registry import detect
    from rollscope.index.index import Index
    from rollscope.index.manifest.entries import FileEntry, IndexedPiece
    from rollscope.index.segments.files import write_segment
    from rollscope.storage.local import LocalStore

    root, place = folder / "run", folder / "index"
    (root / "train").mkdir(parents=True)
    for step in range(rows // ROWS_A_STEP):
        small_step(root, step, 1)
        os.utime(root / "train" / f"{step}.jsonl", (1_700_000_000, 1_700_000_000))
    store = LocalStore(root)
    detection = detect(store, (), None)
    assert detection is not None
    index = Index(store, detection.format, base=str(place))
    files: list[FileEntry] = []
    touched = set()
    waiting: list[tuple[FileEntry, int]] = []
    for source in index.sources(store):
        assert source.step is not None
        touched.add(("train", source.step))
        files.append(FileEntry(source, store.stat(source.path), 1_800_000_000 * 10**9, [], complete=True))
        waiting.append((files[-1], source.step))
        if len(waiting) * ROWS_A_STEP >= SEGMENT_ROWS or len(files) == rows // ROWS_A_STEP:
            steps, sizes = zip(*((step, entry.size) for entry, step in waiting))
            name = write_segment(_segment(steps, sizes), index.location)
            for number, (entry, step) in enumerate(waiting):
                size = entry.size
                entry.pieces.append(
                    IndexedPiece(
                        0, size, b"", name, number * ROWS_A_STEP, ROWS_A_STEP, ROWS_A_STEP, [], [("train", step)]
                    )
                )
            index.publish([list(files)], {("train", step) for step in steps})
            waiting = []
    return root, place


def _segment(steps: Sequence[int], sizes: Sequence[int]) -> pa.Table:
    chance = np.random.default_rng(steps[0])
    count = len(steps) * ROWS_A_STEP
    within = np.tile(np.arange(ROWS_A_STEP), len(steps))
    missing = pa.nulls(count, pa.string())
    columns = {
        "split": pa.array(["train"]).take(pa.array(np.zeros(count, dtype=np.int64))),
        "step": pa.array(np.repeat(np.array(steps, dtype=np.int64), ROWS_A_STEP)),
        "group": pa.array(within // 8).cast(pa.string()),
        "reward": pa.array(chance.random(count)),
        "discard_reason": missing,
        "status": missing,
        "prompt_hash": pa.array((within // 8).astype(np.uint64)),
        "offset": pa.array(np.zeros(count, dtype=np.int64)),
        "length": pa.array(np.repeat(np.array(sizes, dtype=np.int64), ROWS_A_STEP)),
        "line": pa.array(within.astype(np.int64)),
        "completion_tokens": pa.array(chance.integers(1, 4000, count)),
        **{f"metrics.m{number}": pa.array(chance.random(count)) for number in range(6)},
    }
    return pa.table(columns)
