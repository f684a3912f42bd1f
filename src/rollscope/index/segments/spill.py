"""What is made for a question about a whole large run: on disk and mapped, not in memory."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import IO, Generic, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

#: More numbers than this lie on disk.
MEMORY_ROWS = 1_000_000


def spilled(table: pa.Table, own: set[str], folder: str) -> pa.Table:
    """The same table, with the columns that are not `own` mapped from a file that goes with them. `own` are those that are
    mapped from segments already."""
    import tempfile

    made = [name for name in table.column_names if name not in own]
    descriptor, path = tempfile.mkstemp(suffix=".tmp", prefix="spill-", dir=folder)
    os.close(descriptor)
    try:
        part = table.select(made).combine_chunks()
        with pa.OSFile(os.fsencode(path), "wb") as sink, pa.ipc.new_file(sink, part.schema) as writer:
            writer.write_table(part)
        with pa.memory_map(os.fsencode(path)) as source:
            kept = pa.ipc.open_file(source).read_all()
    finally:
        with suppress(OSError):  # its bytes stay as long as they are mapped
            os.unlink(path)
    for name in made:
        table = table.set_column(table.column_names.index(name), name, kept[name])
    return table


NumberT = TypeVar("NumberT", bound=np.generic)


class NumbersOnDisk(Generic[NumberT]):
    """Numbers that are found piece by piece. If there are many, they are in an unlinked file, which is mapped."""

    def __init__(self, kind: type[NumberT]) -> None:
        self.count = 0
        self._kind = kind
        self._parts: list[NDArray[NumberT]] = []
        self._file: IO[bytes] | None = None

    def add(self, numbers: NDArray[NumberT]) -> None:
        self._parts.append(numbers)
        self.count += len(numbers)
        if self.count > MEMORY_ROWS:
            if self._file is None:
                import tempfile  # few questions are about so many

                self._file = tempfile.TemporaryFile(prefix="rollscope-rows-")  # noqa: SIM115  # closed when it is mapped
            for part in self._parts:
                self._file.write(np.ascontiguousarray(part, dtype=self._kind).data)
            self._parts = []

    def all(self) -> NDArray[NumberT]:
        if self._file is None:
            return np.concatenate([np.empty(0, dtype=self._kind), *self._parts])
        self._file.flush()
        with self._file:
            return np.memmap(self._file, dtype=self._kind, mode="r", shape=(self.count,))


def on_disk(numbers: NDArray[NumberT]) -> NDArray[NumberT]:
    """The same, mapped from an unlinked file if there are many: what is kept of each row of a large run must not stay in
    memory. Not to be written to."""
    if len(numbers) <= MEMORY_ROWS:
        return numbers
    kept = NumbersOnDisk(numbers.dtype.type)
    kept.add(numbers)
    return kept.all().view(np.ndarray)
