"""Tables of rows put together for steps: which rows of a segment, of which files, in which order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from rollscope.index import compute
from rollscope.index.manifest.entries import IndexedPiece, Key
from rollscope.model import MAX_INT, MIN_INT


def neighbours(pieces: Iterable[tuple[int, IndexedPiece]]) -> Iterator[list[tuple[int, IndexedPiece]]]:
    """Runs of pieces whose rows follow each other in one segment."""
    run: list[tuple[int, IndexedPiece]] = []
    end = 0
    for item in pieces:
        piece = item[1]
        if piece.rows == 0:
            continue
        if run and (run[0][1].segment != piece.segment or piece.row != end):
            yield run
            run = []
        run.append(item)
        end = piece.row + piece.rows
    if run:
        yield run


def only_steps(table: pa.Table, wanted: set[Key]) -> pa.Table:
    """The rows of these steps."""
    encoded = compute.dictionary_encode(table["split"])
    names = encoded.dictionary.to_pylist()
    splits = compute.plain(encoded.indices)
    steps = compute.plain(table["step"])
    keep = np.zeros(len(steps), dtype=bool)
    for code, name in enumerate(names):
        # An address may name a step that no column could hold.
        asked = [step for split, step in wanted if split == name and MIN_INT <= step <= MAX_INT]
        keep |= (splits == code) & np.isin(steps, np.array(asked, dtype=np.int64))
    return table if keep.all() else compute.keep(table, keep)


def with_file(table: pa.Table, position: int) -> pa.Table:
    """`table` with a column for the file that its rows are from: the position of that file in the manifest."""
    return table.append_column("file", pa.repeat(pa.scalar(position, pa.int32()), table.num_rows))


def in_order(table: pa.Table) -> pa.Table:
    """The rows ordered by split (train first), step and index. A table that is in order is given back as it is."""
    encoded = compute.dictionary_encode(table["split"])
    names = encoded.dictionary.to_pylist()
    rank = {name: i for i, name in enumerate(sorted(names, key=lambda name: (name != "train", name)))}
    splits = np.array([rank[name] for name in names])[compute.plain(encoded.indices)]
    steps, index = compute.plain(table["step"]), compute.plain(table["index"])
    before = (splits[:-1], steps[:-1], index[:-1])
    after = (splits[1:], steps[1:], index[1:])
    rises = (before[0] < after[0]) | (
        (before[0] == after[0]) & ((before[1] < after[1]) | ((before[1] == after[1]) & (before[2] < after[2])))
    )
    if rises.all():
        return table
    return compute.take(table, np.lexsort((index, steps, splits)))
