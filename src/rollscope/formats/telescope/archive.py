"""One archive: a zip of parquet tables, read by columns and by rows and never whole.

Telescope rewrites its newest archives in place every few seconds, so a file can be half written when it is opened
(`read` tries again for a moment), and an open archive is only good for the bytes it was opened on (`opened` forgets it
when the file changes).
"""

from __future__ import annotations

import threading
import time
import zipfile
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from rollscope.formats.files import Directory, FileStat
from rollscope.formats.telescope.inflate import Member

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")

#: Everything that zip, deflate and parquet raise for damaged or half-written bytes (pyarrow's errors are ValueErrors,
#: OSErrors or NotImplementedErrors; zipfile may meet any of the others).
DAMAGED = (zipfile.BadZipFile, zlib.error, OSError, ValueError, KeyError, EOFError, NotImplementedError)

_ATTEMPTS = 4
_PAUSE_SECONDS = 0.15
_BATCH_ROWS = 256
_KEPT_BYTES = 24 << 20
_OPEN_ARCHIVES = 3


class Table:
    """A parquet member. Scalars are read as whole columns; rows with their texts by a cursor that moves forward and
    keeps the last stretch, so that walking through a step or searching an archive reads it once."""

    def __init__(self, member: Member) -> None:
        import pyarrow.parquet as pq

        # A buffer makes the reader take a column in pieces; without one it takes the whole column, texts and all.
        self._parquet = pq.ParquetFile(member, buffer_size=256 << 10, pre_buffer=False)
        self.names: frozenset[str] = frozenset(self._parquet.schema_arrow.names)
        self.num_rows: int = self._parquet.metadata.num_rows
        self._keys: dict[str, tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]] = {}
        self._others: dict[str, list[Any]] = {}
        self._cursor: Iterator[pa.RecordBatch] = iter(())
        self._next_row = self.num_rows
        self._batches: OrderedDict[int, pa.RecordBatch] = OrderedDict()

    def batches(self, *names: str) -> Iterator[dict[str, list[Any]]]:
        """The named columns, some thousand rows at a time. A column that is not there is all None."""
        there = [name for name in names if name in self.names]
        for batch in self._parquet.iter_batches(batch_size=16_384, columns=there, use_threads=False):
            columns = {name: batch.column(name).to_pylist() for name in there}
            yield {name: columns.get(name) or [None] * batch.num_rows for name in names}

    def columns(self, *names: str) -> dict[str, list[Any]]:
        result: dict[str, list[Any]] = {name: [] for name in names}
        for batch in self.batches(*names):
            for name, values in batch.items():
                result[name].extend(values)
        return result

    def find(self, key: str, value: int, **others: Any) -> list[int]:
        """Numbers of the rows where column `key` (integers) has the value and the other columns have theirs."""
        if key not in self._keys:
            values = np.array([-1 if number is None else number for number in self.columns(key)[key]], dtype=np.int64)
            order = np.argsort(values, kind="stable")
            self._keys[key] = (values[order], order)
        values, order = self._keys[key]
        first, last = np.searchsorted(values, [value, value + 1])
        rows: list[int] = order[first:last].tolist()
        for name, wanted in others.items():
            if name not in self._others:
                self._others[name] = self.columns(name)[name]
            column = self._others[name]
            rows = [row for row in rows if column[row] == wanted]
        return sorted(rows)

    def rows(self, numbers: Iterable[int]) -> list[dict[str, Any]]:
        result = []
        for number in numbers:
            batch = self._batch(number // _BATCH_ROWS)
            result.append(batch.slice(number % _BATCH_ROWS, 1).to_pylist()[0])
        return result

    def _batch(self, wanted: int) -> pa.RecordBatch:
        if wanted not in self._batches:
            if wanted * _BATCH_ROWS < self._next_row:
                self._cursor = self._regular_batches()
                self._next_row = 0
                self._batches.clear()
            while wanted not in self._batches:
                self._batches[self._next_row // _BATCH_ROWS] = batch = next(self._cursor)
                self._next_row += batch.num_rows
                while len(self._batches) > 1 and sum(kept.nbytes for kept in self._batches.values()) > _KEPT_BYTES:
                    self._batches.popitem(last=False)
        return self._batches[wanted]

    def _regular_batches(self) -> Iterator[pa.RecordBatch]:
        """All columns in batches of exactly `_BATCH_ROWS` rows, also where a row group ends in between."""
        import pyarrow as pa

        pending: list[pa.RecordBatch] = []
        count = 0
        for batch in self._parquet.iter_batches(batch_size=_BATCH_ROWS, use_threads=False):
            taken = min(_BATCH_ROWS - count, batch.num_rows)
            pending.append(batch.slice(0, taken))
            count += taken
            if count == _BATCH_ROWS:
                yield pa.concat_batches(pending)
                pending = [batch.slice(taken)]
                count = batch.num_rows - taken
        if count:
            yield pa.concat_batches(pending)


class Archive:
    """An open archive. `lock` must be held while its tables are read: they share one file position."""

    def __init__(self, directory: Directory, path: str) -> None:
        self.path = path
        self.stat = directory.stat(path)
        self.lock = threading.Lock()
        self._file = directory.open(path)
        try:
            with zipfile.ZipFile(self._file) as listing:
                self._infos = {info.filename: info for info in listing.infolist()}
        except BaseException:
            self._file.close()
            raise
        self._tables: dict[str, Table] = {}

    def __del__(self) -> None:
        if file := getattr(self, "_file", None):
            file.close()

    def has(self, table: str) -> bool:
        return f"{table}.parquet" in self._infos

    def table(self, name: str) -> Table:
        table = self._tables.get(name)
        if table is None:
            table = self._tables[name] = Table(Member(self._file, self._infos[f"{name}.parquet"]))
        return table


def read(directory: Directory, path: str, work: Callable[[Archive], T]) -> T:
    """Does `work` on the archive, again after a moment if the file is damaged or changes meanwhile: its writer may be
    at it. Raises one of `DAMAGED` when it stays so."""
    for attempt in range(_ATTEMPTS):
        if attempt:
            time.sleep(_PAUSE_SECONDS)
        try:
            archive = opened(directory, path)
            with archive.lock:
                result = work(archive)
        except DAMAGED:
            _forget(directory, path)
            if attempt == _ATTEMPTS - 1:
                raise
        else:
            if directory.stat(path) == archive.stat:
                return result
    raise zipfile.BadZipFile("the file kept changing while it was read")


_cache: OrderedDict[str, tuple[FileStat | None, Archive]] = OrderedDict()
_cache_lock = threading.Lock()


def opened(directory: Directory, path: str) -> Archive:
    """The archive, kept open for the next sample as long as the file stays as it is."""
    name = directory.path(path)
    with _cache_lock:
        stat, archive = _cache.get(name, (None, None))
        if archive is None or stat != directory.stat(path):
            archive = Archive(directory, path)
        _cache[name] = (archive.stat, archive)
        _cache.move_to_end(name)
        while len(_cache) > _OPEN_ARCHIVES:
            _cache.popitem(last=False)
        return archive


def _forget(directory: Directory, path: str) -> None:
    with _cache_lock:
        _cache.pop(directory.path(path), None)
