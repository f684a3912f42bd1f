"""What the writer thread writes: a line, a file, a part of a row of metrics, a file to be sealed."""

from __future__ import annotations

from collections.abc import Callable

from rollscope.record.output.directory import Directory
from rollscope.record.output.metrics_file import MetricsFile, RowPart

#: What a record weighs beside its text: Structs, dicts, keys.
RECORD_OVERHEAD = 1_000


class WriteJob:
    """One thing to write: a line of ``file``, or the whole of it. ``make`` runs on the writer thread, once."""

    __slots__ = ("content", "failed", "file", "make", "size", "whole")
    #: Something is lost when it cannot be written.
    holds_record = True

    def __init__(self, file: str, make: Callable[[], bytes], *, size: int = 0, whole: bool = False) -> None:
        self.file = file
        self.make = make
        self.size = size + RECORD_OVERHEAD
        self.whole = whole
        self.content: bytes | None = None
        self.failed = False

    def prepare(self) -> None:
        if self.content is None:
            self.content = self.make()

    def write(self, directory: Directory) -> WriteJob | None:
        """Write it, or raise OSError and leave the file as it was. A job that comes back is put at the queue's end."""
        assert self.content is not None
        if self.whole:
            directory.replace(self.file, self.content)
        else:
            directory.append(self.file, self.content)
        return None


class RowJob(WriteJob):
    """A part of a row of ``metrics.jsonl``."""

    __slots__ = ("make_part", "part", "table")

    def __init__(self, table: MetricsFile, make_part: Callable[[], RowPart], *, size: int = 0) -> None:
        super().__init__(table.name, bytes, size=size)
        self.table = table
        self.make_part = make_part
        self.part: RowPart | None = None

    def prepare(self) -> None:
        if self.part is None:
            self.part = self.make_part()

    def write(self, directory: Directory) -> WriteJob | None:
        assert self.part is not None
        if self.table.add(self.part) or self.table.to_settle > 1:
            return None
        # At the queue's end, so that all parts which wait now cost one rewriting of the file.
        return TableJob(self.table, self.table.settle)


class TableJob(WriteJob):
    """Something to do with ``metrics.jsonl`` as a whole, of what was written or accepted before."""

    __slots__ = ("action",)
    holds_record = False

    def __init__(self, table: MetricsFile, action: Callable[[], None]) -> None:
        super().__init__(table.name, bytes)
        self.action = action

    def write(self, directory: Directory) -> WriteJob | None:
        self.action()
        return None


class SealJob(WriteJob):
    """A finished file, to be compressed."""

    __slots__ = ()
    holds_record = False

    def __init__(self, file: str) -> None:
        super().__init__(file, bytes)

    def write(self, directory: Directory) -> WriteJob | None:
        directory.seal(self.file)
        return None
