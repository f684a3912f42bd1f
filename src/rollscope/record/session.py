"""What a run's parts share: where it is written, under which name, and how a record gets there."""

from __future__ import annotations

import os
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct

from rollscope.record.metrics import METRICS_FILE
from rollscope.record.output import file_names
from rollscope.record.output.encode import encode_line
from rollscope.record.output.metrics_file import MetricsFile, RowPart
from rollscope.record.output.ownership import Ownership
from rollscope.record.output.problems import Problems
from rollscope.record.output.write_jobs import RowJob, SealJob, TableJob, WriteJob
from rollscope.record.output.writer import Writer
from rollscope.record.samples.ranges import DeclaredRanges
from rollscope.record.samples.schema import MAIN_WRITER, RolloutLine


class RecorderOptions(Struct, kw_only=True, frozen=True):
    """How much is recorded. See :func:`rollscope.record.start`."""

    num_groups_to_log: int = 4
    reports: bool = True
    discard_zero_advantage: bool = False
    seal: bool = False
    #: Seconds since 1970; a simulation may have its own time.
    clock: Callable[[], float] = time.time


class Session:
    """One process's part of one run."""

    def __init__(
        self,
        directory: Path,
        *,
        ownership: Ownership,
        problems: Problems,
        writer: Writer,
        options: RecorderOptions,
        run_id: str | None,
        total_steps: int | None,
    ) -> None:
        self.directory = directory
        self.ownership = ownership
        self.problems = problems
        self.writer = writer
        self.options = options
        self.run_id = run_id or os.urandom(6).hex()
        self.total_steps = total_steps
        self.ranges = DeclaredRanges()
        self.lock = threading.RLock()
        self.closed = False
        self._groups: dict[tuple[str, int], int] = defaultdict(int)
        #: Labels of evaluators by their names.
        self.evaluators: dict[str, str] = {}
        self._metrics = self._metrics_file()

    @property
    def writer_name(self) -> str:
        return self.ownership.writer

    @property
    def attempt(self) -> int:
        return self.ownership.attempt

    @property
    def is_main(self) -> bool:
        return self.ownership.writer == MAIN_WRITER

    def append(self, file: str, record: Any, *, size: int) -> None:
        """Queue one record as one line. It must not change from now on."""
        self._submit(WriteJob(file, lambda: encode_line(record, self.problems), size=size))

    def append_made(self, file: str, make: Callable[[], bytes], *, size: int = 0) -> None:
        """Queue one line that ``make`` makes on the writer thread."""
        self._submit(WriteJob(file, make, size=size))

    def replace(self, file: str, make: Callable[[], bytes], *, size: int = 0) -> None:
        """Queue a whole file that ``make`` makes on the writer thread."""
        self._submit(WriteJob(file, make, size=size, whole=True))

    def annotate(self, line: RolloutLine) -> None:
        """Queue what became known about a sample after it was written."""
        file = file_names.iteration_files(line.split, line.step, self.writer_name).annotations
        self.append(file, line, size=0 if line.tokens is None else 32 * len(line.tokens.logprobs or line.tokens.ids))

    def seal(self, file: str) -> None:
        """Queue a finished file to be compressed, if the run is to be sealed."""
        if self.options.seal:
            self._submit(SealJob(file))

    def add_metrics(self, make: Callable[[], RowPart], *, size: int) -> None:
        """Queue a part of a row of ``metrics.jsonl`` that ``make`` makes on the writer thread."""
        self._submit(RowJob(self._metrics, make, size=size))

    def fold_metrics(self) -> None:
        """Queue the last change to ``metrics.jsonl``; see :meth:`MetricsFile.fold`."""
        self._submit(TableJob(self._metrics, self._metrics.fold))

    def _metrics_file(self) -> MetricsFile:
        name = file_names.with_writer(METRICS_FILE, self.writer_name)
        return MetricsFile(self.writer.directory, name, self.problems, self.evaluators)

    def _submit(self, job: WriteJob) -> None:
        if self.closed:
            self.problems.report("closed", f"A record for {job.file} came after the run was closed and was dropped.")
        else:
            self.writer.submit(job)

    def next_group(self, split: str, step: int) -> int | str:
        """A group's number in its step. Those of other writers include their name, because each writer counts
        separately."""
        with self.lock:
            number = self._groups[split, step]
            self._groups[split, step] = number + 1
        return number if self.is_main else f"{self.writer_name}:{number}"

    def complain(self, text: str) -> None:
        self.problems.report("value", f"While recording {self.directory.name}: {text}.")

    def after_fork(self) -> None:
        """In the child: a writer of its own, under its own name."""
        self.lock = threading.RLock()
        self.problems.after_fork()
        self.writer.after_fork()
        self.ownership.release()
        self.ownership = Ownership(file_names.process_name(), self.ownership.attempt, None)
        self._metrics = self._metrics_file()

    def now(self) -> float:
        return round(self.options.clock(), 3)
