"""A parquet file, read by columns and by rows and never whole."""

from __future__ import annotations

import io
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa

#: About as much as the cursor takes in one step, and keeps behind it.
_BATCH_BYTES = 4 << 20
_KEPT_BYTES = 8 << 20
#: One row as Python values costs 0.15 ms, a whole batch of a thousand 5 ms: it is converted when more rows than this
#: were asked of it.
_FEW = 8


class Table:
    """A parquet file. Scalars are read as whole columns; rows with their texts by a cursor that moves forward and
    keeps the last stretch, so that walking through a step or searching an archive reads it once."""

    def __init__(self, file: io.RawIOBase | BinaryIO) -> None:
        import pyarrow.parquet as pq

        self._file = file
        # A buffer makes the reader take a column in pieces; without one it takes the whole column, texts and all.
        self._parquet = pq.ParquetFile(file, buffer_size=256 << 10, pre_buffer=False)
        self.names: frozenset[str] = frozenset(self._parquet.schema_arrow.names)
        self.num_rows: int = self._parquet.metadata.num_rows
        self._keys: dict[str, tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]] = {}
        self._others: dict[str, list[Any]] = {}
        self._cursor: Iterator[pa.RecordBatch] = iter(())
        self._next_row = self.num_rows
        # A window over the rows, in their order, and no `LruCache`: the cursor only moves on, so the oldest goes first.
        self._batches: OrderedDict[int, pa.RecordBatch] = OrderedDict()
        self._kept = 0
        # The batch last asked for, how often, and its values.
        self._asked, self._times = -1, 0
        self._values: dict[str, list[Any]] = {}
        size = sum(self._parquet.metadata.row_group(i).total_byte_size for i in range(self._parquet.num_row_groups))
        self._batch_rows = min(4096, max(16, _BATCH_BYTES * self.num_rows // max(size, 1)))

    def __del__(self) -> None:
        self._file.close()

    @property
    def schema(self) -> pa.Schema:
        return self._parquet.schema_arrow

    def batches(self, *names: str, size: int = 16_384) -> Iterator[dict[str, list[Any]]]:
        """The named columns, `size` rows at a time. A column that is not there is all None."""
        there = [name for name in names if name in self.names]
        for batch in self._parquet.iter_batches(batch_size=size, columns=there, use_threads=False):
            columns = {name: batch.column(name).to_pylist() for name in there}
            yield {name: columns.get(name) or [None] * batch.num_rows for name in names}

    def columns(self, *names: str) -> dict[str, list[Any]]:
        result: dict[str, list[Any]] = {name: [] for name in names}
        for batch in self.batches(*names):
            for name, values in batch.items():
                result[name].extend(values)
        if any(len(values) != self.num_rows for values in result.values()):
            raise ValueError("its columns differ in length")
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
        """Raises ValueError where there is no such row: the file may have been written again since it was counted."""
        wanted = list(numbers)
        for number in wanted:
            if not 0 <= number < self.num_rows:
                raise ValueError(f"the table has {self.num_rows} rows, and no row {number}")
        return [self._row(*divmod(number, self._batch_rows)) for number in wanted]

    def _row(self, number: int, place: int) -> dict[str, Any]:
        if number != self._asked:
            self._asked, self._times, self._values = number, 0, {}
        self._times += 1
        if self._values:
            return {name: values[place] for name, values in self._values.items()}
        batch = self._batch(number)
        if self._times > _FEW:
            self._values = batch.to_pydict()
        row: dict[str, Any] = batch.slice(place, 1).to_pylist()[0]
        return row

    def _batch(self, wanted: int) -> pa.RecordBatch:
        if wanted not in self._batches:
            if wanted * self._batch_rows < self._next_row:
                self._cursor = self._regular_batches()
                self._next_row = self._kept = 0
                self._batches.clear()
            while wanted not in self._batches:
                batch = next(self._cursor, None)
                if batch is None:
                    import pyarrow as pa

                    raise pa.ArrowInvalid("the table holds fewer rows than it says")
                self._keep(batch)
        return self._batches[wanted]

    def _keep(self, batch: pa.RecordBatch) -> None:
        self._batches[self._next_row // self._batch_rows] = batch
        self._next_row += batch.num_rows
        self._kept += batch.nbytes
        while self._kept > _KEPT_BYTES and len(self._batches) > 1:
            _, oldest = self._batches.popitem(last=False)
            self._kept -= oldest.nbytes

    def _regular_batches(self) -> Iterator[pa.RecordBatch]:
        """All columns in batches of exactly `_batch_rows` rows, also where a row group ends in between."""
        import pyarrow as pa

        pending: list[pa.RecordBatch] = []
        count = 0
        for batch in self._parquet.iter_batches(batch_size=self._batch_rows, use_threads=False):
            taken = min(self._batch_rows - count, batch.num_rows)
            pending.append(batch.slice(0, taken))
            count += taken
            if count == self._batch_rows:
                yield pa.concat_batches(pending)
                pending = [batch.slice(taken)]
                count = batch.num_rows - taken
        if count:
            yield pa.concat_batches(pending)
