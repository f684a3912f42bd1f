"""An Arrow file as Hugging Face `datasets` saves it: a stream of record batches, or the variant with a footer."""

from __future__ import annotations

import io
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    import pyarrow as pa

_WITH_FOOTER = b"ARROW1"


class ArrowFile:
    """Its batches, read one at a time: where each begins is learned once, and the last one is kept."""

    def __init__(self, file: io.RawIOBase | BinaryIO) -> None:
        import pyarrow as pa

        self._file = file
        start = file.read(len(_WITH_FOOTER))
        file.seek(0)
        self._reader: pa.RecordBatchFileReader | None = None
        self._places: list[int] = []
        self._starts = [0]
        if start == _WITH_FOOTER:
            self._reader = pa.ipc.open_file(file)
            self.schema: pa.Schema = self._reader.schema
            for number in range(self._reader.num_record_batches):
                self._starts.append(self._starts[-1] + self._reader.get_batch(number).num_rows)
        else:
            self.schema = pa.ipc.read_schema(self._message())
            self._learn_places()
        self.names: frozenset[str] = frozenset(self.schema.names)
        self.num_rows: int = self._starts[-1]
        self._number, self._batch_kept = -1, None

    def __del__(self) -> None:
        self._file.close()

    def _message(self) -> pa.Message:
        """The one that begins here. A file in memory could be written to, which pyarrow takes for its only use."""
        import pyarrow as pa

        return pa.ipc.read_message(pa.PythonFile(self._file, mode="r"))

    def _learn_places(self) -> None:
        import pyarrow as pa

        while True:
            place = self._file.tell()
            try:
                message = self._message()
            except EOFError:
                return
            if message.type == "dictionary":
                raise ValueError("its columns are dictionaries, which are not read")
            batch = pa.ipc.read_record_batch(message, self.schema)
            self._places.append(place)
            self._starts.append(self._starts[-1] + batch.num_rows)

    def _batch(self, number: int) -> pa.RecordBatch:
        import pyarrow as pa

        if number != self._number or self._batch_kept is None:
            if self._reader is not None:
                batch = self._reader.get_batch(number)
            else:
                self._file.seek(self._places[number])
                batch = pa.ipc.read_record_batch(self._message(), self.schema)
            batch.validate(full=True)  # a stranger's offsets may point anywhere
            self._number, self._batch_kept = number, batch
        return self._batch_kept

    def batches(self, *names: str, size: int = 16_384) -> Iterator[dict[str, list[Any]]]:
        """The named columns, at most `size` rows at a time. A column that is not there is all None."""
        for number in range(len(self._starts) - 1):
            whole = self._batch(number)
            for start in range(0, whole.num_rows, size):
                batch = whole.slice(start, size)
                there = {name: batch.column(name).to_pylist() for name in names if name in self.names}
                yield {name: there.get(name) or [None] * batch.num_rows for name in names}

    def rows(self, numbers: Iterable[int]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for number in numbers:
            at = bisect_right(self._starts, number) - 1
            if not 0 <= number < self.num_rows:
                raise ValueError(f"the table has {self.num_rows} rows, and no row {number}")
            found += self._batch(at).slice(number - self._starts[at], 1).to_pylist()
        return found
